import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useStores } from '../../data/hooks.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { BusyButton } from '../../ui/controls/busy-button.tsx';
import { ErrorText } from '../../ui/controls/error-text.tsx';
import { PasswordField } from '../../ui/controls/password-field.tsx';
import styles from './auth-page.module.css';
import { useEntry } from './use-auth-form.ts';

/** @param onTry called at each try that is sent */
export function SignInForm({ onTry }: { onTry: () => void }) {
  const texts = useTexts().entrance;
  const { session } = useStores();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const entry = useEntry({
    // Whether there is such a name the service knows; an older one may be shorter than new ones have to be.
    check: () => ({
      ...(username === '' && { username: texts.usernameMissing }),
      ...(password === '' && { password: texts.passwordMissing }),
    }),
    enter: () => {
      onTry();
      return session.signIn({ username, password });
    },
  });
  return (
    <form className={styles.form} onSubmit={entry.submit} noValidate aria-busy={entry.isPending}>
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
          entry.forget('username');
        }}
        error={entry.errors.fields.username}
      />
      <PasswordField
        name="password"
        label={texts.password}
        autoComplete="current-password"
        value={password}
        onChange={(typed) => {
          setPassword(typed);
          entry.forget('password');
        }}
        error={entry.errors.fields.password}
      />
      <div className={styles.enter}>
        <ErrorText error={entry.errors.other} sentence={entry.sentence} />
        <BusyButton
          type="submit"
          size="md"
          fullWidth
          label={texts.signIn}
          pending={texts.signingIn}
          isPending={entry.isPending}
          testId="enter"
        />
      </div>
    </form>
  );
}
