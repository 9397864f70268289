import { ChevronRightIcon } from '@primer/octicons-react';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { useTexts } from '../../i18n/texts.tsx';
import { Section, SettingsPage } from '../../ui/list/section.tsx';
import styles from '../../ui/list/settings.module.css';
import { Devices } from './devices.tsx';
import { NotificationSwitches } from './notification-switches.tsx';
import { ThisDevice } from './this-device.tsx';
import { useThisDevicePush } from './this-device-push.ts';

/** The settings about notifications: of this device, of all devices, and the list of devices. */
export function NotificationsPage() {
  const texts = useTexts().settings;
  const { thisDevice } = useThisDevicePush();
  useEffect(() => {
    void thisDevice.check();
  }, [thisDevice]);
  return (
    <SettingsPage title={texts.notifications}>
      <Section title={texts.here}>
        <ThisDevice />
      </Section>
      <NotificationSwitches />
      <Section title={texts.devices}>
        <Devices />
      </Section>
      <Link href="/settings/log" className={styles.link} data-testid="open-log">
        {texts.openLog}
        <ChevronRightIcon />
      </Link>
    </SettingsPage>
  );
}
