import { type ReactNode, useEffect, useRef } from 'react';
import { useTexts } from '../../i18n/texts.tsx';
import { BusyButton } from './busy-button.tsx';
import { Button } from './button.tsx';
import styles from './dialog.module.css';
import { Dialog } from './dialog.tsx';
import { ErrorText } from './error-text.tsx';
import { useSubmit } from './use-submit.ts';

interface ConfirmDialogProps {
  isOpen: boolean;
  title: string;
  /** What the action does. */
  children: ReactNode;
  /** The label of the button that confirms: `Block`. */
  confirm: string;
  isDangerous?: boolean;
  /**
   * While it is pending the dialog stays open; it shows an error, and closes on success. `onClose` is not called if the user
   * has closed the dialog by then: another one may be open in its place.
   */
  onConfirm: () => Promise<void> | void;
  onClose: () => void;
}

/** Asks before an action that is hard to undo. */
export function ConfirmDialog({ isOpen, onClose, title, ...question }: ConfirmDialogProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title} testId="confirm-dialog">
      <Question onClose={onClose} {...question} />
    </Dialog>
  );
}

function Question({
  children,
  confirm,
  isDangerous = false,
  onConfirm,
  onClose,
}: Omit<ConfirmDialogProps, 'isOpen' | 'title'>) {
  const texts = useTexts().shell;
  const { isPending, error, submit } = useSubmit();
  const isOpen = useRef(false);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  const act = async () => {
    await onConfirm();
    if (isOpen.current) onClose();
  };
  return (
    <>
      <div className={styles.text}>{children}</div>
      <ErrorText error={error} />
      <div className={styles.buttons}>
        <Button variant="default" onClick={onClose} data-testid="confirm-no">
          {texts.cancel}
        </Button>
        <BusyButton
          isDangerous={isDangerous}
          label={confirm}
          isPending={isPending}
          onClick={() => void submit(act)}
          testId="confirm-yes"
        />
      </div>
    </>
  );
}
