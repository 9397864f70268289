import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useStores } from '../../data/hooks.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { BusyButton } from '../../ui/controls/busy-button.tsx';
import { ErrorText } from '../../ui/controls/error-text.tsx';
import { PasswordField } from '../../ui/controls/password-field.tsx';
import styles from './auth-page.module.css';
import { useAuthForm } from './use-auth-form.ts';

/** @param onTry called whenever the form is sent */
export function SignInForm({ onTry }: { onTry: () => void }) {
  const texts = useTexts().auth;
  const { session } = useStores();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const form = useAuthForm({
    // Only the service knows which names exist; an old one may be shorter than new ones must be.
    check: () => ({
      ...(username === '' && { username: texts.usernameMissing }),
      ...(password === '' && { password: texts.passwordMissing }),
    }),
    send: () => {
      onTry();
      return session.signIn({ username, password });
    },
  });
  return (
    <form className={styles.form} onSubmit={form.submit} noValidate aria-busy={form.isPending}>
      <TextInput
        size="md"
        name="username"
        label={texts.username}
        autoComplete="username"
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        autoFocus
        required
        withAsterisk={false}
        value={username}
        onChange={(event) => {
          setUsername(event.currentTarget.value);
          form.clearError('username');
        }}
        error={form.errors.fields.username}
      />
      <PasswordField
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
      <div className={styles.enter}>
        <ErrorText error={form.errors.other} sentence={form.sentence} />
        <BusyButton
          type="submit"
          size="md"
          fullWidth
          label={texts.signIn}
          pending={texts.signingIn}
          isPending={form.isPending}
          testId="enter"
        />
      </div>
    </form>
  );
}
