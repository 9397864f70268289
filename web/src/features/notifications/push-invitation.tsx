import { BellIcon } from '@primer/octicons-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useTexts } from '../../i18n/texts.tsx';
import { Banner, BannerButton } from '../../ui/controls/banner.tsx';
import { useToast } from '../../ui/controls/toasts.tsx';
import { useOwnAccount } from '../account/model/hooks.ts';
import { useConversations } from '../chat/model/hooks.ts';
import { keepTurnedDown, readTurnedDown } from './invitation.ts';
import { isUndecided, usePushHere } from './this-device-push.ts';

/**
 * Invites to turn notifications on, once there is somebody who might write, and the user has not decided yet; neither
 * among the settings, which show it anyway, nor above a chat, where it is in the way.
 */
export function PushInvitation() {
  const { settings: texts } = useTexts();
  const toast = useToast();
  const { settings } = useOwnAccount();
  const hasChats = useConversations().length > 0;
  const { view, here } = usePushHere();
  const [path] = useLocation();
  const [isTurnedDown, setTurnedDown] = useState(readTurnedDown);

  const turnDown = () => {
    keepTurnedDown();
    setTurnedDown(true);
  };
  const accept = async () => {
    const { state, error } = await here.enable();
    if (error !== undefined) toast.fail(error);
    else if (state === 'on') toast.say(texts.inviteDone);
    else turnDown();
  };

  const isWorthIt =
    view.state === 'off' && isUndecided() && hasChats && settings?.pushEnabled === true && !isTurnedDown;
  return (
    <div role="status">
      {isWorthIt && !/^\/(?:settings|chat)\b/.test(path) && (
        <Banner kind="news" icon={<BellIcon size={16} />} testId="push-invitation">
          <span>{texts.invite}</span>
          <BannerButton onClick={() => void accept()}>{texts.inviteYes}</BannerButton>
          <BannerButton onClick={turnDown}>{texts.inviteNo}</BannerButton>
        </Banner>
      )}
    </div>
  );
}
