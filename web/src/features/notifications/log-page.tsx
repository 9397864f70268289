import { BellIcon, SyncIcon } from '@primer/octicons-react';
import { useTexts } from '../../i18n/texts.tsx';
import { IconButton } from '../../ui/controls/button.tsx';
import { VisuallyHidden } from '../../ui/controls/visually-hidden.tsx';
import { EmptyState } from '../../ui/list/empty-state.tsx';
import { FetchedRows, LoadingRows } from '../../ui/list/loading.tsx';
import { SettingsPage } from '../../ui/list/section.tsx';
import settings from '../../ui/list/settings.module.css';
import { LogDays } from './log/log-days.tsx';
import { useLog } from './log/use-log.ts';
import { useThisDevicePush } from './this-device-push.ts';
import { TurnOnHere } from './turn-on-here.tsx';

/** The push log: what happened to each notification, and why some were not sent. */
export function LogPage() {
  const { settings: texts, shell } = useTexts();
  const fetched = useLog();
  const isReloading = fetched.isLoading && fetched.value !== undefined;
  const isAsked = useThisDevicePush().view.state !== undefined;
  // The offer above the log comes together with it, or the log would move.
  const isWaiting = !isAsked || (fetched.value === undefined && fetched.error === undefined);
  return (
    <SettingsPage
      title={shell.titles.log}
      actions={
        <>
          <VisuallyHidden role="status">{isReloading ? shell.loading : ''}</VisuallyHidden>
          <IconButton
            variant="subtle"
            aria-label={texts.refresh}
            title={texts.refresh}
            onClick={fetched.reload}
            data-testid="refresh"
          >
            <SyncIcon />
          </IconButton>
        </>
      }
    >
      <p className={settings.says}>{texts.logExplains}</p>
      {isWaiting ? (
        <LoadingRows />
      ) : (
        <>
          <TurnOnHere />
          <FetchedRows fetched={fetched}>
            {(entries) =>
              entries.length === 0 ? (
                <EmptyState icon={<BellIcon />} title={texts.logEmpty}>
                  {texts.logEmptySays}
                </EmptyState>
              ) : (
                <LogDays entries={entries} />
              )
            }
          </FetchedRows>
        </>
      )}
    </SettingsPage>
  );
}
