import type { Clock, PeriodicJob } from '../clock.ts';
import type { Db } from '../db/db.ts';
import type { Events } from '../events/hints.ts';
import { openRateLimit, type SlidingLog } from '../http/rate-limits.ts';
import type { OnlineUsers } from '../presence/online-users.ts';
import { Receipts } from './receipts.ts';
import { RecipientTurns } from './recipient-turns.ts';
import { Typing } from './typing.ts';

/** How late senders may hear of what is gathered for them. */
const GATHER_MS = 1000;

/** What chat keeps open in a process. */
export interface ChatServices {
  readonly deliveryReceipts: Receipts;
  readonly typing: Typing;
  /** Of messages, by sender; the `send` frame and its HTTP twin share it. */
  readonly messageLimit: SlidingLog;
  /** null on the embedded database, which needs none. */
  readonly recipientQueues: RecipientTurns | null;
}

export function openChat(
  db: Db,
  events: Events,
  online: OnlineUsers,
  { monotonicMs, now }: Clock,
): ChatServices {
  return {
    deliveryReceipts: new Receipts({ db, events }, now),
    typing: new Typing(db, events, online, monotonicMs),
    messageLimit: openRateLimit({ limit: 30, windowMs: 10_000, maxKeys: 100_000 }),
    recipientQueues: db.kind === 'postgres' ? new RecipientTurns() : null,
  };
}

/** Writes and sends what devices acknowledged. */
export function chatJobs({ deliveryReceipts }: Pick<ChatServices, 'deliveryReceipts'>): PeriodicJob[] {
  return [
    { name: 'settle receipts', everyMs: GATHER_MS, run: () => deliveryReceipts.settle(), runsAtStop: true },
  ];
}
