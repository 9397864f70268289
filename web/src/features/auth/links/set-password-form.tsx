import { DoormanError } from 'doorman-client';
import { useSession, useStores } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { checkPassword } from '../../../ui/fields/form-fields.ts';
import { NewPasswordField } from '../../../ui/fields/new-password-field.tsx';
import { useValues } from '../../../ui/fields/use-form.ts';
import styles from '../auth-page.module.css';
import { FormEnd } from '../form-end.tsx';
import { useAuthForm } from '../use-auth-form.ts';

interface SetPasswordFormProps {
  token: string;
  /** The link was used, or cannot be. After any other error it can be tried again. */
  onResult: (result: 'set' | 'invalid') => void;
}

export function SetPasswordForm({ token, onResult }: SetPasswordFormProps) {
  const { auth, links: texts, errors: errorTexts } = useTexts();
  const { api } = useStores().doorman;
  const isIn = useSession().state === 'signed_in';
  const fields = useValues({ password: '' });
  const { password } = fields.values;
  const error = checkPassword(password);
  const form = useAuthForm({
    ...fields,
    check: () => ({ password: error && errorTexts[error] }),
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
    <form className={styles.form} {...form.attributes}>
      <p className={styles.says}>{texts.setPasswordSays}</p>
      <NewPasswordField
        {...form.field('password')}
        className={styles.field}
        label={texts.newPassword}
        hint={auth.passwordHint}
        autoFocus
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
