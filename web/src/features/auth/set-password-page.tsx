import { useEffect, useRef, useState } from 'react';
import { Redirect } from 'wouter';
import { useSession } from '../../data/hooks.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { ErrorText } from '../../ui/controls/error-text.tsx';
import { AuthFrame } from './auth-frame.tsx';
import styles from './auth-page.module.css';
import { SetPasswordForm } from './set-password-form.tsx';

/** `missing`: the address has no token, as after a reload. */
type State = 'form' | 'set' | 'invalid' | 'missing';

/**
 * Opened by a link of the operator, `/set-password#TOKEN`: sets a new password, whether or not a user is signed in in this
 * browser, and leads to the sign-in. The token leaves the address at once, so that no history has it.
 */
export function SetPasswordPage() {
  const { auth: texts, shell } = useTexts();
  const isIn = useSession().state === 'signed_in';
  const [token, setToken] = useState(readToken);
  const [state, setState] = useState<State>(token === '' ? 'missing' : 'form');
  useEffect(() => {
    const takeToken = () => {
      const found = readToken();
      if (found === '') return;
      setToken(found);
      setState('form');
      history.replaceState(history.state, '', location.pathname);
    };
    takeToken();
    // Another link is opened in this tab.
    addEventListener('hashchange', takeToken);
    return () => removeEventListener('hashchange', takeToken);
  }, []);

  // A user who set their own password is signed out a moment later; another one stays signed in.
  if (state === 'set' && !isIn) return <Redirect to="/sign-in" state={{ isPasswordSet: true }} replace />;
  return (
    <AuthFrame title={texts.setPasswordTitle}>
      {state === 'form' ? (
        <SetPasswordForm key={token} token={token} onResult={setState} />
      ) : (
        <Result state={state} />
      )}
      <Button
        href={isIn ? '/' : '/sign-in'}
        variant={state === 'form' ? 'default' : 'filled'}
        size="md"
        fullWidth
        data-testid="other-way"
      >
        {isIn ? shell.toChats : texts.signIn}
      </Button>
    </AuthFrame>
  );
}

/** In place of the form, whose focus it takes. */
function Result({ state }: { state: Exclude<State, 'form'> }) {
  const { auth: texts, errors } = useTexts();
  const own = useRef<HTMLDivElement>(null);
  useEffect(() => own.current?.focus(), []);
  return (
    <div ref={own} className={styles.result} tabIndex={-1} data-testid={`link-${state}`}>
      {state === 'set' ? (
        <p role="status">{texts.passwordSet}</p>
      ) : (
        <ErrorText
          error={state}
          sentence={() => (state === 'invalid' ? errors.link_invalid : texts.linkMissing)}
        />
      )}
    </div>
  );
}

/** '' if the address has none. */
function readToken(): string {
  return location.hash.slice(1);
}
