import { AlertIcon, BellSlashIcon, CheckIcon, ClockIcon, PaperAirplaneIcon } from '@primer/octicons-react';
import type { PushLogEntry } from 'doorman-client';
import { Link } from 'wouter';
import { useTexts } from '../../../i18n/texts.tsx';
import { daysBetween } from '../../../i18n/times.ts';
import { chatPath } from '../../../paths.ts';
import { useDeviceLabel } from '../../../ui/person/device-label.ts';
import { PersonName } from '../../../ui/person/name.tsx';
import { TimeText, useMinute, useTimes } from '../../../ui/person/time-text.tsx';
import { usePerson } from '../../contacts/model/hooks.ts';
import { type DeliveryStatus, deliveryStatus, technicalDetail } from './delivery-status.ts';
import styles from './log.module.css';
import { logSentence } from './log-sentence.ts';

/** One entry of the push log: the sender of the messages, what happened to the notification, and when. */
export function LogRow({ entry }: { entry: PushLogEntry }) {
  const texts = useTexts().settings;
  const device = useDeviceLabel();
  const times = useTimes();
  const now = useMinute();
  const time = (at: number) => (daysBetween(at, entry.at) === 0 ? times.clock(at) : times.full(at));
  const { is } = deliveryStatus(entry);
  return (
    <li className={styles.entry} data-testid={`log-${entry.id}`} data-status={is}>
      <div className={styles.head}>
        <span className={styles.who}>{entry.peer === null ? texts.aTest : <Peer peer={entry.peer} />}</span>
        <span className={styles.time}>
          <TimeText at={entry.at} as="clock" />
        </span>
      </div>
      <p className={styles.what}>
        <StatusIcon is={is} />
        <span>{logSentence(entry, { texts, device, time }, now)}</span>
      </p>
      <Details entry={entry} />
    </li>
  );
}

function Peer({ peer }: { peer: string }) {
  const person = usePerson(peer);
  return (
    <Link href={chatPath(peer)} className={styles.peer}>
      <PersonName person={person} />
    </Link>
  );
}

function Details({ entry }: { entry: PushLogEntry }) {
  const texts = useTexts().settings;
  const technical = technicalDetail(entry);
  const isHanded = deliveryStatus(entry).is === 'handed';
  if (technical === '' && !isHanded) return null;
  return (
    <details className={styles.details}>
      <summary>{texts.details}</summary>
      {isHanded && <p>{texts.detailsHanded}</p>}
      {technical !== '' && (
        <p>
          <bdi lang="en">{technical}</bdi>
        </p>
      )}
    </details>
  );
}

const ICONS: Record<DeliveryStatus['is'], typeof CheckIcon> = {
  clicked: CheckIcon,
  shown: CheckIcon,
  handed: PaperAirplaneIcon,
  waiting: ClockIcon,
  not_sent: BellSlashIcon,
  seen_on: BellSlashIcon,
  test_failed: AlertIcon,
  unknown: AlertIcon,
};

/** An icon for what the sentence says. */
function StatusIcon({ is }: { is: DeliveryStatus['is'] }) {
  const Icon = ICONS[is];
  return <Icon size={16} className={styles.icon} />;
}
