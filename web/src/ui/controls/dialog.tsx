import { type ReactNode, useEffect, useId, useRef } from 'react';
import styles from './dialog.module.css';

interface DialogProps {
  isOpen: boolean;
  /** Also called on Escape, on a click outside, and on Back. */
  onClose: () => void;
  title: string;
  children: ReactNode;
  testId?: string;
  className?: string | undefined;
}

/** The browser's own modal dialog, which keeps the focus inside. */
export function Dialog({ isOpen, ...shown }: DialogProps) {
  return isOpen ? <OpenDialog {...shown} /> : null;
}

function OpenDialog({ onClose, title, children, testId, className = '' }: Omit<DialogProps, 'isOpen'>) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // Of two dialogs, one of which asks something for the other, the upper one.
  useCloseOnBack(() => [...document.querySelectorAll('dialog')].at(-1) === dialog.current && onClose());
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
      className={`${styles.dialog} ${className}`}
      aria-labelledby={titleId}
      data-testid={testId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // Of a second Escape or gesture, some browsers do not ask.
      onClose={onClose}
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

/**
 * While the component is mounted, the browser's Back closes it instead of leaving the view. The history stays as it is, so a
 * reload, Forward and links are not affected. Browsers without the Navigation API leave the view.
 */
function useCloseOnBack(onClose: () => unknown): void {
  const latest = useRef(onClose);
  useEffect(() => {
    latest.current = onClose;
  });
  useEffect(() => {
    const { navigation }: { navigation?: Navigation } = window;
    const onNavigate = (event: NavigateEvent) => {
      const { navigationType, destination, cancelable } = event;
      const isBack = destination.index < (navigation?.currentEntry?.index ?? 0);
      if (navigationType !== 'traverse' || !isBack || !cancelable) return;
      event.preventDefault();
      latest.current();
    };
    navigation?.addEventListener('navigate', onNavigate);
    return () => navigation?.removeEventListener('navigate', onNavigate);
  }, []);
}
