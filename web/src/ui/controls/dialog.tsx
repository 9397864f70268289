import { type ReactNode, useEffect, useId, useRef } from 'react';
import styles from './dialog.module.css';

interface DialogProps {
  isOpen: boolean;
  /** By Escape or a click beside it, too. */
  onClose: () => void;
  title: string;
  children: ReactNode;
  testId?: string;
}

/** The browser's own modal dialog, which keeps the focus inside and gives it back, without a line of script. */
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
      // It is taken out of the document rather than closed, so the browser would not do this.
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape is the key for it, and the dialog's own.
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
        // Its padding is that of the inner box: what is hit on the dialog itself is the shade around it.
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
