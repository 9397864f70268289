import { ChevronRightIcon } from '@primer/octicons-react';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { useWords } from '../../i18n/texts.tsx';
import { Section, SettingsPage } from '../../ui/list/section.tsx';
import styles from '../../ui/list/settings.module.css';
import { AccountSwitches } from './account-switches.tsx';
import { Devices } from './devices.tsx';
import { HereCard } from './here-card.tsx';
import { usePushHere } from './push-here.ts';

/** Whether this device tells the user of messages, whether any does, what it shows then, and which ones do. */
export function NotificationsPage() {
  const words = useWords().settings;
  const { here } = usePushHere();
  useEffect(() => {
    void here.check();
  }, [here]);
  return (
    <SettingsPage title={words.notifications}>
      <Section title={words.here}>
        <HereCard />
      </Section>
      <AccountSwitches />
      <Section title={words.devices}>
        <Devices />
      </Section>
      <Link href="/settings/log" className={styles.link} data-testid="open-log">
        {words.openLog}
        <ChevronRightIcon size={16} />
      </Link>
    </SettingsPage>
  );
}
