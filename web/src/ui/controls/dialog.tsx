import { type ReactNode, useEffect, useId, useRef } from 'react';
import styles from './dialog.module.css';

interface DialogProps {
  isOpen: boolean;
  /** Also called on Escape, or a click outside. */
  onClose: () => void;
  title: string;
  children: ReactNode;
  testId?: string;
}

/** The browser's own modal dialog, which keeps the focus inside. */
export function Dialog({ isOpen, ...shown }: DialogProps) {
  return isOpen ? <OpenDialog {...shown} /> : null;
}

function OpenDialog({ onClose, title, children, testId }: Omit<DialogProps, 'isOpen'>) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      // React removes the dialog without closing it, so the browser does not restore the focus.
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the dialog handles Escape itself.
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-labelledby={titleId}
      data-testid={testId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        // The dialog itself has no padding: a click whose target it is was on the backdrop.
        if (event.target === dialog.current) onClose();
      }}
    >
      <div className={styles.inner}>
        <h2 className={styles.title} id={titleId}>
          {title}
        </h2>
        {children}
      </div>
    </dialog>
  );
}
