import type { SessionEnd } from 'doorman-client';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { useNetwork, useRegistration, useStores } from '../../data/hooks.ts';
import type { Registration } from '../../data/registration.ts';
import { wasVisited } from '../../data/visited.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Waiting } from '../../ui/list/waiting.tsx';
import { BrandMark } from '../../ui/page/brand-mark.tsx';
import { takeFocusOf } from '../../ui/page/route-focus.ts';
import styles from './auth-page.module.css';
import { LanguageLinks } from './language-links.tsx';
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
  const signInTitle = isKnown ? texts.signInTitle : texts.signIn;
  const registration = useFreshRegistration();
  const signUpTitle = registration === 'closed' ? texts.closedTitle : texts.signUpTitle;
  const title = isSignUp ? signUpTitle : signInTitle;
  useEffect(() => {
    document.title = `${title} · ${shell.brand}`;
  }, [title, shell.brand]);
  useEffect(() => {
    takeFocusOf(path); // The first field takes the focus by itself.
  }, [path]);
  return (
    <main className={styles.page}>
      <div className={styles.middle}>
        <div className={styles.brand}>
          <BrandMark size={56} />
          <p className={styles.name}>{shell.brand}</p>
          <p className={styles.tagline}>{texts.tagline}</p>
        </div>
        <div className={styles.card}>
          <h1 className={styles.title}>{title}</h1>
          {end !== undefined && texts.ends[end] !== '' && !isSignUp && (
            <p className={styles.end} role="status" data-testid={`end-${end}`}>
              {texts.ends[end]}
            </p>
          )}
          {isSignUp ? <SignUp /> : <SignInForm />}
          {(isSignUp || registration !== 'closed') && (
            <Button
              href={isSignUp ? '/sign-in' : '/sign-up'}
              variant="default"
              size="md"
              fullWidth
              data-testid="other-way"
            >
              {isSignUp ? texts.signIn : texts.signUp}
            </Button>
          )}
        </div>
        <LanguageLinks />
      </div>
    </main>
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
