import { useEffect, useState } from 'react';
import { useStores } from '../../data/hooks.ts';
import { useTexts } from '../../i18n/texts.tsx';
import {
  checkNickname,
  checkPassword,
  checkUsername,
  type FieldError,
} from '../../ui/controls/form-fields.ts';
import { NewPasswordField } from '../../ui/controls/new-password-field.tsx';
import styles from './auth-page.module.css';
import { FormEnd } from './form-end.tsx';
import { linkedInvite } from './linked-invite.ts';
import { NameField } from './name-field.tsx';
import { useAuthForm } from './use-auth-form.ts';

/** Creates an account; the nickname is optional and hidden at first, and an invite may be needed. */
export function SignUpForm({ needsInvite }: { needsInvite: boolean }) {
  const { auth: texts, errors: errorTexts } = useTexts();
  const { session } = useStores();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [invite, setInvite] = useLinkedInvite();
  const [nickname, setNickname] = useState('');
  const [hasNickname, setHasNickname] = useState(false);
  const toText = (error: FieldError | undefined) => (error === undefined ? undefined : errorTexts[error]);
  const form = useAuthForm({
    check: () => ({
      username: toText(checkUsername(username.trim())),
      password: toText(checkPassword(password)),
      ...(needsInvite && invite.trim() === '' && { invite: texts.inviteMissing }),
      nickname: toText(checkNickname(nickname)),
    }),
    send: () =>
      session.signUp({
        username: username.trim(),
        password,
        ...(needsInvite && { invite }),
        ...(nickname.trim() !== '' && { nickname: nickname.trim() }),
      }),
  });
  const { fields } = form.errors;
  return (
    <form className={styles.form} onSubmit={form.submit} noValidate aria-busy={form.isPending}>
      <NameField
        name="username"
        label={texts.username}
        hint={texts.usernameHint}
        value={username}
        onChange={(typed) => {
          setUsername(typed);
          form.clearError('username');
        }}
        onBlur={() => username !== '' && form.setError('username', toText(checkUsername(username.trim())))}
        error={fields.username}
      />
      <NewPasswordField
        className={styles.field}
        name="password"
        label={texts.password}
        hint={texts.passwordHint}
        value={password}
        onChange={(typed) => {
          setPassword(typed);
          form.clearError('password');
        }}
        onBlur={() => password !== '' && form.setError('password', toText(checkPassword(password)))}
        error={fields.password}
      />
      {needsInvite && (
        <NameField
          name="invite"
          label={texts.invite}
          hint={texts.inviteHint}
          value={invite}
          onChange={(typed) => {
            setInvite(typed);
            form.clearError('invite');
          }}
          error={fields.invite}
        />
      )}
      {hasNickname ? (
        <NameField
          name="nickname"
          label={texts.nickname}
          hint={texts.nicknameHint}
          value={nickname}
          onChange={(typed) => {
            setNickname(typed);
            form.clearError('nickname');
          }}
          onBlur={() => form.setError('nickname', toText(checkNickname(nickname)))}
          error={fields.nickname}
        />
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

/** What the field of the invite holds: at first the code of the link, and that of a link that is opened in the same tab later. */
function useLinkedInvite() {
  const [invite, setInvite] = useState(linkedInvite);
  useEffect(() => {
    const onHashChange = () => setInvite(linkedInvite());
    addEventListener('hashchange', onHashChange);
    return () => removeEventListener('hashchange', onHashChange);
  }, []);
  return [invite, setInvite] as const;
}
