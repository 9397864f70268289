import { useTexts } from '../../../i18n/texts.tsx';
import { ConfirmDialog } from '../../../ui/controls/confirm-dialog.tsx';
import { useToast } from '../../../ui/controls/toasts.tsx';
import { useContacts } from '../model/hooks.ts';
import styles from './block-dialogs.module.css';

interface BlockDialogProps {
  userId: string;
  isOpen: boolean;
  onClose: () => void;
}

/** Asks before a user is blocked, and says what that does. */
export function BlockDialog({ userId, isOpen, onClose }: BlockDialogProps) {
  const texts = useTexts().people;
  const { blocks } = useContacts();
  const toast = useToast();
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={texts.blockAsk}
      confirm={texts.block}
      isDangerous
      onConfirm={async () => {
        await blocks.block(userId);
        toast.say(texts.blockedDone);
      }}
    >
      <ul className={styles.effects}>
        {texts.blockSays.map((effect) => (
          <li key={effect}>{effect}</li>
        ))}
      </ul>
    </ConfirmDialog>
  );
}

/** Asks before a user is unblocked. */
export function UnblockDialog({ userId, isOpen, onClose }: BlockDialogProps) {
  const texts = useTexts().people;
  const { blocks } = useContacts();
  const toast = useToast();
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={texts.unblockAsk}
      confirm={texts.unblock}
      onConfirm={async () => {
        await blocks.unblock(userId);
        toast.say(texts.unblockedDone);
      }}
    >
      {texts.unblockSays}
    </ConfirmDialog>
  );
}
