import { useTexts } from '../../../i18n/texts.tsx';
import { ConfirmDialog } from '../../../ui/controls/confirm-dialog.tsx';
import { useToast } from '../../../ui/controls/toasts.tsx';
import { useContacts, usePerson } from '../model/hooks.ts';
import { isolate, useNameInText } from './name-in-text.tsx';
import styles from './person-dialogs.module.css';

interface PersonDialogProps {
  userId: string;
  isOpen: boolean;
  onClose: () => void;
}

/** Asks before a user is blocked, and says what that does. */
export function BlockDialog({ userId, ...dialog }: PersonDialogProps) {
  const texts = useTexts().people;
  const { blocks } = useContacts();
  const toast = useToast();
  const name = isolate(useNameInText(usePerson(userId)));
  return (
    <ConfirmDialog
      {...dialog}
      title={texts.blockAsk(name)}
      confirm={texts.block}
      isDangerous
      onConfirm={async () => {
        await blocks.block(userId);
        toast.say(texts.blockedDone(name));
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
export function UnblockDialog({ userId, ...dialog }: PersonDialogProps) {
  const texts = useTexts().people;
  const { blocks } = useContacts();
  const toast = useToast();
  const name = isolate(useNameInText(usePerson(userId)));
  return (
    <ConfirmDialog
      {...dialog}
      title={texts.unblockAsk(name)}
      confirm={texts.unblock}
      onConfirm={async () => {
        await blocks.unblock(userId);
        toast.say(texts.unblockedDone(name));
      }}
    >
      {texts.unblockSays}
    </ConfirmDialog>
  );
}

/** Asks before a friendship ends. */
export function RemoveFriendDialog({ userId, ...dialog }: PersonDialogProps) {
  const texts = useTexts().people;
  const { friends } = useContacts();
  const toast = useToast();
  const name = isolate(useNameInText(usePerson(userId)));
  return (
    <ConfirmDialog
      {...dialog}
      title={texts.removeAsk(name)}
      confirm={texts.remove}
      isDangerous
      onConfirm={async () => {
        await friends.act('remove', userId);
        toast.say(texts.removed(name));
      }}
    >
      {texts.removeSays}
    </ConfirmDialog>
  );
}
