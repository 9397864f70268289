import { setTimeout as delay } from 'node:timers/promises';
import type { Inboxes } from '../inbox/inbox.ts';
import { findUnsettled, type Receipts, readReceipts } from './read-receipts.ts';
import { settleReceipts } from './settle-receipts.ts';

/** Users that are looked at together; all others wait meanwhile. */
const USERS_AT_ONCE = 1_000;
/** When users are asked again whose inbox another transaction has locked; after that by the next flush. */
const HELD_RETRIES_MS = [5, 10, 20, 40, 80, 160];

interface Flush {
  /** Up to which event each user's devices acknowledged, without users who are settled. */
  readonly open: Map<string, number>;
  /** Users of whose receipts some wait for a lock. */
  held: Set<string>;
  readonly failed: Set<string>;
  readonly faults: unknown[];
}

/**
 * Turns acknowledgements of devices into `received` marks. They are collected for a second, so that a peer gets one event however
 * many messages were received, and settled in batches: many users in one transaction. Users whose inbox, or that of one of their
 * peers, another transaction has locked hold up no one: they are asked again, also by the next flush, as are those whose receipts failed.
 */
export class DeliveryReceipts {
  readonly #inboxes: Inboxes;
  readonly #now: () => number;
  #acknowledged = new Map<string, number>();
  #flushed: Promise<void> = Promise.resolve();

  constructor(inboxes: Inboxes, now: () => number) {
    this.#inboxes = inboxes;
    this.#now = now;
    inboxes.events.subscribe((event) => {
      if (event.type === 'epoch-renewed') this.#acknowledged.clear();
    });
  }

  /** A device of the user has all events up to `seq`. */
  note(userId: string, seq: number): void {
    this.#acknowledged.set(userId, Math.max(seq, this.#acknowledged.get(userId) ?? 0));
  }

  /** Stores and discloses what was acknowledged since the last flush. The next flush tries again what failed. */
  async flush(): Promise<void> {
    const flush = this.#flushed.then(() => this.#flush());
    this.#flushed = flush.catch(() => {});
    await flush;
  }

  async #flush(): Promise<void> {
    const open = this.#acknowledged;
    const flush: Flush = { open, held: new Set(), failed: new Set(), faults: [] };
    this.#acknowledged = new Map();
    try {
      await this.#settleUsers([...open], flush);
      for (const ms of HELD_RETRIES_MS) {
        const held = [...open].filter(([userId]) => flush.held.has(userId));
        if (held.length === 0) break;
        await delay(ms);
        flush.held = new Set();
        await this.#settleUsers(held, flush);
      }
    } catch (error) {
      flush.faults.push(error);
    }
    for (const [userId, seq] of open) this.note(userId, seq);
    if (flush.faults.length > 0) throw new AggregateError(flush.faults, 'receipts could not be written');
  }

  async #settleUsers(
    users: readonly (readonly [userId: string, seq: number])[],
    flush: Flush,
  ): Promise<void> {
    const { db } = this.#inboxes;
    for (let i = 0; i < users.length; i += USERS_AT_ONCE) {
      const acknowledged = new Map(users.slice(i, i + USERS_AT_ONCE));
      const unsettled = await findUnsettled(db, acknowledged);
      const ids = new Set(unsettled.map((one) => one.user_id));
      for (const userId of acknowledged.keys()) if (!ids.has(userId)) flush.open.delete(userId);
      for await (const batch of readReceipts(db, unsettled)) await this.#settle(batch, flush);
    }
  }

  /** @throws a fault that is not of one user's receipts, such as a lost connection */
  async #settle(batch: readonly Receipts[], flush: Flush): Promise<void> {
    const { db, events } = this.#inboxes;
    const isIncomplete = (userId: string) => flush.held.has(userId) || flush.failed.has(userId);
    const receipts = batch.map((one) => (isIncomplete(one.userId) ? { ...one, settles: 0 } : one));
    const judged = await settleReceipts(db, receipts, this.#now()).catch(async (error) => {
      if (!db.isStatementFault(error)) throw error;
      if (batch.length > 1) for (const one of batch) await this.#settle([one], flush);
      else {
        flush.faults.push(error);
        for (const { userId } of batch) flush.failed.add(userId);
      }
    });
    if (!judged) return;
    for (const userId of judged.held) flush.held.add(userId);
    for (const userId of judged.settled.keys()) flush.open.delete(userId);
    for (const { userId, event } of judged.events) {
      try {
        events.publish({ type: 'inbox', userId, event });
      } catch (error) {
        flush.faults.push(error);
      }
    }
  }
}
