import { useWords } from '../../../i18n/texts.tsx';
import { ConfirmDialog } from '../../../ui/controls/confirm-dialog.tsx';
import { useToast } from '../../../ui/controls/toasts.tsx';
import { useContacts } from '../model/hooks.ts';
import styles from './block-dialogs.module.css';

interface BlockDialogProps {
  userId: string;
  isOpen: boolean;
  onClose: () => void;
}

/** Asks before somebody is blocked, and says what that does. */
export function BlockDialog({ userId, isOpen, onClose }: BlockDialogProps) {
  const words = useWords().people;
  const { blocks } = useContacts();
  const toast = useToast();
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={words.blockAsk}
      confirm={words.block}
      isDangerous
      onConfirm={async () => {
        await blocks.block(userId);
        toast.say(words.blockedDone);
      }}
    >
      <ul className={styles.effects}>
        {words.blockSays.map((effect) => (
          <li key={effect}>{effect}</li>
        ))}
      </ul>
    </ConfirmDialog>
  );
}

export function UnblockDialog({ userId, isOpen, onClose }: BlockDialogProps) {
  const words = useWords().people;
  const { blocks } = useContacts();
  const toast = useToast();
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={words.unblockAsk}
      confirm={words.unblock}
      onConfirm={async () => {
        await blocks.unblock(userId);
        toast.say(words.unblockedDone);
      }}
    >
      {words.unblockSays}
    </ConfirmDialog>
  );
}
