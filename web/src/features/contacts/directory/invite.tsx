import { CopyIcon, PersonAddIcon, ShareIcon } from '@primer/octicons-react';
import { useEffect } from 'react';
import { useRegistration, useStores } from '../../../data/hooks.ts';
import { useLanguage, useTexts } from '../../../i18n/texts.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { EmptyState } from '../../../ui/list/empty-state.tsx';
import { useCopyLink } from '../person/use-copy-link.tsx';
import { invite as en } from './invite.en.ts';
import { invite as zh } from './invite.zh.ts';
import { isLoopback } from './loopback.ts';

/** For a user who is alone: the link to share, and what the others need to get in. */
export function Invite() {
  const { brand } = useTexts().shell;
  const { language } = useLanguage();
  const texts = { en, zh }[language];
  const { registration } = useStores();
  const mayRegister = useRegistration() ?? 'open';
  const link = new URL('/', location.origin).href;
  const { copy, dialog } = useCopyLink(link, texts.link);
  useEffect(() => void registration.ask(), [registration]);
  // Absent in Firefox on computers, and outside of https and localhost.
  const canShare = typeof navigator.share === 'function';
  const share = async () => {
    try {
      await navigator.share({ title: brand, url: link });
    } catch (error) {
      // The user has closed the system's sheet, or it is still open.
      const names = ['AbortError', 'InvalidStateError'];
      if (error instanceof DOMException && names.includes(error.name)) return;
      await copy();
    }
  };
  return (
    <>
      <EmptyState
        icon={<PersonAddIcon />}
        title={texts.title}
        action={
          <Button
            leftSection={canShare ? <ShareIcon /> : <CopyIcon />}
            onClick={() => void (canShare ? share() : copy())}
            data-testid="invite"
          >
            {canShare ? texts.share : texts.copy}
          </Button>
        }
      >
        {texts.says[mayRegister]}
        {isLoopback(location.hostname) && (
          <>
            <br />
            {texts.onlyHere}
          </>
        )}
      </EmptyState>
      {dialog}
    </>
  );
}
