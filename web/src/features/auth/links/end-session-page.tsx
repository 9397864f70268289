import { useSession, useStores } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import styles from '../auth-page.module.css';
import { LinkAction } from './link-action.tsx';

/** Opened by the link of a mail about a new sign-in, `/end-session#TOKEN`: ends the session that the mail is about. */
export function EndSessionPage({ token }: { token: string }) {
  const texts = useTexts().links;
  const { api } = useStores().doorman;
  return (
    <LinkAction
      token={token}
      title={texts.endTitle}
      says={texts.endSays}
      label={texts.end}
      pending={texts.ending}
      act={async () => {
        await api.endSessionByLink(token);
        return texts.ended;
      }}
      refusals={{ link_invalid: texts.endInvalid }}
      next={<SetNewPassword />}
    />
  );
}

/** The mail went to a verified address, so a forgotten password can be set anew too. */
function SetNewPassword() {
  const texts = useTexts().links;
  const isIn = useSession().state === 'signed_in';
  return (
    <>
      <p className={styles.next}>{texts.endedNext}</p>
      <Button
        href={isIn ? '/settings/security' : '/forgot-password'}
        size="md"
        fullWidth
        data-testid="new-password"
      >
        {texts.endNext}
      </Button>
    </>
  );
}
