import type { AccountLeaving, Registration, SessionEnd } from 'doorman-client';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { useNetwork, useRegistration, useStores } from '../../data/hooks.ts';
import { wasVisited } from '../../data/visited.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Waiting } from '../../ui/list/waiting.tsx';
import { useTimes } from '../../ui/person/time-text.tsx';
import { AuthFrame } from './auth-frame.tsx';
import styles from './auth-page.module.css';
import { KeepAccount } from './keep-account.tsx';
import { RegistrationClosed } from './registration-closed.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { SignUpForm } from './sign-up-form.tsx';

interface AuthPageProps {
  /** Why the previous session ended; absent where there was none. */
  end: SessionEnd | undefined;
}

/** The page of a user who is not signed in: the form to sign in or to create an account. */
export function AuthPage({ end }: AuthPageProps) {
  const { auth: texts, shell } = useTexts();
  const [path] = useLocation();
  const isSignUp = path === '/sign-up';
  const [isKnown] = useState(() => end !== undefined || wasVisited());
  const signInTitle = isKnown ? texts.signInTitle : shell.signIn;
  const registration = useFreshRegistration();
  const [leaving, setLeaving] = useState<AccountLeaving>();
  const signUpTitle = registration === 'closed' ? texts.closedTitle : texts.signUpTitle;
  if (leaving && !isSignUp)
    return (
      <AuthFrame title={texts.keepTitle}>
        <KeepAccount leaving={leaving} onBack={() => setLeaving(undefined)} />
      </AuthFrame>
    );
  return (
    <AuthFrame title={isSignUp ? signUpTitle : signInTitle}>
      {!isSignUp && <Notice end={end} />}
      {isSignUp ? <SignUp /> : <SignInForm onLeaving={setLeaving} />}
      {(isSignUp || registration !== 'closed') && (
        <Button
          href={isSignUp ? '/sign-in' : '/sign-up'}
          variant="default"
          size="md"
          fullWidth
          data-testid="other-way"
        >
          {isSignUp ? shell.signIn : texts.signUp}
        </Button>
      )}
    </AuthFrame>
  );
}

/** Why the user signs in: with the password that they have just set, or since a session ended, as by the deletion of the account. */
function Notice({ end }: AuthPageProps) {
  const { auth: texts } = useTexts();
  const times = useTimes();
  const state = useHistoryState<{ isPasswordSet?: boolean; deletedUntil?: number } | null>();
  if (state?.isPasswordSet)
    return (
      <p className={styles.end} role="status" data-testid="password-set">
        {texts.passwordSet}
      </p>
    );
  const { deletedUntil } = state ?? {};
  if (deletedUntil !== undefined)
    return (
      <p className={styles.end} role="status" data-testid="account-deleted">
        {deletedUntil === 0 ? texts.deleted : texts.deletionAsked(times.stamp(deletedUntil))}
      </p>
    );
  if (end === undefined || texts.ends[end] === '') return null;
  return (
    <p className={styles.end} role="status" data-testid={`end-${end}`}>
      {texts.ends[end]}
    </p>
  );
}

function SignUp() {
  const registration = useRegistration();
  if (registration === undefined)
    return (
      <div className={styles.unknown}>
        <Waiting />
      </div>
    );
  return registration === 'closed' ? (
    <RegistrationClosed />
  ) : (
    <SignUpForm needsInvite={registration === 'invite'} />
  );
}

/** Who may create an account. The service is asked again when the user comes back to the page, or the network does. */
function useFreshRegistration(): Registration | undefined {
  const { registration } = useStores();
  const hasNetwork = useNetwork();
  useEffect(() => {
    const ask = () => {
      if (hasNetwork && document.visibilityState === 'visible') void registration.ask();
    };
    ask();
    document.addEventListener('visibilitychange', ask);
    return () => document.removeEventListener('visibilitychange', ask);
  }, [registration, hasNetwork]);
  return useRegistration();
}
