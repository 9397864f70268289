import type { QuietWindow } from 'doorman-client';
import { type FormEvent, useId, useState } from 'react';
import { LOCALES } from '../../../i18n/languages.ts';
import { useLanguage, useTexts } from '../../../i18n/texts.tsx';
import { BusyButton } from '../../../ui/controls/busy-button.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { ErrorText } from '../../../ui/controls/error-text.tsx';
import { TextInput } from '../../../ui/fields/fields.tsx';
import settings from '../../../ui/list/settings.module.css';
import { EVERY_DAY, MOST_WINDOWS, NIGHTS, windowFault } from './quiet-times.ts';
import styles from './quiet-windows.module.css';

interface QuietWindowsProps {
  /** Those that are stored; the user's own begin with them. */
  windows: readonly QuietWindow[];
  isPending: boolean;
  onSave: (windows: QuietWindow[]) => void;
}

/** The user's own quiet hours, each on some days of the week. */
export function QuietWindows({ windows, isPending, onSave }: QuietWindowsProps) {
  const { settings: all } = useTexts();
  const texts = all.quiet;
  const [drafts, setDrafts] = useState(() =>
    (windows.length > 0 ? windows : [NIGHTS]).map((window) => ({ key: crypto.randomUUID(), window })),
  );
  const [isChecked, setIsChecked] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsChecked(true);
    if (!isPending && drafts.every(({ window }) => !windowFault(window)))
      onSave(drafts.map(({ window }) => window));
  };
  return (
    <form className={settings.stack} onSubmit={submit} noValidate data-testid="quiet-windows">
      {drafts.map(({ key, window }, i) => (
        <WindowFields
          key={key}
          n={i + 1}
          window={window}
          isChecked={isChecked}
          onChange={(changed) =>
            setDrafts(drafts.map((draft) => (draft.key === key ? { key, window: changed } : draft)))
          }
          onRemove={
            drafts.length > 1 ? () => setDrafts(drafts.filter((draft) => draft.key !== key)) : undefined
          }
        />
      ))}
      <div className={settings.buttons}>
        <BusyButton
          type="submit"
          label={texts.save}
          pending={texts.saving}
          isPending={isPending}
          testId="save-quiet"
        />
        {drafts.length < MOST_WINDOWS && (
          <Button
            variant="default"
            onClick={() => setDrafts([...drafts, { key: crypto.randomUUID(), window: NIGHTS }])}
            data-testid="add-quiet"
          >
            {texts.add}
          </Button>
        )}
      </div>
    </form>
  );
}

interface WindowFieldsProps {
  n: number;
  window: QuietWindow;
  /** The user has tried to save: what is wrong is shown. */
  isChecked: boolean;
  onChange: (window: QuietWindow) => void;
  /** Absent for the only one. */
  onRemove: (() => void) | undefined;
}

function WindowFields({ n, window, isChecked, onChange, onRemove }: WindowFieldsProps) {
  const texts = useTexts().settings.quiet;
  const fault = isChecked ? windowFault(window) : undefined;
  const id = useId();
  return (
    <fieldset className={styles.window} aria-describedby={id} data-testid={`quiet-window-${n}`}>
      <legend className={styles.legend}>{texts.window(n)}</legend>
      <Days days={window.days} onChange={(days) => onChange({ ...window, days })} />
      <div className={styles.times}>
        {(['from', 'to'] as const).map((end) => (
          <TextInput
            key={end}
            type="time"
            size="md"
            label={texts[end]}
            value={window[end]}
            required
            withAsterisk={false}
            onChange={(event) => onChange({ ...window, [end]: event.currentTarget.value })}
            data-testid={`quiet-${end}-${n}`}
          />
        ))}
        {onRemove && (
          <Button
            variant="subtle"
            onClick={onRemove}
            aria-label={texts.removeOf(n)}
            data-testid={`remove-quiet-${n}`}
          >
            {texts.remove}
          </Button>
        )}
      </div>
      <div id={id}>
        {window.to !== '' && window.to < window.from && <p className={settings.says}>{texts.nextDay}</p>}
        <ErrorText error={fault && texts[fault]} sentence={String} />
      </div>
    </fieldset>
  );
}

function Days({ days, onChange }: { days: readonly number[]; onChange: (days: number[]) => void }) {
  const locale = LOCALES[useLanguage().language];
  const nameOf = (day: number, weekday: 'short' | 'long') =>
    // The first day of that month was a Monday.
    new Intl.DateTimeFormat(locale, { weekday, timeZone: 'UTC' }).format(Date.UTC(2024, 0, day));
  return (
    <div className={styles.days}>
      {EVERY_DAY.map((day) => (
        <label key={day} className={styles.day}>
          <input
            type="checkbox"
            className={styles.box}
            checked={days.includes(day)}
            aria-label={nameOf(day, 'long')}
            onChange={(event) =>
              onChange(
                EVERY_DAY.filter((one) => (one === day ? event.currentTarget.checked : days.includes(one))),
              )
            }
          />
          <span className={styles.face} aria-hidden="true">
            {nameOf(day, 'short')}
          </span>
        </label>
      ))}
    </div>
  );
}
