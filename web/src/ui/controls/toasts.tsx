import {
  createContext,
  type ReactNode,
  Suspense,
  use,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useLocation, useSearch } from 'wouter';
import { useOwnId } from '../../data/hooks.ts';
import { lazyView } from '../page/lazy-view.tsx';
import { useErrorSentence } from './error-text.tsx';
import { type Toast, toastPlace, viewIn } from './toast-place.ts';

/** Loaded after the first view. */
const ToastStack = lazyView(() => import('./toast-stack.tsx'), 'ToastStack');

/** A toast goes when its view does: an action that leads to another view shows its toast there, after the navigation. */
interface Toasts {
  /** Shows a short message: `Saved`. */
  say: (text: string) => void;
  /** Shows an error as a sentence. */
  fail: (error: unknown) => void;
  /** Shows a text in the form of an error. */
  warn: (text: string) => void;
}

const ToastContext = createContext<Toasts>({ say: () => {}, fail: () => {}, warn: () => {} });

const SHOWN_AT_ONCE = 3;

export function useToast(): Toasts {
  return use(ToastContext);
}

export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const last = useRef(0);
  const sentence = useErrorSentence();
  const latestSentence = useRef(sentence);
  useEffect(() => {
    latestSentence.current = sentence;
  });
  const add = useCallback((text: string, kind: Toast['kind']) => {
    last.current += 1;
    const id = last.current;
    const place = toastPlace();
    const view = viewIn(place.pane);
    setToasts((shown) =>
      [...shown.filter((toast) => toast.text !== text), { id, text, kind, place, view }].slice(
        -SHOWN_AT_ONCE,
      ),
    );
  }, []);
  const remove = useCallback(
    (id: number) => setToasts((shown) => shown.filter((toast) => toast.id !== id)),
    [],
  );
  useEffect(() => {
    // A toast that comes without a network shows it.
    ToastStack.load().catch(() => {});
  }, []);
  const ownId = useOwnId();
  // The next user does not see the previous user's toasts.
  useEffect(() => setToasts([]), [ownId]);
  const [path] = useLocation();
  const search = useSearch();
  useEffect(() => {
    void [path, search];
    setToasts((shown) => shown.filter(({ place, view }) => view === viewIn(place.pane)));
  }, [path, search]);
  const toaster = useMemo(
    () => ({
      say: (text: string) => add(text, 'said'),
      fail: (error: unknown) => add(latestSentence.current(error), 'failed'),
      warn: (text: string) => add(text, 'failed'),
    }),
    [add],
  );
  return (
    <ToastContext value={toaster}>
      {children}
      <div role="status" data-toasts="" data-testid="toasts">
        {[...new Set(toasts.map(({ place }) => place.pane))].map((pane) => (
          <Suspense key={pane ?? ''} fallback={null}>
            <ToastStack toasts={toasts.filter(({ place }) => place.pane === pane)} onClose={remove} />
          </Suspense>
        ))}
      </div>
    </ToastContext>
  );
}
