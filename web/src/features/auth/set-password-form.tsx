import { DoormanError } from 'doorman-client';
import { useState } from 'react';
import { useSession, useStores } from '../../data/hooks.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { checkPassword } from '../../ui/controls/form-fields.ts';
import { NewPasswordField } from '../../ui/controls/new-password-field.tsx';
import styles from './auth-page.module.css';
import { FormEnd } from './form-end.tsx';
import { useAuthForm } from './use-auth-form.ts';

interface SetPasswordFormProps {
  token: string;
  /** The link was used, or cannot be. After any other error it can be tried again. */
  onResult: (result: 'set' | 'invalid') => void;
}

export function SetPasswordForm({ token, onResult }: SetPasswordFormProps) {
  const { auth: texts, errors: errorTexts } = useTexts();
  const { api } = useStores().doorman;
  const isIn = useSession().state === 'signed_in';
  const [password, setPassword] = useState('');
  const error = checkPassword(password);
  const passwordError = error && errorTexts[error];
  const form = useAuthForm({
    check: () => ({ password: passwordError }),
    send: async () => {
      try {
        await api.usePasswordLink({ token, newPassword: password });
        onResult('set');
      } catch (refusal) {
        if (!(refusal instanceof DoormanError && refusal.error === 'link_invalid')) throw refusal;
        onResult('invalid');
      }
    },
  });
  return (
    <form className={styles.form} onSubmit={form.submit} noValidate aria-busy={form.isPending}>
      <p className={styles.says}>{texts.setPasswordSays}</p>
      <NewPasswordField
        className={styles.field}
        name="password"
        label={texts.newPassword}
        hint={texts.passwordHint}
        autoFocus
        value={password}
        onChange={(typed) => {
          setPassword(typed);
          form.clearError('password');
        }}
        onBlur={() => password !== '' && form.setError('password', passwordError)}
        error={form.errors.fields.password}
      />
      <FormEnd
        form={form}
        label={texts.setPassword}
        pending={texts.settingPassword}
        or={isIn ? texts.alreadyIn : texts.noNeed}
      />
    </form>
  );
}
