import type { Queries } from '../db/db.ts';
import { asTable } from '../db/fragments.ts';
import type { FriendState } from '../events/log-events.ts';
import {
  IMPORTED,
  type ImportVerdict,
  type NamedUsers,
  PRESENT,
  readNamedUsers,
  refuseBetween,
} from '../users/imported.ts';
import { cancelRequests } from './friends.ts';
import { removeRequest } from './message-requests.ts';

export interface ImportedFriendship {
  readonly users: readonly [string, string];
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface ImportedBlock {
  readonly by: string;
  readonly of: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

interface Pair {
  readonly user_id: string;
  readonly peer_id: string;
}
const PAIRS = { user_id: 'text', peer_id: 'text' } as const;
const BLOCKERS = { user_id: 'text' } as const;
const FRIENDS = { user_id: 'text', peer_id: 'text', state: 'text', at: 'bigint' } as const;
const BLOCKS = { blocker_id: 'text', blocked_id: 'text', created_at: 'bigint', position: 'bigint' } as const;

// Ids hold no spaces.
const keyOf = ({ user_id, peer_id }: Pair) => `${user_id} ${peer_id}`;

interface FriendshipFacts {
  readonly users: NamedUsers;
  /** By {@link keyOf}, the lesser id first. */
  readonly pairs: ReadonlyMap<string, FriendshipRow>;
}

interface FriendshipRow extends Pair {
  readonly state: FriendState | null;
  /** Whether one of the two has a message request of the other. */
  readonly has_request: 1 | null;
}

/** Friendships of an import: no events, no limits, and blocks and privacy are not asked. */
export const friendshipImport = {
  async look(db: Queries, lines: readonly ImportedFriendship[]): Promise<FriendshipFacts> {
    const [users, rows] = await Promise.all([
      readNamedUsers(
        db,
        lines.flatMap((line) => line.users),
      ),
      db.all<FriendshipRow>`
        select asked.user_id, asked.peer_id,
          (select state from friends where user_id = asked.user_id and peer_id = asked.peer_id) as state,
          coalesce(
            (select 1 from message_requests where user_id = asked.user_id and peer_id = asked.peer_id),
            (select 1 from message_requests where user_id = asked.peer_id and peer_id = asked.user_id)) as has_request
        from ${asTable(PAIRS, lines.map(pairOf))} as asked`,
    ]);
    return { users, pairs: new Map(rows.map((row) => [keyOf(row), row])) };
  },

  /** An open friend request becomes the friendship, and message requests between the two end. */
  write(
    tx: Queries | null,
    lines: readonly ImportedFriendship[],
    { users, pairs }: FriendshipFacts,
    now: number,
  ): ImportVerdict[] {
    const added = new Map<string, Pair & { at: number }>();
    const verdicts = lines.map((line) => {
      const refused = refuseBetween(users, line.users, line.at, now);
      if (refused) return refused;
      const pair = pairOf(line);
      const key = keyOf(pair);
      if (added.has(key) || pairs.get(key)?.state === 'friends') return PRESENT;
      added.set(key, { ...pair, at: line.at });
      return IMPORTED;
    });
    if (!tx || added.size === 0) return verdicts;
    const sides = [...added.values()].flatMap(({ user_id, peer_id, at }) => [
      { user_id, peer_id, state: 'friends', at },
      { user_id: peer_id, peer_id: user_id, state: 'friends', at },
    ]);
    void tx.run`
      insert into friends ${asTable(FRIENDS, sides.sort(byKey))}
      on conflict (user_id, peer_id) do update set state = excluded.state, at = excluded.at`;
    for (const [key, { user_id, peer_id }] of added)
      if (pairs.get(key)?.has_request)
        send(removeRequest(tx, user_id, peer_id), removeRequest(tx, peer_id, user_id));
    return verdicts;
  },
};

interface BlockFacts {
  readonly users: NamedUsers;
  readonly pairs: ReadonlyMap<string, BlockRow>;
  /** The last entry of each blocker's list. */
  readonly last: ReadonlyMap<string, LastBlock>;
}

interface BlockRow extends Pair {
  readonly is_blocked: 1 | null;
  readonly friend_state: FriendState | null;
  readonly is_waiting: 1 | null;
}

interface LastBlock {
  readonly position: number;
  readonly created_at: number;
}

/** Blocks of an import, listed in the order of their lines: the times of a blocker's entries never decrease, as those of `blockUser`. */
export const blockImport = {
  async look(db: Queries, lines: readonly ImportedBlock[]): Promise<BlockFacts> {
    const pairs = lines.map(({ by, of }) => ({ user_id: by, peer_id: of }));
    const blockers = [...new Set(lines.map(({ by }) => by))].map((user_id) => ({ user_id }));
    const [users, rows, last] = await Promise.all([
      readNamedUsers(
        db,
        lines.flatMap(({ by, of }) => [by, of]),
      ),
      db.all<BlockRow>`
        select asked.user_id, asked.peer_id,
          (select 1 from blocks where blocker_id = asked.user_id and blocked_id = asked.peer_id) as is_blocked,
          (select state from friends where user_id = asked.user_id and peer_id = asked.peer_id) as friend_state,
          (select 1 from message_requests
            where user_id = asked.user_id and peer_id = asked.peer_id and state = 'waiting') as is_waiting
        from ${asTable(PAIRS, pairs)} as asked`,
      db.all<LastBlock & { user_id: string }>`
        select asked.user_id, blocks.position, blocks.created_at
        from ${asTable(BLOCKERS, blockers)} as asked
        join blocks on blocks.blocker_id = asked.user_id
          and blocks.position = (select max(position) from blocks where blocker_id = asked.user_id)`,
    ]);
    return {
      users,
      pairs: new Map(rows.map((row) => [keyOf(row), row])),
      last: new Map(last.map(({ user_id, ...entry }) => [user_id, entry])),
    };
  },

  /** Open friend requests between the two end, and a message request that waits is declined. */
  write(
    tx: Queries | null,
    lines: readonly ImportedBlock[],
    { users, pairs, last: stored }: BlockFacts,
    now: number,
  ): ImportVerdict[] {
    const last = new Map(stored);
    const added = new Map<string, LastBlock & { blocker_id: string; blocked_id: string }>();
    const verdicts = lines.map(({ by, of, at }) => {
      const refused = refuseBetween(users, [by, of], at, now);
      if (refused) return refused;
      const key = keyOf({ user_id: by, peer_id: of });
      if (added.has(key) || pairs.get(key)?.is_blocked) return PRESENT;
      const { position, created_at } = last.get(by) ?? { position: 0, created_at: 0 };
      const entry = { position: position + 1, created_at: Math.max(at, created_at) };
      last.set(by, entry);
      added.set(key, { blocker_id: by, blocked_id: of, ...entry });
      return IMPORTED;
    });
    if (!tx || added.size === 0) return verdicts;
    void tx.run`insert into blocks ${asTable(BLOCKS, [...added.values()])}`;
    for (const [key, { blocker_id, blocked_id }] of added) {
      const { friend_state = null, is_waiting } = pairs.get(key) ?? {};
      if (friend_state !== null && friend_state !== 'friends')
        send(cancelRequests(tx, blocker_id, blocked_id));
      if (is_waiting)
        send(tx.run`
          update message_requests set state = 'declined', at = ${now}
          where user_id = ${blocker_id} and peer_id = ${blocked_id} and state = 'waiting'`);
    }
    return verdicts;
  },
};

function pairOf({ users: [one, other] }: ImportedFriendship): Pair {
  return one < other ? { user_id: one, peer_id: other } : { user_id: other, peer_id: one };
}

/** Neighbours in the primary key are written together. */
function byKey(a: Pair, b: Pair): number {
  if (a.user_id !== b.user_id) return a.user_id < b.user_id ? -1 : 1;
  return a.peer_id < b.peer_id ? -1 : 1;
}

/** The transaction reports the failure of a statement itself. */
function send(...statements: Promise<unknown>[]): void {
  for (const statement of statements) statement.catch(() => {});
}
