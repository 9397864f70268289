import { useState } from 'react';
import { Redirect } from 'wouter';
import { useSession } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { LinkFrame } from './link-frame.tsx';
import { LinkResult } from './link-result.tsx';
import { SetPasswordForm } from './set-password-form.tsx';

/**
 * Opened by a link of the operator or of a mail, `/set-password#TOKEN`: sets a new password, whether or not a user is signed in in this
 * browser, and leads to the sign-in.
 */
export function SetPasswordPage({ token }: { token: string }) {
  const { auth, links: texts } = useTexts();
  const isIn = useSession().state === 'signed_in';
  const [state, setState] = useState<'form' | 'set' | 'invalid'>('form');
  const shown = token === '' ? 'missing' : state;
  // A user who set their own password is signed out a moment later; another one stays signed in.
  if (shown === 'set' && !isIn) return <Redirect to="/sign-in" state={{ isPasswordSet: true }} replace />;
  const says = { set: auth.passwordSet, invalid: auth.errors.link_invalid, missing: texts.missing };
  return (
    <LinkFrame title={texts.setPasswordTitle} isOver={shown !== 'form'}>
      {shown === 'form' ? (
        <SetPasswordForm token={token} onResult={setState} />
      ) : (
        <LinkResult state={shown} says={says[shown]} />
      )}
    </LinkFrame>
  );
}
