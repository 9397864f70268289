import type { Quiet, QuietBody } from 'doorman-client';
import { useState } from 'react';
import { useTexts } from '../../../i18n/texts.tsx';
import { BusyButton } from '../../../ui/controls/busy-button.tsx';
import { Choice } from '../../../ui/controls/choice.tsx';
import { ErrorText } from '../../../ui/controls/error-text.tsx';
import { useSubmit } from '../../../ui/controls/use-submit.ts';
import { Section } from '../../../ui/list/section.tsx';
import styles from '../../../ui/list/settings.module.css';
import { useMinute, useTimes } from '../../../ui/person/time-text.tsx';
import { kindOf, NIGHTS, ownTimeZone, type QuietKind, tomorrowMorning } from './quiet-times.ts';
import { QuietWindows } from './quiet-windows.tsx';

interface QuietHoursProps {
  quiet: Quiet;
  onChange: (body: QuietBody) => Promise<void>;
}

/** When nothing rings: once from now on, and in the hours of every week. Presets act at once; the user's own times have a Save. */
export function QuietHours({ quiet, onChange }: QuietHoursProps) {
  const texts = useTexts().settings.quiet;
  const times = useTimes();
  const now = useMinute();
  const { submit, isPending, error } = useSubmit();
  /** What the service has not answered yet. */
  const [ahead, setAhead] = useState<Quiet>();
  const [isEditing, setIsEditing] = useState(false);
  const { until, time_zone: zone, windows } = ahead ?? quiet;

  const save = (change: Partial<QuietBody>) =>
    submit(async () => {
      const timeZone = quiet.windows.length === 0 ? ownTimeZone() : quiet.time_zone;
      const body = { timeZone, windows: quiet.windows, ...change };
      setAhead({ until: body.until ?? quiet.until, time_zone: body.timeZone, windows: body.windows });
      try {
        await onChange(body);
        if (change.windows) setIsEditing(false);
      } finally {
        setAhead(undefined);
      }
    });
  const choose = (kind: QuietKind) => {
    setIsEditing(kind === 'own');
    if (kind !== 'own') void save({ timeZone: ownTimeZone(), windows: kind === 'nights' ? [NIGHTS] : [] });
  };
  const kind = isEditing ? 'own' : kindOf(windows);
  const isQuietOnce = until > now;
  const options = (['off', 'nights', 'own'] as const).map((value) => ({ value, label: texts.kinds[value] }));
  return (
    <Section title={texts.title} says={texts.says}>
      <div className={styles.rows}>
        <div className={styles.row} data-testid="quiet-once">
          <div className={styles.rowText}>
            <div className={styles.rowTitle}>
              {isQuietOnce ? texts.until(`${times.day(until, now)}, ${times.clock(until)}`) : texts.once}
            </div>
            <div className={styles.below}>{texts.onceSays}</div>
          </div>
          <BusyButton
            variant="default"
            label={isQuietOnce ? texts.endNow : texts.tomorrow}
            isPending={isPending}
            onClick={() => void save({ until: isQuietOnce ? 0 : tomorrowMorning(Date.now()) })}
            testId="quiet-now"
          />
        </div>
      </div>
      <Choice label={texts.weekly} value={kind} options={options} onChange={choose} testId="quiet-weekly" />
      {kind === 'nights' && <p className={styles.says}>{texts.nightsSays}</p>}
      {kind === 'own' && (
        <QuietWindows windows={windows} isPending={isPending} onSave={(own) => void save({ windows: own })} />
      )}
      {windows.length > 0 && zone !== ownTimeZone() && (
        <div className={styles.failure}>
          <p className={styles.says}>{texts.otherZone(zone)}</p>
          <BusyButton
            variant="default"
            label={texts.useZone(ownTimeZone())}
            isPending={isPending}
            onClick={() => void save({ timeZone: ownTimeZone() })}
            testId="quiet-zone"
          />
        </div>
      )}
      <ErrorText error={error} />
    </Section>
  );
}
