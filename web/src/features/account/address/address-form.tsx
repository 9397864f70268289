import { useStores } from '../../../data/hooks.ts';
import { pageLanguage } from '../../../i18n/languages.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { BusyButton } from '../../../ui/controls/busy-button.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { ErrorText, useErrorSentence } from '../../../ui/controls/error-text.tsx';
import { TextInput } from '../../../ui/fields/fields.tsx';
import { INPUT_ORDER } from '../../../ui/fields/form-fields.ts';
import { useForm, useValues } from '../../../ui/fields/use-form.ts';
import styles from '../../../ui/list/settings.module.css';
import { useConfirmation } from '../confirm/confirmation.tsx';

interface AddressFormProps {
  onSent: () => void;
  /** Absent where there is nothing to return to. */
  onCancel: (() => void) | undefined;
}

/** Mails a code to the address that the user wants. */
export function AddressForm({ onSent, onCancel }: AddressFormProps) {
  const { settings: texts, shell } = useTexts();
  const { api } = useStores().doorman;
  const { confirmed, dialog } = useConfirmation();
  const fields = useValues({ email: '' });
  const email = fields.values.email.trim();
  const form = useForm({
    ...fields,
    // What an address may be, the service decides.
    check: () => ({ email: /.@./.test(email) ? undefined : texts.errors.email_invalid }),
    send: async () => {
      if (await confirmed(() => api.setEmail({ email, lang: pageLanguage() }))) onSent();
    },
    fieldOf: (word) => (word === 'email_invalid' || word === 'email_taken' ? 'email' : undefined),
    sentence: useErrorSentence(),
  });
  const { onChange, ...field } = form.field('email');
  return (
    <>
      <form className={styles.stack} {...form.attributes}>
        <TextInput
          {...field}
          className={styles.field}
          size="md"
          type="email"
          label={texts.recoveryEmail}
          inputWrapperOrder={INPUT_ORDER}
          autoComplete="email"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          required
          withAsterisk={false}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
        <ErrorText error={form.error} />
        <div className={styles.buttons}>
          <BusyButton
            type="submit"
            label={texts.sendCode}
            pending={texts.sendingCode}
            isPending={form.isPending}
            testId="send-code"
          />
          {onCancel && (
            <Button variant="default" onClick={onCancel} data-testid="keep-email">
              {shell.cancel}
            </Button>
          )}
        </div>
      </form>
      {dialog}
    </>
  );
}
