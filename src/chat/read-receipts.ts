import type { Db } from '../db/db.ts';
import { asTable, inList } from '../db/fragments.ts';
import { parseEventData } from '../inbox/stored-events.ts';

/** The messages that a user has received: for each peer, the number of the last one. */
export interface Receipts {
  readonly userId: string;
  readonly peers: readonly (readonly [peer: string, n: number])[];
  /** Up to which event the user's inbox is settled afterwards; 0 if more receipts of the user follow. */
  readonly settles: number;
}

/** Events of one user: those after `after`, up to `up_to`. */
interface Stretch {
  readonly user_id: string;
  readonly after: number;
  readonly up_to: number;
}

const STRETCHES = { user_id: 'text', after: 'bigint', up_to: 'bigint' } as const;
/** The most events that one statement reads, and how many heads one transaction locks, unless a single user has more. */
const EVENTS_AT_ONCE = 2_000;
const HEADS_AT_ONCE = 200;
/** The most of both that go together. */
const USERS_AT_ONCE = 64;
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

/** The messages that users received by these events, as many as one transaction settles in a few milliseconds. A user with many peers comes in parts. */
export async function* readReceipts(db: Db, unsettled: readonly Stretch[]): AsyncGenerator<Receipts[]> {
  for (const stretches of pack(unsettled, EVENTS_AT_ONCE, ({ after, up_to }) => up_to - after))
    yield* pack(await readOf(db, stretches), HEADS_AT_ONCE, ({ peers }) => peers.length + 1);
}

/** Items in packs, whose weights are no more than `limit` together, or that have one item. */
function* pack<T>(items: readonly T[], limit: number, weightOf: (item: T) => number): Generator<T[]> {
  let packed: T[] = [];
  let weight = 0;
  for (const item of items) {
    const more = weightOf(item);
    if (packed.length === USERS_AT_ONCE || (packed.length > 0 && weight + more > limit)) {
      yield packed;
      packed = [];
      weight = 0;
    }
    packed.push(item);
    weight += more;
  }
  if (packed.length > 0) yield packed;
}

async function readOf(db: Db, stretches: readonly Stretch[]): Promise<Receipts[]> {
  const rows = await db.all<{ user_id: string; event: string; data: string }>`
    select inbox.user_id, inbox.event, inbox.data from ${asTable(STRETCHES, stretches)} as wanted
    join inbox on inbox.user_id = wanted.user_id and inbox.seq > wanted.after and inbox.seq <= wanted.up_to`;
  const received = new Map(stretches.map(({ user_id }) => [user_id, new Map<string, number>()]));
  for (const { user_id, event, data } of rows) {
    // Compared here: PostgreSQL would take it for a reason to begin with the log.
    if (event !== 'message') continue;
    const { from, peer, n } = parseEventData<'message'>(data);
    const peers = received.get(user_id);
    if (from === peer) peers?.set(peer, Math.max(n, peers.get(peer) ?? 0));
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
