import { useEffect, useState } from 'react';
import { useHistoryState } from 'wouter/use-browser-location';
import { useReadable, useStores } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import styles from '../auth-page.module.css';
import { ForgotForm } from './forgot-form.tsx';
import { LinkFrame } from './link-frame.tsx';
import { LinkResult } from './link-result.tsx';

/**
 * Mails a link for a new password to the verified address of an account. It says the same whatever the user types, as the service does. A
 * user who is signed in comes by the mail about a changed password.
 */
export function ForgotPage() {
  const texts = useTexts().links;
  const { registration } = useStores();
  const typed = useHistoryState<{ account?: string } | null>()?.account ?? '';
  const [account, setAccount] = useState(typed);
  const [isSent, setSent] = useState(false);
  const hasMail = useReadable(registration.mail);
  useEffect(() => void registration.ask(), [registration]);
  return (
    <LinkFrame title={texts.forgotTitle} isOver={isSent || hasMail === false}>
      {hasMail === false ? (
        <p className={styles.closed} role="status" data-testid="no-mail">
          {texts.noMail}
        </p>
      ) : isSent ? (
        <LinkResult state="done" says={texts.linkSent}>
          <p className={styles.next}>{texts.linkSentNext}</p>
          <button
            type="button"
            className={styles.fold}
            onClick={() => setSent(false)}
            data-testid="forgot-again"
          >
            {texts.linkAgain}
          </button>
        </LinkResult>
      ) : (
        <ForgotForm account={account} onType={setAccount} onSent={() => setSent(true)} />
      )}
    </LinkFrame>
  );
}
