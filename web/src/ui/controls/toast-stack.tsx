import { XIcon } from '@primer/octicons-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useTexts } from '../../i18n/texts.tsx';
import { useToastArea } from './toast-area.ts';
import type { Toast } from './toast-place.ts';
import styles from './toasts.module.css';

/** For a toast without text, and for each character. It stays longer while the pointer or the focus is on it. */
const SHOWN_MS = 5_000;
const SHOWN_MS_PER_CHARACTER = 60;

interface ToastStackProps {
  toasts: readonly Toast[];
  onClose: (id: number) => void;
}

/** The toasts of one pane, where the last of them belongs. */
export function ToastStack({ toasts, onClose }: ToastStackProps) {
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
