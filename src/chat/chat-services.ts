import type { Clock, PeriodicJob } from '../clock.ts';
import { BoundedQueue } from '../collections/bounded-queue.ts';
import type { Config } from '../config/config.ts';
import type { Db } from '../db/db.ts';
import type { Events } from '../events/hints.ts';
import type { Inboxes } from '../inbox/inbox.ts';
import type { Limits } from '../limits/limits.ts';
import type { RateLimit } from '../limits/sliding-log.ts';
import type { OnlineUsers } from '../presence/online-users.ts';
import { declineOldRequests } from '../relations/message-requests.ts';
import { DeliveryReceipts } from './delivery-receipts.ts';
import { MessageBatches } from './message-batches.ts';
import { openTyping } from './typing.ts';

/** How long acknowledgements are collected before senders get the receipts. */
const FLUSH_MS = 1000;
const OLD_REQUESTS_MS = 60 * 60 * 1000;

/** The long-lived parts of chat. */
export interface ChatServices {
  readonly deliveryReceipts: DeliveryReceipts;
  readonly forwardTyping: ReturnType<typeof openTyping>;
  /** Limits the messages of a sender; the `send` frame and its HTTP twin share it. null where the operator turned it off. */
  readonly messageLimit: RateLimit | null;
  readonly messages: MessageBatches;
  /** Limits the searches of a user, as `messageLimit` does. */
  readonly searchLimit: RateLimit | null;
  readonly searches: BoundedQueue;
}

export function openChat(
  db: Db,
  events: Events,
  online: OnlineUsers,
  { monotonicMs, now }: Clock,
  limits: Limits,
  { messages: limit, search }: Config['rateLimits'],
): ChatServices {
  return {
    deliveryReceipts: new DeliveryReceipts({ db, events }, now),
    forwardTyping: openTyping(db, events, online, monotonicMs),
    messageLimit: limit && limits.open('messages', { ...limit, maxKeys: 100_000 }, 'bounded'),
    messages: new MessageBatches({ db, events }, monotonicMs),
    searchLimit: search && limits.open('search', { ...search, maxKeys: 100_000 }, 'bounded'),
    // A slice of each stands between two requests of others.
    searches: new BoundedQueue({ concurrency: 2, limit: 20 }),
  };
}

/** Stores and discloses what devices acknowledged, and declines old message requests. */
export function chatJobs(
  inboxes: Inboxes,
  { now }: Clock,
  { deliveryReceipts }: Pick<ChatServices, 'deliveryReceipts'>,
): PeriodicJob[] {
  return [
    {
      name: 'decline old message requests',
      everyMs: OLD_REQUESTS_MS,
      run: () => declineOldRequests(inboxes, now()),
    },
    { name: 'flush receipts', everyMs: FLUSH_MS, run: () => deliveryReceipts.flush(), runsAtStop: true },
  ];
}
