import type { Logger } from 'pino';
import type { Clock, PeriodicJob } from '../clock.ts';
import type { Db } from '../db/db.ts';
import type { Events } from '../events/hints.ts';
import type { Limits } from '../limits/limits.ts';
import { eraseDueAccounts } from './due-deletions.ts';
import { finishErasures } from './erasures.ts';
import { type ExportLimits, openExportLimits } from './export/export-limits.ts';

const ERASE_MS = 60 * 60 * 1000;
/** Operators erase at any time, also by commands. */
const FINISH_MS = 60 * 1000;

/** What a process knows of the accounts that end. */
export interface LeavingServices {
  /** How many accounts this process has erased. */
  erased: number;
  /** Limits the downloads of users' data. */
  readonly exports: ExportLimits;
}

/** Logs and counts each account that is erased. What a command erases is logged by each server that runs. */
export function openLeaving(events: Events, log: Pick<Logger, 'info'>, limits: Limits): LeavingServices {
  const leaving = { erased: 0, exports: openExportLimits(limits) };
  events.subscribe((event) => {
    if (event.type === 'user-erased') leaving.erased++;
    const isOfCommand = event.type === 'operator-act' && event.act === 'account_erased';
    if (event.type === 'user-erased' || isOfCommand) log.info({ userId: event.userId }, 'account erased');
  });
  return leaving;
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
