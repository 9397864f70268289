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
  /** Names this state of the database; positions in logs of another are void (architecture 4). */
  readonly epoch: string;
  readonly delivery: Delivery;
}

/** Names the database if it has no epoch yet, and serves the devices of this process from now on. */
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

/** Serves devices that missed a hint, and removes events that are older or more than is kept. */
export function inboxJobs(
  db: Db,
  { now }: Clock,
  { delivery }: Pick<InboxServices, 'delivery'>,
): PeriodicJob[] {
  return [
    { name: 'serve missed events', everyMs: SWEEP_MS, run: () => delivery.sweep() },
    { name: 'trim inboxes', everyMs: CLEAN_UP_MS, run: () => trimInboxes(db, now()) },
  ];
}
