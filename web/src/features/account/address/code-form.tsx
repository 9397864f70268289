import { useStores } from '../../../data/hooks.ts';
import { pageLanguage } from '../../../i18n/languages.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { BusyButton } from '../../../ui/controls/busy-button.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { ErrorText, useErrorSentence } from '../../../ui/controls/error-text.tsx';
import { useToast } from '../../../ui/controls/toasts.tsx';
import { useSubmit } from '../../../ui/controls/use-submit.ts';
import { TextInput } from '../../../ui/fields/fields.tsx';
import { INPUT_ORDER } from '../../../ui/fields/form-fields.ts';
import { useForm, useValues } from '../../../ui/fields/use-form.ts';
import styles from '../../../ui/list/settings.module.css';
import { useConfirmation } from '../confirm/confirmation.tsx';

interface CodeFormProps {
  /** Where the code goes. */
  email: string;
  /** The address that stays until then; '' for none. */
  kept: string;
  onVerified: () => void;
  onOther: () => void;
}

/** Confirms an address by the code that it got. */
export function CodeForm({ email, kept, onVerified, onOther }: CodeFormProps) {
  const texts = useTexts().settings;
  const { api } = useStores().doorman;
  const toast = useToast();
  const { confirmed, dialog } = useConfirmation();
  const again = useSubmit();
  const fields = useValues({ code: '' });
  const code = digitsOf(fields.values.code);
  const form = useForm({
    ...fields,
    check: () => ({ code: /^\d{8}$/.test(code) ? undefined : texts.codeLength }),
    send: async () => {
      await api.verifyEmail({ code });
      toast.say(texts.addressConfirmed);
      onVerified();
    },
    fieldOf: (word) => (word === 'code_invalid' ? 'code' : undefined),
    sentence: useErrorSentence(),
  });
  const sendAgain = async () => {
    form.clearErrors();
    if (await confirmed(() => api.setEmail({ email, lang: pageLanguage() }))) toast.say(texts.codeSentAgain);
  };
  const { onChange, ...field } = form.field('code');
  return (
    <>
      <form className={styles.stack} {...form.attributes}>
        <p className={styles.says} data-testid="code-says">
          {texts.codeSays(email)}
          {kept !== '' && ` ${texts.addressKept(kept)}`}
        </p>
        <TextInput
          {...field}
          className={styles.field}
          size="md"
          label={texts.code}
          inputWrapperOrder={INPUT_ORDER}
          inputMode="numeric"
          autoComplete="one-time-code"
          autoCorrect="off"
          spellCheck={false}
          required
          withAsterisk={false}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
        <ErrorText error={form.error ?? again.error} />
        <div className={styles.buttons}>
          <BusyButton
            type="submit"
            label={texts.confirmCode}
            pending={texts.confirmingCode}
            isPending={form.isPending}
            testId="confirm-code"
          />
          <BusyButton
            variant="default"
            label={texts.codeAgain}
            pending={texts.sendingCode}
            isPending={again.isPending}
            onClick={() => void again.submit(sendAgain)}
            testId="code-again"
          />
          <Button variant="default" onClick={onOther} data-testid="other-email">
            {texts.otherAddress}
          </Button>
        </div>
      </form>
      {dialog}
    </>
  );
}

/** The code as it is typed or copied: in groups, or in the digits of a Chinese keyboard. */
function digitsOf(typed: string): string {
  return typed.normalize('NFKC').replace(/[\s-]/g, '');
}
