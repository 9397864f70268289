import { useState } from 'react';
import { useSession, useStores } from '../../data/hooks.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { BusyButton } from '../../ui/controls/busy-button.tsx';
import { ErrorText, useErrorSentence } from '../../ui/controls/error-text.tsx';
import { checkPassword } from '../../ui/controls/form-fields.ts';
import { NewPasswordField } from '../../ui/controls/new-password-field.tsx';
import { PasswordField } from '../../ui/controls/password-field.tsx';
import { useToast } from '../../ui/controls/toasts.tsx';
import { useForm } from '../../ui/controls/use-form.ts';
import styles from '../../ui/list/settings.module.css';

type Field = 'oldPassword' | 'newPassword';

const FIELDS: readonly Field[] = ['oldPassword', 'newPassword'];

/** Changes the password. */
export function PasswordForm() {
  const { settings: texts, errors: errorTexts } = useTexts();
  const { api } = useStores().doorman;
  const session = useSession();
  const toast = useToast();
  const [oldPassword, setOld] = useState('');
  const [newPassword, setNew] = useState('');
  const error = checkPassword(newPassword);
  const newPasswordError = error && errorTexts[error];
  const form = useForm<Field>({
    fields: FIELDS,
    check: () => ({
      oldPassword: oldPassword === '' ? texts.oldPasswordMissing : undefined,
      newPassword: newPasswordError,
    }),
    send: async () => {
      await api.changePassword({ oldPassword, newPassword });
      setOld('');
      setNew('');
      toast.say(texts.passwordChanged);
    },
    fieldOf,
    sentence: useErrorSentence(),
  });
  return (
    <form className={styles.stack} onSubmit={form.submit} noValidate aria-busy={form.isPending}>
      {/* Password managers read the username to which the password belongs. */}
      <input
        type="text"
        name="username"
        autoComplete="username"
        value={session.state === 'signed_in' ? session.session.username : ''}
        readOnly
        hidden
      />
      <PasswordField
        className={styles.field}
        name="oldPassword"
        label={texts.oldPassword}
        autoComplete="current-password"
        value={oldPassword}
        onChange={(typed) => {
          setOld(typed);
          form.clearError('oldPassword');
        }}
        error={form.errors.fields.oldPassword}
      />
      <NewPasswordField
        className={styles.fieldOfTwoLines}
        name="newPassword"
        label={texts.newPassword}
        hint={texts.newPasswordHint}
        value={newPassword}
        onChange={(typed) => {
          setNew(typed);
          form.clearError('newPassword');
        }}
        onBlur={() => newPassword !== '' && form.setError('newPassword', newPasswordError)}
        error={form.errors.fields.newPassword}
      />
      <ErrorText error={form.errors.other} />
      <div>
        <BusyButton
          type="submit"
          label={texts.changePassword}
          pending={texts.changingPassword}
          isPending={form.isPending}
          testId="change-password"
        />
      </div>
    </form>
  );
}

function fieldOf(word: string): Field | undefined {
  if (word === 'wrong_old_password') return 'oldPassword';
  return word.startsWith('password_') ? 'newPassword' : undefined;
}
