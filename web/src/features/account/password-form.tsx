import { useSession, useStores } from '../../data/hooks.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { BusyButton } from '../../ui/controls/busy-button.tsx';
import { ErrorText, useErrorSentence } from '../../ui/controls/error-text.tsx';
import { useToast } from '../../ui/controls/toasts.tsx';
import { checkPassword } from '../../ui/fields/form-fields.ts';
import { NewPasswordField } from '../../ui/fields/new-password-field.tsx';
import { PasswordField } from '../../ui/fields/password-field.tsx';
import { useForm, useValues } from '../../ui/fields/use-form.ts';
import styles from '../../ui/list/settings.module.css';

export function PasswordForm() {
  const { settings: texts, errors: errorTexts } = useTexts();
  const { api } = useStores().doorman;
  const session = useSession();
  const toast = useToast();
  const fields = useValues({ oldPassword: '', newPassword: '' });
  const { oldPassword, newPassword } = fields.values;
  const error = checkPassword(newPassword);
  const form = useForm({
    ...fields,
    check: () => ({
      oldPassword: oldPassword === '' ? texts.oldPasswordMissing : undefined,
      newPassword: error && errorTexts[error],
    }),
    send: async () => {
      await api.changePassword({ oldPassword, newPassword });
      fields.onChange({ oldPassword: '', newPassword: '' });
      toast.say(texts.passwordChanged);
    },
    fieldOf,
    sentence: useErrorSentence(),
  });
  return (
    <form className={styles.stack} {...form.attributes}>
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
        {...form.field('oldPassword')}
        className={styles.field}
        label={texts.oldPassword}
        autoComplete="current-password"
      />
      <NewPasswordField
        {...form.field('newPassword')}
        className={`${styles.field} ${styles.twoLines}`}
        label={texts.newPassword}
        hint={texts.newPasswordHint}
      />
      <ErrorText error={form.error} />
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

function fieldOf(word: string): string | undefined {
  if (word === 'wrong_old_password') return 'oldPassword';
  return word.startsWith('password_') ? 'newPassword' : undefined;
}
