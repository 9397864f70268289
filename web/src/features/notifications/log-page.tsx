import { BellIcon } from '@primer/octicons-react';
import { useTexts } from '../../i18n/texts.tsx';
import { BusyButton } from '../../ui/controls/busy-button.tsx';
import { EmptyState } from '../../ui/list/empty-state.tsx';
import { FetchedRows } from '../../ui/list/loading.tsx';
import { SettingsPage } from '../../ui/list/section.tsx';
import settings from '../../ui/list/settings.module.css';
import { LogDays } from './log/log-days.tsx';
import { useLog } from './log/use-log.ts';
import { TurnOnHere } from './turn-on-here.tsx';

/** The push log: what happened to each notification, and why some were not sent. */
export function LogPage() {
  const texts = useTexts().settings;
  const fetched = useLog();
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
      <TurnOnHere />
      <FetchedRows fetched={fetched}>
        {(entries) =>
          entries.length === 0 ? (
            <EmptyState icon={<BellIcon size={24} />} title={texts.logEmpty}>
              {texts.logEmptySays}
            </EmptyState>
          ) : (
            <LogDays entries={entries} />
          )
        }
      </FetchedRows>
    </SettingsPage>
  );
}
