import { sessionEnded } from '../accounts/session-lookup.ts';
import type { Db, Queries, Tx } from '../db/db.ts';
import { inList } from '../db/fragments.ts';
import { ServiceError } from '../errors.ts';
import type { FriendState } from '../events/log-events.ts';
import { cutPage, PAGE_ENTRIES, type PageRequest, readPlace } from '../http/pages.ts';
import { type Checked, checkThenLock, type Inboxes, readHead } from '../inbox/inbox.ts';
import { refusalBetween } from './blocks.ts';
import { type FriendLimits, MAX_OPEN_REQUESTS } from './friend-limits.ts';
import type { FriendAction, FriendEntry, FriendPage } from './schemas.ts';

/** The state after each action; a pair that is missing here is refused. A repeated action changes nothing. */
const TRANSITIONS: Record<FriendAction, Partial<Record<FriendState, FriendState>>> = {
  // A request to a user who already sent one accepts theirs.
  request: { none: 'requested', requested: 'requested', asked: 'friends', friends: 'friends' },
  cancel: { requested: 'none', none: 'none' },
  accept: { asked: 'friends', friends: 'friends' },
  decline: { asked: 'none', none: 'none' },
  remove: { friends: 'none', none: 'none' },
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
 * @returns the new state as the caller sees it
 * @throws {ServiceError} `invalid` for oneself, or for an action that the state does not allow (`friend_state`); `not-found`;
 *   `forbidden` as `refusalBetween` says; `unauthenticated` when the session ended meanwhile; `rate-limited` with
 *   `too_many_open_requests` or as `FriendLimits` says
 */
export async function changeFriendship(
  { friendLimits, ...inboxes }: Inboxes & { readonly friendLimits: FriendLimits },
  caller: { userId: string; sessionId: string },
  action: FriendAction,
  peerId: string,
  now: number,
): Promise<FriendState> {
  const { userId } = caller;
  if (peerId === userId) throw new ServiceError('invalid', 'friend_self', '不能添加自己为好友');
  let isCounted = false;
  const check = async (db: Queries): Promise<Checked<FriendState, FriendState>> => {
    const state = await readAllowedState(db, caller, peerId);
    const next = TRANSITIONS[action][state];
    if (next === undefined) throw new ServiceError('invalid', 'friend_state', '当前好友状态不支持此操作');
    if (next === state) return { answer: state };
    if (next === 'requested') await refuseTooManyRequests(db, userId);
    if (!isCounted) friendLimits.check(userId, action, peerId, next);
    return { change: next };
  };
  return checkThenLock(inboxes, [userId, peerId], now, check, async (tx, append, next) => {
    // Count once, though the transaction may run again.
    if (!isCounted) friendLimits.take(userId, action, peerId, next);
    isCounted = true;
    await Promise.all([
      writeState(tx, userId, peerId, next, now),
      writeState(tx, peerId, userId, OTHER_SIDE[next], now),
      append(userId, 'friend', { userId: peerId, state: next }),
      append(peerId, 'friend', { userId, state: OTHER_SIDE[next] }),
    ]);
    return next;
  });
}

/**
 * The relation as the caller sees it, read together with what refuses every action.
 *
 * @throws {ServiceError} `unauthenticated`; `forbidden` as `refusalBetween` says
 */
async function readAllowedState(
  db: Queries,
  { userId, sessionId }: { userId: string; sessionId: string },
  peerId: string,
): Promise<FriendState> {
  const row = await db.get<FactsRow>`
    select (select state from friends where user_id = ${userId} and peer_id = ${peerId}) as state,
      (select 1 from sessions where id = ${sessionId}) as is_session_active,
      (select 1 from blocks where blocker_id = ${userId} and blocked_id = ${peerId}) as has_blocked,
      (select 1 from blocks where blocker_id = ${peerId} and blocked_id = ${userId}) as is_blocked,
      (select 1 from users where id = ${peerId} and status = 'active') as is_peer_active`;
  if (!row?.is_session_active) throw sessionEnded();
  const refused = refusalBetween({
    hasBlocked: row.has_blocked === 1,
    isBlocked: row.is_blocked === 1,
    isRecipientActive: row.is_peer_active === 1,
  });
  if (refused) throw refused;
  return row.state ?? 'none';
}

interface FactsRow {
  readonly state: FriendState | null;
  readonly is_session_active: 1 | null;
  readonly has_blocked: 1 | null;
  readonly is_blocked: 1 | null;
  readonly is_peer_active: 1 | null;
}

/** A page of one of the two lists, or of both if `list` is left out. */
interface FriendsRequest extends PageRequest {
  readonly list?: 'friends' | 'requests';
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
  request: FriendsRequest,
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
  { list, limit = PAGE_ENTRIES, after }: FriendsRequest,
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
  const { rows, next } = cutPage(latestFirst, limit, ({ at, id }) => ({ at, id }));
  return { items: [...rows], ...(next !== undefined && { next }) };
}

/** Removes open requests between the two and keeps a friendship, in the transaction of a block (architecture 6). */
export async function cancelRequests(tx: Tx, one: string, other: string): Promise<void> {
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
