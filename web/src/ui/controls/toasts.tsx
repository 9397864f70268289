import { XIcon } from '@primer/octicons-react';
import {
  createContext,
  type KeyboardEvent,
  type ReactNode,
  use,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useLocation, useSearch } from 'wouter';
import { useOwnId } from '../../data/hooks.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { useErrorSentence } from './error-text.tsx';
import { type ToastPlace, toastPlace, useToastArea, viewIn } from './toast-place.ts';
import styles from './toasts.module.css';

interface Toast {
  id: number;
  text: string;
  kind: 'said' | 'failed';
  place: ToastPlace;
  /** What its pane showed when it came. */
  view: string;
}

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

/** For a toast without text, and for each character. It stays longer while the pointer or the focus is on it. */
const SHOWN_MS = 5_000;
const SHOWN_MS_PER_CHARACTER = 60;
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
          <Stack
            key={pane ?? ''}
            toasts={toasts.filter(({ place }) => place.pane === pane)}
            onClose={remove}
          />
        ))}
      </div>
    </ToastContext>
  );
}

interface StackProps {
  toasts: readonly Toast[];
  onClose: (id: number) => void;
}

/** The toasts of one pane, where the last of them belongs. */
function Stack({ toasts, onClose }: StackProps) {
  const place = toasts.at(-1)?.place;
  const area = useToastArea(place?.pane);
  return (
    <div className={styles.stack} data-end={place?.end} style={area}>
      {toasts.map((toast) => (
        <ToastBox key={toast.id} toast={toast} onClose={onClose} />
      ))}
    </div>
  );
}

function ToastBox({ toast, onClose }: { toast: Toast; onClose: (id: number) => void }) {
  const texts = useTexts().shell;
  const [isHeld, setHeld] = useState(false);
  const focusBefore = useRef<EventTarget>(null);
  useEffect(() => {
    if (isHeld) return;
    const shownMs = SHOWN_MS + toast.text.length * SHOWN_MS_PER_CHARACTER;
    const timer = setTimeout(() => onClose(toast.id), shownMs);
    return () => clearTimeout(timer);
  }, [isHeld, onClose, toast]);
  const close = () => {
    onClose(toast.id);
    if (focusBefore.current instanceof HTMLElement) focusBefore.current.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    close();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the pointer only makes it stay longer, and Escape is the button's.
    <div
      className={styles.toast}
      data-kind={toast.kind}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={({ currentTarget }) => setHeld(currentTarget.contains(document.activeElement))}
      onFocus={({ relatedTarget }) => {
        focusBefore.current = relatedTarget;
        setHeld(true);
      }}
      onBlur={({ currentTarget }) => setHeld(currentTarget.matches(':hover'))}
      onKeyDown={onKeyDown}
    >
      <span className={styles.text}>{toast.text}</span>
      <button type="button" className={styles.close} aria-label={texts.close} onClick={close}>
        <XIcon />
      </button>
    </div>
  );
}
