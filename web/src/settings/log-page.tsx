import { BellIcon } from '@primer/octicons-react';
import type { PushLogEntry } from 'doorman-client';
import { BusyButton } from '../shell/busy-button.tsx';
import { EmptyState } from '../shell/empty-state.tsx';
import { useMinute, useTimes } from '../shell/time-text.tsx';
import { usePage } from '../state/hooks.ts';
import { useWords } from '../words/words.tsx';
import { LoadedRows } from './loading.tsx';
import styles from './log.module.css';
import { byDay } from './log-days.ts';
import { LogRow } from './log-row.tsx';
import { SettingsPage } from './section.tsx';
import settings from './settings.module.css';
import { useLoaded, useReloadOnReturn } from './use-loaded.ts';

/** What became of each notification, and why there was none. */
export function LogPage() {
  const words = useWords().settings;
  const { api } = usePage().doorman;
  const loaded = useLoaded(api.pushLog);
  useReloadOnReturn(loaded.reload);
  return (
    <SettingsPage
      title={words.log}
      actions={
        <BusyButton
          size="xs"
          variant="default"
          label={words.refresh}
          isPending={loaded.isLoading && loaded.value !== undefined}
          onClick={loaded.reload}
          testId="refresh"
        />
      }
    >
      <p className={settings.says}>{words.logExplains}</p>
      <LoadedRows loaded={loaded}>
        {(entries) =>
          entries.length === 0 ? (
            <EmptyState icon={<BellIcon size={24} />} title={words.logEmpty}>
              {words.logEmptySays}
            </EmptyState>
          ) : (
            <Days entries={entries} />
          )
        }
      </LoadedRows>
    </SettingsPage>
  );
}

function Days({ entries }: { entries: readonly PushLogEntry[] }) {
  const times = useTimes();
  const now = useMinute();
  return byDay(entries).map((day) => {
    const at = day[0]?.at ?? 0;
    const title = times.day(at, now);
    return (
      <section key={title} className={styles.day} aria-label={title}>
        <h2 className={settings.heading}>{title}</h2>
        <ul className={settings.rows}>
          {day.map((entry) => (
            <LogRow key={entry.id} entry={entry} />
          ))}
        </ul>
      </section>
    );
  });
}
