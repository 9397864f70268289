import { useState } from 'react';
import { useStores } from '../../data/hooks.ts';
import { useTexts } from '../../i18n/texts.tsx';
import {
  checkNickname,
  checkPassword,
  checkUsername,
  type FieldError,
} from '../../ui/controls/form-fields.ts';
import { PasswordField } from '../../ui/controls/password-field.tsx';
import styles from './auth-page.module.css';
import { FormEnd } from './form-end.tsx';
import { NameField } from './name-field.tsx';
import { useAuthForm } from './use-auth-form.ts';

/** Creates an account; the nickname is optional and hidden at first. */
export function SignUpForm() {
  const { auth: texts, errors: errorTexts } = useTexts();
  const { session } = useStores();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [nickname, setNickname] = useState('');
  const [hasNickname, setHasNickname] = useState(false);
  const toText = (error: FieldError | undefined) => (error === undefined ? undefined : errorTexts[error]);
  const form = useAuthForm({
    check: () => ({
      username: toText(checkUsername(username.trim())),
      password: toText(checkPassword(password)),
      nickname: toText(checkNickname(nickname)),
    }),
    send: () =>
      session.signUp({
        username: username.trim(),
        password,
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
      <PasswordField
        className={styles.field}
        name="password"
        label={texts.password}
        hint={texts.passwordHint}
        autoComplete="new-password"
        value={password}
        onChange={(typed) => {
          setPassword(typed);
          form.clearError('password');
        }}
        onBlur={() => password !== '' && form.setError('password', toText(checkPassword(password)))}
        error={fields.password}
      />
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
      <FormEnd form={form} kind="signUp" />
    </form>
  );
}
