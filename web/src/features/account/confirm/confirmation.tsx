import { DoormanError } from 'doorman-client';
import { type ReactNode, useState } from 'react';
import { useSession, useStores } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { BusyButton } from '../../../ui/controls/busy-button.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import dialog from '../../../ui/controls/dialog.module.css';
import { Dialog } from '../../../ui/controls/dialog.tsx';
import { ErrorText, useErrorSentence } from '../../../ui/controls/error-text.tsx';
import { fieldOf } from '../../../ui/fields/form-fields.ts';
import { PasswordField } from '../../../ui/fields/password-field.tsx';
import { useForm, useValues } from '../../../ui/fields/use-form.ts';
import styles from '../../../ui/list/settings.module.css';

interface Confirmation {
  /**
   * Calls the service. If it wants the user to be confirmed first, a dialog asks for the password, and the call is repeated.
   *
   * @returns whether the call was answered; `false` if the user has cancelled, and nothing has changed
   */
  confirmed: (call: () => Promise<unknown>) => Promise<boolean>;
  /** To be rendered beside what calls. */
  dialog: ReactNode;
}

/** For calls that the service refuses with `confirm_required`, unless the user has given their password just now. */
export function useConfirmation(): Confirmation {
  const [ask, setAsk] = useState<{ answer: (isConfirmed: boolean) => void }>();
  const confirmed: Confirmation['confirmed'] = async (call) => {
    for (;;) {
      try {
        await call();
        return true;
      } catch (refusal) {
        if (!(refusal instanceof DoormanError && refusal.error === 'confirm_required')) throw refusal;
      }
      const isConfirmed = await new Promise<boolean>((answer) => setAsk({ answer }));
      setAsk(undefined);
      if (!isConfirmed) return false;
    }
  };
  const texts = useTexts().settings;
  return {
    confirmed,
    dialog: (
      <Dialog
        isOpen={ask !== undefined}
        onClose={() => ask?.answer(false)}
        title={texts.confirmTitle}
        testId="password-dialog"
      >
        <PasswordQuestion onAnswer={(isConfirmed) => ask?.answer(isConfirmed)} />
      </Dialog>
    ),
  };
}

function PasswordQuestion({ onAnswer }: { onAnswer: (isConfirmed: boolean) => void }) {
  const { settings: texts, shell } = useTexts();
  const { api } = useStores().doorman;
  const session = useSession();
  const fields = useValues({ password: '' });
  const { password } = fields.values;
  const form = useForm({
    ...fields,
    check: () => ({ password: password === '' ? texts.passwordMissing : undefined }),
    send: async () => {
      await api.confirm(password);
      onAnswer(true);
    },
    fieldOf,
    sentence: useErrorSentence(),
  });
  return (
    <form className={styles.stack} {...form.attributes}>
      <p className={dialog.text}>{texts.confirmSays}</p>
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
        {...form.field('password')}
        className={styles.field}
        label={texts.password}
        autoComplete="current-password"
      />
      <ErrorText error={form.error} />
      <div className={dialog.buttons}>
        <Button variant="default" onClick={() => onAnswer(false)} data-testid="password-cancel">
          {shell.cancel}
        </Button>
        <BusyButton
          type="submit"
          label={texts.confirmGo}
          pending={texts.confirming}
          isPending={form.isPending}
          testId="password-go"
        />
      </div>
    </form>
  );
}
