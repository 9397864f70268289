import { ChevronRightIcon } from '@primer/octicons-react';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { useTexts } from '../../i18n/texts.tsx';
import { Section, SettingsPage } from '../../ui/list/section.tsx';
import styles from '../../ui/list/settings.module.css';
import { Devices } from './devices.tsx';
import { AccountSwitches } from './notification-switches.tsx';
import { HereCard } from './this-device.tsx';
import { usePushHere } from './this-device-push.ts';

/** Whether this device tells the user of messages, whether any does, what it shows then, and which ones do. */
export function NotificationsPage() {
  const texts = useTexts().settings;
  const { here } = usePushHere();
  useEffect(() => {
    void here.check();
  }, [here]);
  return (
    <SettingsPage title={texts.notifications}>
      <Section title={texts.here}>
        <HereCard />
      </Section>
      <AccountSwitches />
      <Section title={texts.devices}>
        <Devices />
      </Section>
      <Link href="/settings/log" className={styles.link} data-testid="open-log">
        {texts.openLog}
        <ChevronRightIcon size={16} />
      </Link>
    </SettingsPage>
  );
}
