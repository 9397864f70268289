import { useLocation } from 'wouter';
import { useSession, useStores } from '../../../data/hooks.ts';
import { splitSentence } from '../../../i18n/split-sentence.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { BusyButton } from '../../../ui/controls/busy-button.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import dialog from '../../../ui/controls/dialog.module.css';
import { ErrorText, useErrorSentence } from '../../../ui/controls/error-text.tsx';
import { TextInput } from '../../../ui/fields/fields.tsx';
import { INPUT_ORDER } from '../../../ui/fields/form-fields.ts';
import { useForm, useValues } from '../../../ui/fields/use-form.ts';
import styles from '../../../ui/list/settings.module.css';
import { useMinute, useTimes } from '../../../ui/person/time-text.tsx';
import type { useConfirmation } from '../confirm/confirmation.tsx';

interface DeleteFormProps extends Pick<ReturnType<typeof useConfirmation>, 'confirmed'> {
  graceSeconds: number;
  onCancel: () => void;
}

/** Says what goes and what stays, and deletes the account of a user who types their username. */
export function DeleteForm({ graceSeconds, confirmed, onCancel }: DeleteFormProps) {
  const { settings, shell } = useTexts();
  const texts = settings.leaving;
  const { doorman } = useStores();
  const session = useSession();
  const username = session.state === 'signed_in' ? session.session.username : '';
  const times = useTimes();
  const now = useMinute();
  const [, go] = useLocation();
  const [beforeName, afterName] = splitSentence(texts.nameStays);
  const waiting = doorman.outgoing().filter(({ state }) => state !== 'stored').length;
  const fields = useValues({ name: '' });
  const form = useForm({
    ...fields,
    check: () => ({ name: isSameName(fields.values.name, username) ? undefined : texts.otherName }),
    send: async () => {
      let deletedUntil = 0;
      const isAsked = await confirmed(async () => {
        const { until } = await doorman.deleteAccount();
        if (graceSeconds > 0) deletedUntil = until;
      });
      // Signed out by now: the sign-in says until when the user can come back.
      if (isAsked) go('/sign-in', { replace: true, state: { deletedUntil } });
    },
    fieldOf: () => undefined,
    sentence: useErrorSentence(),
  });
  const { onChange, ...field } = form.field('name');
  const steps = [
    ...(waiting > 0 ? [texts.loses(waiting)] : []),
    texts.signsOut,
    ...(graceSeconds > 0
      ? [texts.canReturn(times.stamp(now + graceSeconds * 1000)), texts.goesLater]
      : [texts.goesNow]),
    texts.stays,
  ];
  return (
    <form className={styles.stack} {...form.attributes}>
      <ul className={`${dialog.text} ${dialog.effects}`} data-testid="delete-says">
        {steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
        <li>
          {beforeName}
          <bdi>{username}</bdi>
          {afterName}
        </li>
      </ul>
      <TextInput
        {...field}
        className={styles.field}
        size="md"
        label={texts.typeName}
        inputWrapperOrder={INPUT_ORDER}
        autoComplete="off"
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        required
        withAsterisk={false}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <ErrorText error={form.error} />
      <div className={dialog.buttons}>
        <Button variant="default" onClick={onCancel} data-testid="delete-cancel">
          {shell.cancel}
        </Button>
        <BusyButton
          type="submit"
          isDangerous
          label={texts.delete}
          pending={texts.deleting}
          isPending={form.isPending}
          testId="delete-go"
        />
      </div>
    </form>
  );
}

/** Whether a user typed their username, in any case and width: no two names differ in these alone. */
function isSameName(typed: string, username: string): boolean {
  const [one, other] = [typed, username].map((name) => name.normalize('NFKC').toLowerCase().trim());
  return one === other;
}
