import type { Db } from '../db/db.ts';
import { inList } from '../db/fragments.ts';
import { readEventsOf, readEventsTogether, type Stretch } from '../inbox/stored-events.ts';
import type { Receipts } from './judge-receipts.ts';

/** How many users' events one statement reads, and how many events, unless a single user has more. */
const USERS_AT_ONCE = 64;
const EVENTS_AT_ONCE = 2_000;
/** Receipts of one user that one transaction settles at most. */
const PEERS_AT_ONCE = 100;

/**
 * The events of users that are acknowledged and not settled; none where all are settled.
 *
 * @param acknowledged up to which event, by the user's id
 */
export async function findUnsettled(
  db: Db,
  acknowledged: ReadonlyMap<string, number>,
): Promise<readonly Stretch[]> {
  const heads = await db.all<{ user_id: string; received: number }>`
    select user_id, received from inbox_heads where user_id in ${inList([...acknowledged.keys()])}`;
  return heads
    .map(({ user_id, received }) => ({ user_id, after: received, up_to: acknowledged.get(user_id) ?? 0 }))
    .filter(({ after, up_to }) => after < up_to);
}

/** The messages that users received by these events, some users at a time. A user with many peers comes in parts. */
export async function* readReceipts(db: Db, unsettled: readonly Stretch[]): AsyncGenerator<Receipts[]> {
  for (const stretches of packStretches(unsettled)) yield await readOf(db, stretches);
}

function* packStretches(unsettled: readonly Stretch[]): Generator<Stretch[]> {
  let packed: Stretch[] = [];
  let events = 0;
  for (const stretch of unsettled) {
    const more = stretch.up_to - stretch.after;
    if (packed.length === USERS_AT_ONCE || (packed.length > 0 && events + more > EVENTS_AT_ONCE)) {
      yield packed;
      packed = [];
      events = 0;
    }
    packed.push(stretch);
    events += more;
  }
  if (packed.length > 0) yield packed;
}

async function readOf(db: Db, stretches: readonly Stretch[]): Promise<Receipts[]> {
  const received = new Map(stretches.map(({ user_id }) => [user_id, new Map<string, number>()]));
  for (const { userId, data } of await readMessages(db, stretches)) {
    const peers = received.get(userId);
    if (data.from === data.peer) peers?.set(data.peer, Math.max(data.n, peers.get(data.peer) ?? 0));
  }
  return stretches.flatMap(({ user_id: userId, up_to }) => {
    const peers = [...(received.get(userId) ?? [])];
    const parts: Receipts[] = [];
    for (let i = 0; i < peers.length || i === 0; i += PEERS_AT_ONCE) {
      const settles = i + PEERS_AT_ONCE >= peers.length ? up_to : 0;
      parts.push({ userId, peers: peers.slice(i, i + PEERS_AT_ONCE), settles });
    }
    return parts;
  });
}

async function readMessages(db: Db, stretches: readonly Stretch[]) {
  if (db.kind === 'postgres') return readEventsTogether(db, 'message', stretches);
  const read = await Promise.all(
    stretches.map(async ({ user_id: userId, after, up_to }) =>
      (await readEventsOf(db, userId, 'message', after, up_to)).map(({ data }) => ({ userId, data })),
    ),
  );
  return read.flat();
}
