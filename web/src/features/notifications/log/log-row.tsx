import { AlertIcon, BellSlashIcon, CheckIcon, ClockIcon, PaperAirplaneIcon } from '@primer/octicons-react';
import type { PushLogEntry } from 'doorman-client';
import { Link } from 'wouter';
import { useTexts } from '../../../i18n/texts.tsx';
import { chatPath } from '../../../paths.ts';
import { PersonName } from '../../../ui/person/name.tsx';
import { TimeText, useTimes } from '../../../ui/person/time-text.tsx';
import { usePerson } from '../../contacts/model/hooks.ts';
import { type DeliveryStatus, deliveryStatus, technicalDetail } from './delivery-status.ts';
import type { Fold } from './fold-entries.ts';
import styles from './log.module.css';

/** One row of the push log: the sender of the messages, what happened to the notification, when, and how often in a row. */
export function LogRow({ fold: { sentence, latest, entries } }: { fold: Fold }) {
  const texts = useTexts().settings;
  const { is } = deliveryStatus(latest);
  return (
    <li className={styles.entry} data-testid={`log-${latest.id}`} data-status={is}>
      <div className={styles.head}>
        <span className={styles.who}>{latest.peer === null ? texts.aTest : <Peer peer={latest.peer} />}</span>
        <span className={styles.time}>
          <TimeSpan from={entries.at(-1)?.at ?? latest.at} to={latest.at} />
        </span>
      </div>
      <p className={styles.what}>
        <StatusIcon is={is} />
        <span>{sentence}</span>
      </p>
      {entries.length === 1 ? <Details entry={latest} /> : <Times entries={entries} />}
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

/** @param props.from epoch milliseconds, on the same day as `to` */
function TimeSpan({ from, to }: { from: number; to: number }) {
  const times = useTimes();
  const isOneMinute = times.clock(from) === times.clock(to);
  return isOneMinute ? <TimeText at={to} as="clock" /> : times.clockSpan(from, to);
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

/** How many entries are folded into the row, and each of them when it is unfolded. */
function Times({ entries }: { entries: readonly PushLogEntry[] }) {
  const texts = useTexts().settings;
  const [latest] = entries;
  return (
    <details className={styles.details} data-testid={`times-${latest?.id}`}>
      <summary>{texts.logTimes(entries.length)}</summary>
      {latest && deliveryStatus(latest).is === 'handed' && <p>{texts.detailsHanded}</p>}
      <ul className={styles.times}>
        {entries.map((entry) => {
          const technical = technicalDetail(entry);
          return (
            <li key={entry.id}>
              <TimeText at={entry.at} as="clock" />
              {technical !== '' && (
                <>
                  {' · '}
                  <bdi lang="en">{technical}</bdi>
                </>
              )}
            </li>
          );
        })}
      </ul>
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
  return <Icon className={styles.icon} />;
}
