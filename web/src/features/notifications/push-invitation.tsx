import { BellIcon, XIcon } from '@primer/octicons-react';
import { useState } from 'react';
import { useConnection, useNetwork } from '../../data/hooks.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { useToast } from '../../ui/controls/toasts.tsx';
import { useOwnAccount } from '../account/model/hooks.ts';
import { useConversations } from '../chat/model/hooks.ts';
import { hasReceived, readDeclined, saveDeclined } from './invitation.ts';
import styles from './push-invitation.module.css';
import { isUndecided, useThisDevicePush } from './this-device-push.ts';

/**
 * Invites the user to turn notifications on, after another user has written to them, while they have not decided and are
 * connected. Its place is after the rows of the list of conversations, where it moves none when it comes.
 */
export function PushInvitation() {
  const { settings: texts } = useTexts();
  const toast = useToast();
  const { settings } = useOwnAccount();
  const conversations = useConversations();
  const isConnected = useConnection().state === 'live';
  const hasNetwork = useNetwork();
  const { view, thisDevice } = useThisDevicePush();
  const [isDeclined, setDeclined] = useState(readDeclined);

  const decline = () => {
    saveDeclined();
    setDeclined(true);
  };
  const accept = async () => {
    const { state, error } = await thisDevice.enable();
    if (error !== undefined) toast.fail(error);
    else if (state === 'on') toast.say(texts.inviteDone);
    else decline();
  };

  const isPossible = view.state === 'off' && isUndecided() && settings?.pushEnabled === true && !isDeclined;
  const isInvited = isPossible && isConnected && hasNetwork && hasReceived(conversations);
  return (
    <div className={styles.place} role="status">
      {isInvited && (
        <div className={styles.card} data-testid="push-invitation">
          <BellIcon />
          <p>{texts.invite}</p>
          <Button size="xs" className={styles.accept} onClick={() => void accept()}>
            {texts.inviteYes}
          </Button>
          <IconButton variant="subtle" aria-label={texts.inviteNo} title={texts.inviteNo} onClick={decline}>
            <XIcon />
          </IconButton>
        </div>
      )}
    </div>
  );
}
