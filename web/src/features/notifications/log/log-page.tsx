import { BellIcon } from '@primer/octicons-react';
import type { PushLogEntry } from 'doorman-client';
import { useStores } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { BusyButton } from '../../../ui/controls/busy-button.tsx';
import { EmptyState } from '../../../ui/list/empty-state.tsx';
import { FetchedRows } from '../../../ui/list/loading.tsx';
import { SettingsPage } from '../../../ui/list/section.tsx';
import settings from '../../../ui/list/settings.module.css';
import { useFetched, useReloadOnReturn } from '../../../ui/list/use-fetched.ts';
import { useMinute, useTimes } from '../../../ui/person/time-text.tsx';
import styles from './log.module.css';
import { byDay } from './log-days.ts';
import { LogRow } from './log-row.tsx';

/** The push log: what happened to each notification, and why some were not sent. */
export function LogPage() {
  const texts = useTexts().settings;
  const { api } = useStores().doorman;
  const fetched = useFetched(api.pushLog);
  useReloadOnReturn(fetched.reload);
  return (
    <SettingsPage
      title={texts.log}
      actions={
        <BusyButton
          size="xs"
          variant="default"
          label={texts.refresh}
          isPending={fetched.isLoading && fetched.value !== undefined}
          onClick={fetched.reload}
          testId="refresh"
        />
      }
    >
      <p className={settings.says}>{texts.logExplains}</p>
      <FetchedRows fetched={fetched}>
        {(entries) =>
          entries.length === 0 ? (
            <EmptyState icon={<BellIcon size={24} />} title={texts.logEmpty}>
              {texts.logEmptySays}
            </EmptyState>
          ) : (
            <Days entries={entries} />
          )
        }
      </FetchedRows>
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
