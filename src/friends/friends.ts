import { refuseEndedSession } from '../accounts/session-lookup.ts';
import { refuseIfBlocked } from '../blocks/blocks.ts';
import type { Queries, Tx } from '../db/db.ts';
import { ServiceError } from '../errors.ts';
import { type Inboxes, withInboxes } from '../inbox/inbox.ts';
import type { FriendAct, FriendEntry, FriendState } from './schemas.ts';

/** What each act makes of a state; what is not named here is refused. An act that was done already changes nothing. */
const TRANSITIONS: Record<FriendAct, Partial<Record<FriendState, FriendState>>> = {
  // Who requests the one who asked him means yes.
  request: { none: 'requested', requested: 'requested', asked: 'friends', friends: 'friends' },
  cancel: { requested: 'none', none: 'none' },
  accept: { asked: 'friends', friends: 'friends' },
  decline: { asked: 'none', none: 'none' },
  remove: { friends: 'none', none: 'none' },
};

/** The same relation seen from the other side. */
const OTHER_SIDE: Record<FriendState, FriendState> = {
  none: 'none',
  requested: 'asked',
  asked: 'requested',
  friends: 'friends',
};

/**
 * One step between two people: both see the new state as a `friend` event (DESIGN 5). While one blocks the other there
 * are no steps: what was asked is over then, and a friendship rests as it is.
 *
 * @returns what `peerId` is to the caller now
 * @throws {ServiceError} `invalid` for oneself, or an act that the state does not allow (`friend_state`); `not-found`;
 *   `forbidden` as `refuseIfBlocked` says; `unauthenticated` when the session ended meanwhile
 */
export async function befriend(
  inboxes: Inboxes,
  caller: { userId: string; sessionId: string },
  act: FriendAct,
  peerId: string,
  now: number,
): Promise<FriendState> {
  const { userId } = caller;
  if (peerId === userId) throw new ServiceError('invalid', 'friend_self', '不能添加自己为好友');
  return withInboxes(inboxes, [userId, peerId], now, async (tx, append) => {
    const [state] = await Promise.all([
      readState(tx, userId, peerId),
      refuseEndedSession(tx, caller.sessionId),
      refuseIfBlocked(tx, userId, peerId),
    ]);
    const next = TRANSITIONS[act][state];
    if (next === undefined) throw new ServiceError('invalid', 'friend_state', '当前好友状态不支持此操作');
    if (next === state) return state;
    await Promise.all([
      writeState(tx, userId, peerId, next, now),
      writeState(tx, peerId, userId, OTHER_SIDE[next], now),
      append(userId, 'friend', { userId: peerId, state: next }),
      append(peerId, 'friend', { userId, state: OTHER_SIDE[next] }),
    ]);
    return next;
  });
}

/** The caller's friends and open requests, the latest change first. */
export async function listFriends(db: Queries, userId: string): Promise<FriendEntry[]> {
  return db.all<FriendEntry>`
    select users.id, users.username, users.nickname, users.avatar, friends.state, friends.at
    from friends join users on users.id = friends.peer_id
    where friends.user_id = ${userId} and users.status <> 'deleted' order by friends.at desc, users.id`;
}

/** In the transaction of a block: what was asked between the two is over; a friendship is kept (DESIGN 4). */
export async function cancelRequests(tx: Tx, one: string, other: string): Promise<void> {
  await tx.run`
    delete from friends where state <> 'friends'
      and ((user_id = ${one} and peer_id = ${other}) or (user_id = ${other} and peer_id = ${one}))`;
}

async function readState(tx: Tx, userId: string, peerId: string): Promise<FriendState> {
  const row = await tx.get<{ state: FriendState }>`
    select state from friends where user_id = ${userId} and peer_id = ${peerId}`;
  return row?.state ?? 'none';
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
