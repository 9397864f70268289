import { DoormanError } from 'doorman-client';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useStores } from '../../../data/hooks.ts';
import { useLanguage, useTexts } from '../../../i18n/texts.tsx';
import { BusyButton } from '../../../ui/controls/busy-button.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import dialog from '../../../ui/controls/dialog.module.css';
import { Dialog } from '../../../ui/controls/dialog.tsx';
import { ErrorText, useErrorSentence } from '../../../ui/controls/error-text.tsx';
import { useSubmit } from '../../../ui/controls/use-submit.ts';
import { Textarea } from '../../../ui/fields/fields.tsx';
import { useFetched } from '../../../ui/list/use-fetched.ts';
import { isolate, nameInText } from '../model/display-name.ts';
import { useIsBlocked, usePerson } from '../model/hooks.ts';
import { report as en } from './report.en.ts';
import { report as zh } from './report.zh.ts';
import styles from './report-dialog.module.css';

type Reason = keyof typeof en.reasons;

const MAX_TEXT = 1000;
/** How many of the peer's last messages are offered. */
const OFFERED = 5;
const LOOKED_THROUGH = 50;

/** A stored message of the peer. */
export interface ReportableMessage {
  readonly n: number;
  readonly body: string;
  readonly picture?: object | undefined;
}

interface ReportDialogProps {
  /** Id of the user to be reported. */
  peer: string;
  /** Chosen at first; the last ones of the peer are offered beside them. */
  messages?: readonly ReportableMessage[];
  onClose: () => void;
}

const NONE: readonly ReportableMessage[] = [];

/** Asks what is wrong with a user, sends the report, and says so. */
export function ReportDialog({ peer, messages = NONE, onClose }: ReportDialogProps) {
  const texts = useReportTexts();
  const { close, gone } = useTexts().shell;
  const person = usePerson(peer);
  const name = isolate(person.state === 'gone' ? gone : nameInText(person.name));
  const [sent, setSent] = useState<{ isBlocked: boolean }>();
  return (
    <Dialog isOpen onClose={onClose} title={sent ? texts.sent : texts.title(name)} testId="report-dialog">
      {sent ? (
        <>
          <p className={dialog.text} role="status">
            {texts.sentSays} {sent.isBlocked && texts.blocked(name)}
          </p>
          <div className={dialog.buttons}>
            <Button onClick={onClose} autoFocus data-testid="report-close">
              {close}
            </Button>
          </div>
        </>
      ) : (
        <ReportForm peer={peer} name={name} chosen={messages} onClose={onClose} onSent={setSent} />
      )}
    </Dialog>
  );
}

interface ReportFormProps {
  peer: string;
  /** The name of the peer, for sentences. */
  name: string;
  chosen: readonly ReportableMessage[];
  onClose: () => void;
  onSent: (sent: { isBlocked: boolean }) => void;
}

function ReportForm({ peer, name, chosen, onClose, onSent }: ReportFormProps) {
  const texts = useReportTexts();
  const { chat, shell } = useTexts();
  const { doorman } = useStores();
  const isBlocked = useIsBlocked(peer);
  const [reason, setReason] = useState<Reason>('spam');
  const [text, setText] = useState('');
  const [numbers, setNumbers] = useState<readonly number[]>(chosen.map(({ n }) => n));
  const [isBlocking, setBlocking] = useState(false);
  const { isPending, error, submit } = useSubmit();
  const sentence = useErrorSentence();
  const offered = useOffered(peer, chosen);

  const send = (event: FormEvent) => {
    event.preventDefault();
    void submit(async () => {
      const block = isBlocking && !isBlocked;
      const body = { userId: peer, reason, text: text.trim(), messages: [...numbers] };
      await doorman.api.report(block ? { ...body, block } : body);
      onSent({ isBlocked: block });
    });
  };
  return (
    <form className={styles.form} onSubmit={send}>
      <p className={dialog.text}>{texts.says}</p>
      <fieldset>
        <legend className={styles.legend}>{texts.reason}</legend>
        {Object.entries(texts.reasons).map(([value, label]) => (
          <label key={value} className={styles.option}>
            <input
              type="radio"
              name="reason"
              className={styles.mark}
              value={value}
              checked={value === reason}
              onChange={() => setReason(value as Reason)} // a key of the texts
            />
            {label}
          </label>
        ))}
      </fieldset>
      {offered.length > 0 && (
        <fieldset data-testid="report-messages">
          <legend className={styles.legend}>{texts.messages}</legend>
          {offered.map(({ n, body, picture }) => (
            <Check
              key={n}
              isChecked={numbers.includes(n)}
              onChange={(isChecked) =>
                setNumbers(isChecked ? [...numbers, n] : numbers.filter((one) => one !== n))
              }
            >
              <span className={styles.message} dir="auto">
                {picture ? chat.picture(body) : body}
              </span>
            </Check>
          ))}
        </fieldset>
      )}
      <Textarea
        label={texts.text}
        autosize={false}
        rows={3}
        maxLength={MAX_TEXT}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        data-testid="report-text"
      />
      {!isBlocked && (
        <Check isChecked={isBlocking} onChange={setBlocking} testId="report-block">
          {texts.block(name)}
        </Check>
      )}
      <ErrorText
        error={error}
        sentence={(one) =>
          one instanceof DoormanError && one.error === 'too_many_reports' ? texts.tooMany : sentence(one)
        }
      />
      <div className={dialog.buttons}>
        <Button variant="default" onClick={onClose} data-testid="report-cancel">
          {shell.cancel}
        </Button>
        <BusyButton type="submit" label={texts.send} isPending={isPending} testId="report-send" />
      </div>
    </form>
  );
}

interface CheckProps {
  isChecked: boolean;
  onChange: (isChecked: boolean) => void;
  children: ReactNode;
  testId?: string;
}

function Check({ isChecked, onChange, children, testId }: CheckProps) {
  return (
    <label className={styles.option}>
      <input
        type="checkbox"
        className={styles.mark}
        checked={isChecked}
        onChange={(event) => onChange(event.currentTarget.checked)}
        data-testid={testId}
      />
      {children}
    </label>
  );
}

/** The chosen messages with the last ones of the peer, oldest first; without a connection the chosen ones alone. */
function useOffered(peer: string, chosen: readonly ReportableMessage[]): readonly ReportableMessage[] {
  const { doorman } = useStores();
  const { value } = useFetched(() => doorman.api.history({ peer, limit: LOOKED_THROUGH }));
  const last = (value?.items ?? [])
    .filter(({ from, unsentAt }) => from === peer && unsentAt === undefined)
    .slice(-OFFERED);
  const all = new Map([...chosen, ...last].map((message) => [message.n, message]));
  return [...all.values()].sort((a, b) => a.n - b.n);
}

function useReportTexts(): typeof en {
  return { en, zh }[useLanguage().language];
}
