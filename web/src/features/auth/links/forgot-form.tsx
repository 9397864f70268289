import { DoormanError } from 'doorman-client';
import { useSession, useStores } from '../../../data/hooks.ts';
import { pageLanguage } from '../../../i18n/languages.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { codePoints } from '../../../ui/fields/form-fields.ts';
import styles from '../auth-page.module.css';
import { FormEnd } from '../form-end.tsx';
import { NameField } from '../name-field.tsx';
import { useAuthForm } from '../use-auth-form.ts';

/** As many characters as an e-mail address may have; a username has fewer. */
const MAX_ACCOUNT = 254;

interface ForgotFormProps {
  account: string;
  onType: (account: string) => void;
  onSent: () => void;
}

export function ForgotForm({ account, onType, onSent }: ForgotFormProps) {
  const texts = useTexts().links;
  const { doorman, registration } = useStores();
  const isIn = useSession().state === 'signed_in';
  const wanted = account.trim();
  const form = useAuthForm({
    values: { account },
    onChange: (changed) => onType(changed.account ?? account),
    check: () => ({
      ...(wanted === '' && { account: texts.accountMissing }),
      ...(codePoints(wanted) > MAX_ACCOUNT && { account: texts.accountTooLong }),
    }),
    send: async () => {
      try {
        await doorman.api.forgotPassword({ account: wanted, lang: pageLanguage() });
        onSent();
      } catch (refusal) {
        if (!(refusal instanceof DoormanError && refusal.error === 'mail_off')) throw refusal;
        // Since the page asked, the operator has turned mail off.
        registration.mail.set(false);
      }
    },
  });
  return (
    <form className={styles.form} {...form.attributes}>
      <p className={styles.says}>{texts.forgotSays}</p>
      <NameField {...form.field('account')} label={texts.account} />
      <FormEnd
        form={form}
        label={texts.sendLink}
        pending={texts.sendingLink}
        or={isIn ? texts.alreadyIn : texts.noNeed}
      />
    </form>
  );
}
