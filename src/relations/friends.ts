import { sessionEnded } from '../accounts/session-lookup.ts';
import type { Db, Queries, Tx } from '../db/db.ts';
import { inList } from '../db/fragments.ts';
import { ServiceError } from '../errors.ts';
import type { FriendState } from '../events/log-events.ts';
import { cutPage, PAGE_ENTRIES, readPlace } from '../http/pages.ts';
import { type Checked, checkThenLock, type Inboxes, readHead } from '../inbox/inbox.ts';
import { LocalLimits } from '../limits/local-limits.ts';
import { getUser } from '../users/users.ts';
import { type FactsBetween, refusalBetween } from './blocks.ts';
import { acceptRequest } from './message-requests.ts';
import { type ReachFacts, refuseUnlessReachable } from './reach.ts';
import type { FriendAction, FriendEntry, FriendPage, FriendsFields } from './schemas.ts';

const HOUR_MS = 60 * 60 * 1000;
const MAX_USERS = 100_000;
/** Each user has sent requests to at most 30 others within the hour. */
const MAX_PAIRS = 300_000;

/** A user has at most this many open requests of their own. */
const MAX_OPEN_REQUESTS = 200;

/**
 * Limits the friend actions of a user in an hour: 6 requests and cancels to one user, and 30 requests in all. Each friendship begins
 * with a request, so this bounds the events of every cycle too, including those of accept and remove; accept, decline and remove are
 * never refused (docs/decisions/006-rate-limits.md).
 */
export function openFriendLimits(monotonicMs: () => number): LocalLimits {
  const toUser = ['too_many_requests_to_user', '对该用户的好友操作过于频繁，请稍后再试'] as const;
  const inAll = ['too_many_friend_requests', '发送好友申请过于频繁，请稍后再试'] as const;
  const limits = [
    { limit: 6, windowMs: HOUR_MS, maxKeys: MAX_PAIRS, refusal: toUser },
    { limit: 30, windowMs: HOUR_MS, maxKeys: MAX_USERS, refusal: inAll },
  ];
  return new LocalLimits(limits, monotonicMs);
}

/** Also the two by which a backend sets whether users are friends. */
type Action = FriendAction | 'set' | 'unset';

/** The state after each action; a pair that is missing here is refused. A repeated action changes nothing. */
const TRANSITIONS: Record<Action, Partial<Record<FriendState, FriendState>>> = {
  // A request to a user who already sent one accepts theirs.
  request: { none: 'requested', requested: 'requested', asked: 'friends', friends: 'friends' },
  cancel: { requested: 'none', none: 'none' },
  accept: { asked: 'friends', friends: 'friends' },
  decline: { asked: 'none', none: 'none' },
  remove: { friends: 'none', none: 'none' },
  set: { none: 'friends', requested: 'friends', asked: 'friends', friends: 'friends' },
  // An open request is not the backend's.
  unset: { friends: 'none', none: 'none', requested: 'requested', asked: 'asked' },
};

const OTHER_SIDE: Record<FriendState, FriendState> = {
  none: 'none',
  requested: 'asked',
  asked: 'requested',
  friends: 'friends',
};

/**
 * Applies one action to the relation of two users: both get the new state as a `friend` event (docs/protocol.md, `friend`).
 * While one blocks the other every action is refused: the block cancelled their requests, and a friendship is kept as it is.
 *
 * @param caller without a session: a backend, to which the accounts of both, not their states, matter
 * @returns the new state as the caller sees it
 * @throws {ServiceError} `invalid` for oneself, or for an action that the state does not allow (`friend_state`); `not-found`;
 *   `forbidden` as `refusalBetween` and `refuseUnlessReachable` say; `unauthenticated` when the session ended meanwhile; `rate-limited` with
 *   `too_many_open_requests`, `too_many_requests_to_user` or `too_many_friend_requests`
 */
export async function changeFriendship(
  { friendLimits, ...inboxes }: Inboxes & { readonly friendLimits: LocalLimits },
  caller: FriendCaller,
  action: Action,
  peerId: string,
  now: number,
): Promise<FriendState> {
  const { userId } = caller;
  if (peerId === userId) throw new ServiceError('invalid', 'friend_self', '不能添加自己为好友');
  let isCounted = false;
  const check = async (db: Queries): Promise<Checked<FriendState, Change>> => {
    const { state, isForFriends, ...recipient } = await readAllowedState(db, caller, peerId);
    const next = TRANSITIONS[action][state];
    if (next === undefined) throw new ServiceError('invalid', 'friend_state', '当前好友状态不支持此操作');
    if (next === state) return { answer: state };
    if (next === 'requested') {
      refuseUnlessReachable(recipient, now);
      await refuseTooManyRequests(db, userId);
    }
    if (!isCounted) friendLimits.check(...keysOf(userId, action, peerId, next));
    return { change: { next, changesPresence: isForFriends && [state, next].includes('friends') } };
  };
  return checkThenLock(inboxes, [userId, peerId], now, check, async (tx, append, change) => {
    const { next, changesPresence } = change;
    // All nodes decide again who sees whom, before the caller is answered.
    if (changesPresence) append.publish({ type: 'user-changed', userId, changesPresence });
    // Count once, though the transaction may run again.
    if (!isCounted) friendLimits.take(...keysOf(userId, action, peerId, next));
    isCounted = true;
    await Promise.all([
      writeState(tx, userId, peerId, next, now),
      writeState(tx, peerId, userId, OTHER_SIDE[next], now),
      append(userId, 'friend', { userId: peerId, state: next }),
      append(peerId, 'friend', { userId, state: OTHER_SIDE[next] }),
    ]);
    if (next !== 'none') await acceptRequest(tx, append, userId, peerId);
    if (action === 'set') await acceptRequest(tx, append, peerId, userId);
    return next;
  });
}

interface FriendCaller {
  readonly userId: string;
  readonly sessionId?: string;
}

interface Change {
  readonly next: FriendState;
  /** Whether one of the two shows their presence to friends alone, and the friendship begins or ends. */
  readonly changesPresence: boolean;
}

/** The keys of {@link openFriendLimits} that count an action which changes the state to `next`. */
function keysOf(userId: string, action: Action, peerId: string, next: FriendState) {
  // A request to a user who already sent one is an acceptance.
  const isRequest = next === 'requested';
  // Ids hold no spaces.
  const pair = isRequest || action === 'cancel' ? `${userId} ${peerId}` : undefined;
  return [pair, isRequest ? userId : undefined] as const;
}

/**
 * The relation as the caller sees it, read together with what refuses every action.
 *
 * @throws {ServiceError} `unauthenticated`; `forbidden` as `refusalBetween` says
 */
async function readAllowedState(
  db: Queries,
  { userId, sessionId }: FriendCaller,
  peerId: string,
): Promise<{ state: FriendState; isForFriends: boolean } & ReachFacts> {
  const row = await db.get<FactsRow>`
    select (select state from friends where user_id = ${userId} and peer_id = ${peerId}) as state,
      (select 1 from sessions where id = ${sessionId ?? ''}) as is_session_active,
      (select 1 from blocks where blocker_id = ${userId} and blocked_id = ${peerId}) as has_blocked,
      (select 1 from blocks where blocker_id = ${peerId} and blocked_id = ${userId}) as is_blocked,
      (select 1 from users where id = ${peerId} and status = 'active') as is_peer_active,
      (select who_friend_requests from users where id = ${peerId}) as who_friend_requests,
      (select at from message_requests where user_id = ${peerId} and peer_id = ${userId} and state = 'declined')
        as declined_at,
      (select max(1) from users where id in (${userId}, ${peerId}) and who_presence = 'friends') as is_for_friends`;
  const isBackend = sessionId === undefined;
  if (!row || !(row.is_session_active || isBackend)) throw sessionEnded();
  if (isBackend) await Promise.all([getUser(db, userId), getUser(db, peerId)]);
  const refused = refusalBetween(isBackend ? { ...row, is_peer_active: 1 } : row);
  if (refused) throw refused;
  const { state, who_friend_requests, declined_at } = row;
  return { state: state ?? 'none', who_friend_requests, declined_at, isForFriends: row.is_for_friends === 1 };
}

interface FactsRow extends FactsBetween, ReachFacts {
  readonly state: FriendState | null;
  readonly is_session_active: 1 | null;
  /** Whether one of the two shows their presence to friends alone. */
  readonly is_for_friends: 1 | null;
}

const LISTS: Record<'friends' | 'requests', readonly FriendState[]> = {
  friends: ['friends'],
  requests: ['requested', 'asked'],
};

/**
 * A page of the user's friends and open requests, the latest change first, as of `seq` of the user's log.
 *
 * @throws {ServiceError} `invalid`, word `bad_cursor`
 */
export async function listFriends(
  db: Db,
  userId: string,
  request: FriendsFields,
): Promise<FriendPage & { seq: number }> {
  return db.snapshot(async (snapshot) => ({
    ...(await readFriends(snapshot, userId, request)),
    seq: await readHead(snapshot, userId),
  }));
}

/** The same as part of a larger snapshot. */
export async function readFriends(
  db: Queries,
  userId: string,
  { list, limit = PAGE_ENTRIES, after }: FriendsFields,
): Promise<FriendPage> {
  const place = readPlace(after);
  const states = list ? LISTS[list] : [...LISTS.friends, ...LISTS.requests];
  // One query for each state, each on its own range of the index, so that friends are found without reading all requests.
  const found = await Promise.all(
    states.map(
      (state) => db.all<FriendEntry>`
        select users.id, users.username, users.nickname, users.avatar, friends.state, friends.at
        from friends join users on users.id = friends.peer_id
        where friends.user_id = ${userId} and friends.state = ${state} and users.status <> 'deleted'
          and (friends.at, friends.peer_id) < (${place.at}, ${place.id})
        order by friends.at desc, friends.peer_id desc limit ${limit + 1}`,
    ),
  );
  const latestFirst = found.flat().sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));
  return cutPage(latestFirst, limit, (entry) => entry);
}

/** Removes open requests between the two and keeps a friendship, in the transaction of a block (architecture 6). */
export async function cancelRequests(tx: Queries, one: string, other: string): Promise<void> {
  const cancel = (userId: string, peerId: string) =>
    tx.run`delete from friends where user_id = ${userId} and peer_id = ${peerId} and state <> 'friends'`;
  await Promise.all([cancel(one, other), cancel(other, one)]);
}

/**
 * To be called in the transaction that deletes an account, with its inbox locked: removes both sides of all its friendships and
 * requests.
 */
export async function removeFriendsOfUser(tx: Queries, userId: string): Promise<void> {
  const rows = await tx.all<{ id: string }>`
    delete from friends where user_id = ${userId} returning peer_id as id`;
  await tx.run`
    delete from friends where peer_id = ${userId} and user_id in ${inList(rows.map(({ id }) => id))}`;
}

/** Behind the lock of the user's inbox parallel requests are counted one after the other. */
async function refuseTooManyRequests(db: Queries, userId: string): Promise<void> {
  const open = await db.get<{ n: number }>`
    select count(*) as n from friends where user_id = ${userId} and state = 'requested'`;
  if ((open?.n ?? 0) >= MAX_OPEN_REQUESTS)
    throw new ServiceError(
      'rate-limited',
      'too_many_open_requests',
      `待处理的好友申请已达${MAX_OPEN_REQUESTS}个，请先撤回一些`,
    );
}

async function writeState(
  tx: Tx,
  userId: string,
  peerId: string,
  state: FriendState,
  now: number,
): Promise<void> {
  if (state === 'none') await tx.run`delete from friends where user_id = ${userId} and peer_id = ${peerId}`;
  else
    await tx.run`
      insert into friends (user_id, peer_id, state, at) values (${userId}, ${peerId}, ${state}, ${now})
      on conflict (user_id, peer_id) do update set state = excluded.state, at = excluded.at`;
}
