import type { Logger } from 'pino';
import type { Clock, PeriodicJob } from '../clock.ts';
import type { Db } from '../db/db.ts';
import type { Events } from '../events/hints.ts';
import { eraseDueAccounts } from './due-deletions.ts';
import { finishErasures } from './erasures.ts';

const ERASE_MS = 60 * 60 * 1000;
/** Operators erase at any time, also by commands. */
const FINISH_MS = 60 * 1000;

/** Logs each account that is erased. What a command erases is logged by each server that runs. */
export function logErasures(events: Events, log: Pick<Logger, 'info'>): void {
  events.subscribe((event) => {
    const isOfCommand = event.type === 'operator-act' && event.act === 'account_erased';
    if (event.type === 'user-erased' || isOfCommand) log.info({ userId: event.userId }, 'account erased');
  });
}

export function leavingJobs(db: Db, { now }: Clock, events: Events): PeriodicJob[] {
  return [
    {
      name: 'erase accounts',
      everyMs: ERASE_MS,
      run: async (stopping) => {
        await eraseDueAccounts({ db, events }, now(), stopping);
        await finishErasures(db, now(), stopping);
      },
    },
    { name: 'finish erasures', everyMs: FINISH_MS, run: (stopping) => finishErasures(db, now(), stopping) },
  ];
}
