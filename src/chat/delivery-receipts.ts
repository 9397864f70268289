import type { Db } from '../db/db.ts';
import { type Inboxes, withInboxes } from '../inbox/inbox.ts';
import { readEventsOf } from '../inbox/stored-events.ts';
import { isBlockedEitherWay } from '../relations/blocks.ts';
import { notifyPeer } from './marks.ts';

/** Users whose receipts are written in parallel. */
const PARALLEL_USERS = 64;
/** Inboxes that one transaction locks at most, beside the user's own. */
const PEERS_PER_TRANSACTION = 50;

/**
 * Turns acknowledgements of devices into `received` marks. They are collected for a second, so that a peer gets one event however
 * many messages were received, and a user costs one transaction, not one for each message.
 */
export class DeliveryReceipts {
  readonly #inboxes: Inboxes;
  readonly #now: () => number;
  readonly #acknowledged = new Map<string, number>();

  constructor(inboxes: Inboxes, now: () => number) {
    this.#inboxes = inboxes;
    this.#now = now;
  }

  /** A device of the user has all events up to `seq`. */
  note(userId: string, seq: number): void {
    this.#acknowledged.set(userId, Math.max(seq, this.#acknowledged.get(userId) ?? 0));
  }

  /** Stores and discloses what was acknowledged since the last flush. The next flush tries again what failed. */
  async flush(): Promise<void> {
    const acknowledged = [...this.#acknowledged];
    this.#acknowledged.clear();
    const faults: unknown[] = [];
    for (let i = 0; i < acknowledged.length; i += PARALLEL_USERS)
      await Promise.all(
        acknowledged.slice(i, i + PARALLEL_USERS).map(([userId, seq]) =>
          settleReceipts(this.#inboxes, userId, seq, this.#now()).catch((error) => {
            this.note(userId, seq);
            faults.push(error);
          }),
        ),
      );
    if (faults.length > 0) throw new AggregateError(faults, 'receipts could not be written');
  }
}

/** Raises the user's `received` marks to the messages in their inbox up to `seq`. Does nothing if that was done before. */
async function settleReceipts(inboxes: Inboxes, userId: string, seq: number, now: number): Promise<void> {
  const { db } = inboxes;
  const head = await db.get<{ received: number }>`
    select received from inbox_heads where user_id = ${userId}`;
  if (!head || seq <= head.received) return;
  const received = [...(await receivedUpTo(db, userId, head.received, seq))];
  let isSettled = false;
  for (let i = 0; i < received.length; i += PEERS_PER_TRANSACTION) {
    const isLast = i + PEERS_PER_TRANSACTION >= received.length;
    const batch = received.slice(i, i + PEERS_PER_TRANSACTION);
    isSettled = await raiseReceived(inboxes, userId, batch, isLast ? seq : 0, now);
  }
  if (!isSettled)
    await db.run`update inbox_heads set received = ${seq} where user_id = ${userId} and received < ${seq}`;
}

/**
 * Raises the `received` marks for some peers. The user's devices are notified, and so is each peer unless one of the two blocks
 * the other. Marks only rise.
 *
 * @param seq up to which event the inbox is settled afterwards
 * @returns whether any mark rose; if none did, nothing is written
 */
async function raiseReceived(
  inboxes: Inboxes,
  userId: string,
  received: readonly (readonly [peer: string, n: number])[],
  seq: number,
  now: number,
): Promise<boolean> {
  const peers = received.map(([peer]) => peer);
  return withInboxes(inboxes, [userId, ...peers], now, async (tx, append) => {
    const raised = await Promise.all(
      received.map(async ([peer, n]) => {
        const [row, isBlocked] = await Promise.all([
          tx.get<{ read: number }>`
            update conversations set received = ${n}
            where user_id = ${userId} and peer_id = ${peer} and received < ${n} returning read`,
          isBlockedEitherWay(tx, userId, peer),
        ]);
        if (!row) return false;
        const marks = { received: n, read: row.read };
        await append(userId, 'marked', { peer, by: userId, ...marks });
        if (!isBlocked) await notifyPeer(tx, append, userId, peer, marks);
        return true;
      }),
    );
    await tx.run`update inbox_heads set received = ${seq} where user_id = ${userId} and received < ${seq}`;
    return raised.includes(true);
  });
}

/** For each peer, the number of the last message from them among the events after `fromSeq` up to `seq`. */
async function receivedUpTo(
  db: Db,
  userId: string,
  fromSeq: number,
  seq: number,
): Promise<Map<string, number>> {
  const received = new Map<string, number>();
  for (const { data } of await readEventsOf(db, userId, 'message', fromSeq, seq))
    if (data.from === data.peer) received.set(data.peer, Math.max(data.n, received.get(data.peer) ?? 0));
  return received;
}
