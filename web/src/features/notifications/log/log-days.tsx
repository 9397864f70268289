import type { PushLogEntry } from 'doorman-client';
import { useTexts } from '../../../i18n/texts.tsx';
import { daysBetween } from '../../../i18n/times.ts';
import { byDay } from '../../../ui/list/by-day.ts';
import settings from '../../../ui/list/settings.module.css';
import { useDeviceLabel } from '../../../ui/person/device-label.ts';
import { useMinute, useTimes } from '../../../ui/person/time-text.tsx';
import { foldEntries } from './fold-entries.ts';
import { HeldRows } from './held-rows.tsx';
import styles from './log.module.css';
import { LogRow } from './log-row.tsx';
import { logSentence } from './log-sentence.ts';

/** The entries of the push log by day, the latest first; neighbours that say the same are one row. */
export function LogDays({ entries }: { entries: readonly PushLogEntry[] }) {
  const texts = useTexts().settings;
  const device = useDeviceLabel();
  const times = useTimes();
  const now = useMinute();
  const say = (entry: PushLogEntry) => {
    const time = (at: number) => (daysBetween(at, entry.at) === 0 ? times.clock(at) : times.full(at));
    return logSentence(entry, { texts, device, time }, now);
  };
  return (
    <HeldRows>
      {byDay(entries).map((day) => {
        const title = times.day(day[0]?.at ?? 0, now);
        return (
          <section key={title} className={styles.day} aria-label={title}>
            <h2 className={settings.heading}>{title}</h2>
            <ul className={settings.rows}>
              {foldEntries(day, say).map((fold) => (
                <LogRow key={fold.key} fold={fold} />
              ))}
            </ul>
          </section>
        );
      })}
    </HeldRows>
  );
}
