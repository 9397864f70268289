import type { Db } from '../db/db.ts';
import { type Inboxes, readEventsOf, withInboxes } from '../inbox/inbox.ts';
import { areApart, tellPeer } from './marks.ts';

/** Users whose receipts are written at the same time. */
const USERS_AT_ONCE = 64;
/** Inboxes that one transaction locks at most, beside the user's own. */
const PEERS_AT_ONCE = 50;

/**
 * Turns what devices acknowledge into received marks: gathered, so that a peer gets one event a second however many messages
 * came, and the cost is a transaction for each user, not for each message.
 */
export class Receipts {
  readonly #inboxes: Inboxes;
  readonly #now: () => number;
  readonly #acked = new Map<string, number>();

  constructor(inboxes: Inboxes, now: () => number) {
    this.#inboxes = inboxes;
    this.#now = now;
  }

  /** Some device of the user has everything up to `seq`. */
  note(userId: string, seq: number): void {
    this.#acked.set(userId, Math.max(seq, this.#acked.get(userId) ?? 0));
  }

  /** Writes and discloses what was acknowledged since the last run. What fails is tried again at the next run. */
  async settle(): Promise<void> {
    const acked = [...this.#acked];
    this.#acked.clear();
    const faults: unknown[] = [];
    for (let i = 0; i < acked.length; i += USERS_AT_ONCE)
      await Promise.all(
        acked.slice(i, i + USERS_AT_ONCE).map(([userId, seq]) =>
          settleUser(this.#inboxes, userId, seq, this.#now()).catch((error) => {
            this.note(userId, seq);
            faults.push(error);
          }),
        ),
      );
    if (faults.length > 0) throw new AggregateError(faults, 'receipts could not be written');
  }
}

/** Marks as received what the user's inbox holds up to `seq`; what was settled before costs nothing. */
export async function settleUser(inboxes: Inboxes, userId: string, seq: number, now: number): Promise<void> {
  const { db } = inboxes;
  const head = await db.get<{ received: number }>`
    select received from inbox_heads where user_id = ${userId}`;
  if (!head || seq <= head.received) return;
  const received = [...(await receivedUpTo(db, userId, head.received, seq))];
  let isSettled = false;
  for (let i = 0; i < received.length; i += PEERS_AT_ONCE) {
    const isLast = i + PEERS_AT_ONCE >= received.length;
    const some = received.slice(i, i + PEERS_AT_ONCE);
    isSettled = await raiseReceived(inboxes, userId, some, isLast ? seq : 0, now);
  }
  if (!isSettled)
    await db.run`update inbox_heads set received = ${seq} where user_id = ${userId} and received < ${seq}`;
}

/**
 * The user's own devices learn it, and each peer, unless one of the two blocks the other. Marks only go up.
 *
 * @param seq how far the inbox is settled by that
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
    const risen = await Promise.all(
      received.map(async ([peer, n]) => {
        const [row, isApart] = await Promise.all([
          tx.get<{ read: number }>`
            update conversations set received = ${n}
            where user_id = ${userId} and peer_id = ${peer} and received < ${n} returning read`,
          areApart(tx, userId, peer),
        ]);
        if (!row) return false;
        const marks = { received: n, read: row.read };
        await append(userId, 'marked', { peer, by: userId, ...marks });
        if (!isApart) await tellPeer(tx, append, userId, peer, marks);
        return true;
      }),
    );
    await tx.run`update inbox_heads set received = ${seq} where user_id = ${userId} and received < ${seq}`;
    return risen.includes(true);
  });
}

/** For each peer, the last message among the events after `fromSeq` up to `seq`. */
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
