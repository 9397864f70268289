import { ChevronRightIcon } from '@primer/octicons-react';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { useTexts } from '../../i18n/texts.tsx';
import { FetchedRows, LoadingRows } from '../../ui/list/loading.tsx';
import { Section, SettingsPage } from '../../ui/list/section.tsx';
import styles from '../../ui/list/settings.module.css';
import { useOwnAccount } from '../account/model/hooks.ts';
import { Devices } from './devices.tsx';
import { NotificationSwitches } from './notification-switches.tsx';
import { QuietHours } from './quiet/quiet-hours.tsx';
import { useQuiet } from './quiet/use-quiet.ts';
import { ThisDevice } from './this-device.tsx';
import { useThisDevicePush } from './this-device-push.ts';

/** The settings about notifications: of this device, of all devices, and the list of devices. */
export function NotificationsPage() {
  const { settings: texts, shell } = useTexts();
  const { view, thisDevice } = useThisDevicePush();
  const { settings } = useOwnAccount();
  const quiet = useQuiet();
  // All parts come together, or the first one would move the others.
  const isWaiting =
    settings === undefined ||
    view.state === undefined ||
    (!quiet.fetched.value && quiet.fetched.error === undefined);
  useEffect(() => {
    void thisDevice.check();
  }, [thisDevice]);
  return (
    <SettingsPage title={shell.titles.notifications}>
      {isWaiting ? (
        <LoadingRows />
      ) : (
        <>
          <Section title={texts.here}>
            <ThisDevice />
          </Section>
          <NotificationSwitches settings={settings} />
          <FetchedRows fetched={quiet.fetched}>
            {(value) => <QuietHours quiet={value} onChange={quiet.change} />}
          </FetchedRows>
          <Link href="/settings/log" className={styles.link} data-testid="open-log">
            {texts.openLog}
            <ChevronRightIcon />
          </Link>
          <Section title={texts.devices}>
            <Devices />
          </Section>
        </>
      )}
    </SettingsPage>
  );
}
