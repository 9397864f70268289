import { useEffect, useEffectEvent, useState } from 'react';
import { useStores } from '../../data/hooks.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { checkNickname, checkPassword, checkUsername } from '../../ui/fields/form-fields.ts';
import { NewPasswordField } from '../../ui/fields/new-password-field.tsx';
import { useValues } from '../../ui/fields/use-form.ts';
import styles from './auth-page.module.css';
import { FormEnd } from './form-end.tsx';
import { linkedInvite } from './linked-invite.ts';
import { NameField } from './name-field.tsx';
import { useAuthForm } from './use-auth-form.ts';

/** Creates an account; the nickname is optional and hidden at first, and an invite may be needed. */
export function SignUpForm({ needsInvite }: { needsInvite: boolean }) {
  const { auth: texts, errors: errorTexts } = useTexts();
  const { session } = useStores();
  const fields = useValues({ username: '', password: '', invite: linkedInvite(), nickname: '' });
  const { username, password, invite, nickname } = fields.values;
  const [hasNickname, setHasNickname] = useState(false);
  const errors = { ...errorTexts, ...texts.errors };
  const wrong = {
    username: checkUsername(username.trim()),
    password: checkPassword(password),
    nickname: checkNickname(nickname),
  };
  const form = useAuthForm({
    ...fields,
    check: () => ({
      username: wrong.username && errors[wrong.username],
      password: wrong.password && errors[wrong.password],
      ...(needsInvite && invite.trim() === '' && { invite: texts.inviteMissing }),
      nickname: wrong.nickname && errors[wrong.nickname],
    }),
    send: () =>
      session.signUp({
        username: username.trim(),
        password,
        ...(needsInvite && { invite }),
        ...(nickname.trim() !== '' && { nickname: nickname.trim() }),
      }),
  });
  const { change } = form;
  const follow = useEffectEvent(() => change({ invite: linkedInvite() }));
  useEffect(() => {
    // A link with another code is opened in this tab.
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return (
    <form className={styles.form} {...form.attributes}>
      <NameField {...form.field('username')} label={texts.username} hint={texts.usernameHint} />
      <NewPasswordField
        {...form.field('password')}
        className={styles.field}
        label={texts.password}
        hint={texts.passwordHint}
      />
      {needsInvite && <NameField {...form.field('invite')} label={texts.invite} hint={texts.inviteHint} />}
      {hasNickname ? (
        <NameField {...form.field('nickname')} label={texts.nickname} hint={texts.nicknameHint} />
      ) : (
        <button
          type="button"
          className={styles.fold}
          onClick={() => setHasNickname(true)}
          data-testid="add-nickname"
        >
          {texts.addNickname}
        </button>
      )}
      <FormEnd form={form} label={texts.signUp} pending={texts.signingUp} or={texts.haveAccount} />
    </form>
  );
}
