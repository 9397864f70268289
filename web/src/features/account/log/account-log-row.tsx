import {
  AlertIcon,
  BlockedIcon,
  CheckIcon,
  DownloadIcon,
  type Icon,
  KeyIcon,
  MailIcon,
  PersonAddIcon,
} from '@primer/octicons-react';
import type { AccountLogEntry } from 'doorman-client';
import { useEffect, useRef } from 'react';
import { useTexts } from '../../../i18n/texts.tsx';
import styles from '../../../ui/list/settings.module.css';
import { DeviceIcon } from '../../../ui/person/device-icon.tsx';
import { useDeviceLabel } from '../../../ui/person/device-label.ts';
import { NetworkAddress } from '../../../ui/person/network-address.tsx';
import { TimeText, useTimes } from '../../../ui/person/time-text.tsx';
import { actSentence } from './act-sentence.ts';

/** For all others, the device. */
const ICONS: Partial<Record<string, Icon>> = {
  signed_up: PersonAddIcon,
  sign_in_failed: AlertIcon,
  password_changed: KeyIcon,
  password_reset: KeyIcon,
  link_made: KeyIcon,
  email_verified: MailIcon,
  email_changed: MailIcon,
  email_removed: MailIcon,
  mail: MailIcon,
  blocked: BlockedIcon,
  unblocked: CheckIcon,
  suspended: BlockedIcon,
  restored: CheckIcon,
  deletion_asked: AlertIcon,
  deletion_undone: CheckIcon,
  export_made: DownloadIcon,
};

interface AccountLogRowProps {
  entry: AccountLogEntry;
  /** It takes the focus once it is true: for the first of the entries that the user has asked for. */
  isFirstNew: boolean;
}

/** What happened, when, and by which client. */
export function AccountLogRow({ entry, isFirstNew }: AccountLogRowProps) {
  const texts = useTexts().settings;
  const device = useDeviceLabel();
  const times = useTimes();
  const own = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isFirstNew) own.current?.focus();
  }, [isFirstNew]);
  const ActIcon = ICONS[entry.what];
  const { detail } = entry;
  return (
    <li ref={own} className={styles.row} tabIndex={-1} data-testid={`act-${entry.id}`} data-what={entry.what}>
      {ActIcon ? <ActIcon className={styles.device} /> : <DeviceIcon device={entry.device} />}
      <div className={styles.rowText}>
        <div className={styles.rowTitle}>
          {actSentence(entry, { texts: texts.acts, device, time: times.stamp })}
        </div>
        {detail.reason && <div className={styles.below}>{detail.reason}</div>}
        <div className={styles.below}>
          <TimeText at={entry.at} as="clock" />
          {detail.by === 'operator' && ` · ${texts.byOperator}`}
          {entry.device !== '' && ` · ${device(entry.device)}`}
          {entry.address !== '' && (
            <>
              {' · '}
              <NetworkAddress address={entry.address} />
            </>
          )}
        </div>
      </div>
    </li>
  );
}
