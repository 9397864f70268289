import { XIcon } from '@primer/octicons-react';
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useSession } from '../../data/hooks.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { useErrorSentence } from './error-text.tsx';
import styles from './toasts.module.css';

interface Toast {
  id: number;
  text: string;
  kind: 'said' | 'failed';
}

interface Toasts {
  /** Shows a short message: `Saved`. */
  say: (text: string) => void;
  /** Shows an error as a sentence. */
  fail: (error: unknown) => void;
  /** Shows a text in the form of an error. */
  warn: (text: string) => void;
}

const ToastContext = createContext<Toasts>({ say: () => {}, fail: () => {}, warn: () => {} });

/** A toast stays longer while the pointer or the focus is on it. */
const SHOWN_MS = 6_000;
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
    setToasts((shown) =>
      [...shown.filter((toast) => toast.text !== text), { id, text, kind }].slice(-SHOWN_AT_ONCE),
    );
  }, []);
  const remove = useCallback(
    (id: number) => setToasts((shown) => shown.filter((toast) => toast.id !== id)),
    [],
  );
  const session = useSession();
  const userId = session.state === 'signed_in' ? session.session.userId : undefined;
  // The next user does not see the previous user's toasts.
  useEffect(() => setToasts([]), [userId]);
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
      <div className={styles.toasts} role="status" data-testid="toasts">
        {toasts.map((toast) => (
          <ToastBox key={toast.id} toast={toast} onClose={remove} />
        ))}
      </div>
    </ToastContext>
  );
}

function ToastBox({ toast, onClose }: { toast: Toast; onClose: (id: number) => void }) {
  const texts = useTexts().shell;
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(() => onClose(toast.id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isHeld, onClose, toast.id]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the pointer only makes it stay longer.
    <div
      className={styles.toast}
      data-kind={toast.kind}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span className={styles.text}>{toast.text}</span>
      <button
        type="button"
        className={styles.close}
        aria-label={texts.close}
        onClick={() => onClose(toast.id)}
      >
        <XIcon size={16} />
      </button>
    </div>
  );
}
