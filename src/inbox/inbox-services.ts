import type { Logger } from 'pino';
import type { Clock, PeriodicJob } from '../clock.ts';
import type { Db, SchemaDb } from '../db/db.ts';
import type { Events } from '../events/hints.ts';
import { Delivery } from './delivery.ts';
import { Failovers, type FailoverTimes } from './failovers.ts';
import { Sweeps, type SweepTimes } from './sweeps.ts';
import { trimInboxes } from './trim.ts';

const SWEEP_TURN_MS = 250;
const CLEAN_UP_MS = 60 * 60 * 1000;

/** The long-lived parts of the inboxes. */
export interface InboxServices {
  /** The epoch of this database; positions of another are void (architecture 4). */
  readonly epoch: string;
  readonly failovers: Failovers;
  readonly delivery: Delivery;
  readonly sweeps: Sweeps;
}

/**
 * Creates the epoch if the database has none, and starts the delivery of events to devices.
 *
 * @param options.hasNodes whether other nodes serve the database too
 */
export async function openInboxes(
  db: Db & Pick<SchemaDb, 'watchPromotions'>,
  events: Events,
  clock: Clock,
  log: Pick<Logger, 'error' | 'warn'>,
  { hasNodes = false, times = {} }: { hasNodes?: boolean; times?: Partial<SweepTimes & FailoverTimes> } = {},
): Promise<InboxServices> {
  const delivery = new Delivery(db, events, (err) => {
    log.error({ err }, 'an inbox could not be read');
    sweeps.hurry();
  });
  const sweeps = new Sweeps(delivery, clock, times);
  // What a command of the operator appended has no hint.
  events.subscribe(({ type }) => {
    if (type === 'external-change') sweeps.hurry();
  });
  const failovers = await Failovers.open(db, clock, { delivery, events, log, hasNodes, ...times });
  return {
    get epoch() {
      return failovers.epoch;
    },
    failovers,
    delivery,
    sweeps,
  };
}

/** Delivers events whose hint was lost, and removes events beyond the limits of age and number. */
export function inboxJobs(db: Db, { now }: Clock, { sweeps }: Pick<InboxServices, 'sweeps'>): PeriodicJob[] {
  return [
    { name: 'deliver missed events', everyMs: SWEEP_TURN_MS, run: () => sweeps.run() },
    { name: 'trim inboxes', everyMs: CLEAN_UP_MS, run: () => trimInboxes(db, now()) },
  ];
}
