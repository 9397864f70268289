import { useState } from 'react';
import { useRegistration, useStores } from '../../data/hooks.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { PasswordField } from '../../ui/controls/password-field.tsx';
import styles from './auth-page.module.css';
import { FormEnd } from './form-end.tsx';
import { NameField } from './name-field.tsx';
import { useAuthForm } from './use-auth-form.ts';

export function SignInForm() {
  const texts = useTexts().auth;
  const { session } = useStores();
  const maySignUp = useRegistration() !== 'closed';
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const form = useAuthForm({
    // Only the service knows which names exist; an old one may be shorter than new ones must be.
    check: () => ({
      ...(username === '' && { username: texts.usernameMissing }),
      ...(password === '' && { password: texts.passwordMissing }),
    }),
    send: () => session.signIn({ username: username.trim(), password }),
  });
  return (
    <form className={styles.form} onSubmit={form.submit} noValidate aria-busy={form.isPending}>
      <NameField
        name="username"
        label={texts.username}
        value={username}
        onChange={(typed) => {
          setUsername(typed);
          form.clearError('username');
        }}
        error={form.errors.fields.username}
      />
      <PasswordField
        className={styles.field}
        name="password"
        label={texts.password}
        autoComplete="current-password"
        value={password}
        onChange={(typed) => {
          setPassword(typed);
          form.clearError('password');
        }}
        error={form.errors.fields.password}
      />
      <FormEnd
        form={form}
        label={texts.signIn}
        pending={texts.signingIn}
        or={maySignUp ? texts.newHere : undefined}
      />
    </form>
  );
}
