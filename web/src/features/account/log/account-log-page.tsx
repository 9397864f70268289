import { PersonIcon } from '@primer/octicons-react';
import type { AccountLogEntry } from 'doorman-client';
import { useState } from 'react';
import { useTexts } from '../../../i18n/texts.tsx';
import { BusyButton } from '../../../ui/controls/busy-button.tsx';
import { ErrorText } from '../../../ui/controls/error-text.tsx';
import { byDay } from '../../../ui/list/by-day.ts';
import { EmptyState } from '../../../ui/list/empty-state.tsx';
import { FetchedRows } from '../../../ui/list/loading.tsx';
import { Section, SettingsPage } from '../../../ui/list/section.tsx';
import styles from '../../../ui/list/settings.module.css';
import { useMinute, useTimes } from '../../../ui/person/time-text.tsx';
import { AccountLogRow } from './account-log-row.tsx';
import { useAccountLog } from './use-account-log.ts';

/** What happened to the account, from which device and network address. */
export function AccountLogPage() {
  const { settings: texts, shell } = useTexts();
  const { fetched, more } = useAccountLog();
  const { value, error, isLoading } = fetched;
  /** The last entry that was shown when the user asked for more. */
  const [lastBefore, setLastBefore] = useState<string>();
  const showMore = () => {
    setLastBefore(value?.items.at(-1)?.id);
    more();
  };
  return (
    <SettingsPage title={shell.titles['account-log']}>
      <p className={styles.says}>{texts.accountLogExplains}</p>
      {/* An error of a later page stands where it was asked for. */}
      <FetchedRows fetched={value ? { ...fetched, error: undefined } : fetched}>
        {({ items, next }) => (
          <>
            {items.length === 0 && (
              <EmptyState icon={<PersonIcon />} title={texts.accountLogEmpty}>
                {texts.accountLogEmptySays}
              </EmptyState>
            )}
            <Days entries={items} lastBefore={lastBefore} />
            {next !== undefined && (
              <div className={styles.failure}>
                <ErrorText error={error} />
                <BusyButton
                  variant="default"
                  label={texts.accountLogMore}
                  isPending={isLoading}
                  onClick={showMore}
                  testId="more-log"
                />
              </div>
            )}
          </>
        )}
      </FetchedRows>
    </SettingsPage>
  );
}

interface DaysProps {
  entries: readonly AccountLogEntry[];
  lastBefore: string | undefined;
}

function Days({ entries, lastBefore }: DaysProps) {
  const times = useTimes();
  const now = useMinute();
  const firstNew =
    lastBefore === undefined ? undefined : entries[entries.findIndex(({ id }) => id === lastBefore) + 1]?.id;
  return byDay(entries).map((day) => {
    const title = times.day(day[0]?.at ?? 0, now);
    return (
      <Section key={day[0]?.id} title={title}>
        <ul className={styles.rows}>
          {day.map((entry) => (
            <AccountLogRow key={entry.id} entry={entry} isFirstNew={entry.id === firstNew} />
          ))}
        </ul>
      </Section>
    );
  });
}
