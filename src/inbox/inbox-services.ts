import type { Logger } from 'pino';
import type { Clock, PeriodicJob } from '../clock.ts';
import type { Db } from '../db/db.ts';
import type { Events } from '../events/hints.ts';
import { Delivery } from './delivery.ts';
import { readEpoch } from './epoch.ts';
import { trimInboxes } from './trim.ts';

const SWEEP_MS = 5_000;
const CLEAN_UP_MS = 60 * 60 * 1000;

/** What the inboxes keep open in a process. */
export interface InboxServices {
  /** The epoch of this database; positions of another are void (architecture 4). */
  readonly epoch: string;
  readonly delivery: Delivery;
}

/** Creates the epoch if the database has none, and starts the delivery of events to devices. */
export async function openInboxes(
  db: Db,
  events: Events,
  log: Pick<Logger, 'error'>,
): Promise<InboxServices> {
  return {
    epoch: await readEpoch(db),
    delivery: new Delivery(db, events, (err) => log.error({ err }, 'an inbox could not be read')),
  };
}

/** Delivers events whose hint was lost, and removes events beyond the limits of age and number. */
export function inboxJobs(
  db: Db,
  { now }: Clock,
  { delivery }: Pick<InboxServices, 'delivery'>,
): PeriodicJob[] {
  return [
    { name: 'deliver missed events', everyMs: SWEEP_MS, run: () => delivery.sweep() },
    { name: 'trim inboxes', everyMs: CLEAN_UP_MS, run: () => trimInboxes(db, now()) },
  ];
}
