import { BellIcon } from '@primer/octicons-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useTexts } from '../../i18n/texts.tsx';
import { Banner, BannerButton } from '../../ui/controls/banner.tsx';
import { useToast } from '../../ui/controls/toasts.tsx';
import { useOwnAccount } from '../account/model/hooks.ts';
import { useConversations } from '../chat/model/hooks.ts';
import { readDeclined, saveDeclined } from './invitation.ts';
import { isUndecided, useThisDevicePush } from './this-device-push.ts';

/**
 * Invites the user to turn notifications on, once they have a conversation and while they have not decided. Not shown in
 * the settings, which have the same button, nor above an open chat.
 */
export function PushInvitation() {
  const { settings: texts } = useTexts();
  const toast = useToast();
  const { settings } = useOwnAccount();
  const hasChats = useConversations().length > 0;
  const { view, thisDevice } = useThisDevicePush();
  const [path] = useLocation();
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

  const isWorthIt =
    view.state === 'off' && isUndecided() && hasChats && settings?.pushEnabled === true && !isDeclined;
  return (
    <div role="status">
      {isWorthIt && !/^\/(?:settings|chat)\b/.test(path) && (
        <Banner kind="news" icon={<BellIcon size={16} />} testId="push-invitation">
          <span>{texts.invite}</span>
          <BannerButton onClick={() => void accept()}>{texts.inviteYes}</BannerButton>
          <BannerButton onClick={decline}>{texts.inviteNo}</BannerButton>
        </Banner>
      )}
    </div>
  );
}
