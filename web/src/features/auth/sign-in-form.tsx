import { AccountLeaving, DoormanError } from 'doorman-client';
import { Link } from 'wouter';
import { useReadable, useRegistration, useStores } from '../../data/hooks.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { PasswordField } from '../../ui/fields/password-field.tsx';
import { useValues } from '../../ui/fields/use-form.ts';
import styles from './auth-page.module.css';
import { FormEnd } from './form-end.tsx';
import { NameField } from './name-field.tsx';
import { useAuthForm } from './use-auth-form.ts';

interface SignInFormProps {
  /** Username and password are right, and the user asked for the deletion of the account. */
  onLeaving: (leaving: AccountLeaving) => void;
}

export function SignInForm({ onLeaving }: SignInFormProps) {
  const { auth: texts, shell } = useTexts();
  const { session, registration } = useStores();
  const hasMail = useReadable(registration.mail);
  const maySignUp = useRegistration() !== 'closed';
  const fields = useValues({ username: '', password: '' });
  const { username, password } = fields.values;
  const form = useAuthForm({
    ...fields,
    // Only the service knows which names exist; an old one may be shorter than new ones must be.
    check: () => ({
      ...(username === '' && { username: texts.usernameMissing }),
      ...(password === '' && { password: texts.passwordMissing }),
    }),
    send: async () => {
      try {
        await session.signIn({ username: username.trim(), password });
      } catch (refusal) {
        if (refusal instanceof AccountLeaving) return onLeaving(refusal);
        throw isUnknownAddress(refusal, username)
          ? new DoormanError(refusal.code, 'unknown_address', refusal.msg)
          : refusal;
      }
    },
  });
  return (
    <form className={styles.form} {...form.attributes}>
      <NameField {...form.field('username')} label={hasMail ? texts.usernameOrEmail : texts.username} />
      <div className={styles.password}>
        <PasswordField
          {...form.field('password')}
          className={styles.field}
          label={texts.password}
          autoComplete="current-password"
        />
        {hasMail && (
          <Link
            href="/forgot-password"
            state={{ account: username.trim() }}
            className={styles.forgot}
            data-testid="forgot"
          >
            {texts.forgot}
          </Link>
        )}
      </div>
      <FormEnd
        form={form}
        label={shell.signIn}
        pending={texts.signingIn}
        or={maySignUp ? texts.newHere : undefined}
      />
    </form>
  );
}

/** For an address that is no username, the service does not say whether the password is wrong, or no account has it. */
function isUnknownAddress(refusal: unknown, name: string): refusal is DoormanError {
  return refusal instanceof DoormanError && refusal.error === 'unknown_user' && name.includes('@');
}
