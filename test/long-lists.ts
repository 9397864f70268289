import { hourOf } from '../src/chat/conversations.ts';
import type { Db } from '../src/db/db.ts';

/** The time of the `i`-th entry of a list, so the last one is the latest. */
const at = (i: number) => 1000 + i;

/** A conversation of the user with each of `peers`: one message of the peer, unread. @returns the peers, the latest first */
export async function addConversations(
  db: Db,
  userId: string,
  peers: readonly string[],
): Promise<readonly string[]> {
  await db.transaction(async (tx) => {
    for (const [i, peer] of peers.entries()) {
      const [low = '', high = ''] = [userId, peer].sort();
      await tx.run`
        insert into messages (low_id, high_id, n, sender_id, cid, body, at)
        values (${low}, ${high}, 1, ${peer}, 'c', ${`hi ${i}`}, ${at(i)})`;
      for (const [user_id, peer_id, unread] of [
        [userId, peer, 1],
        [peer, userId, 0],
      ] as const)
        await tx.run`
          insert into conversations (user_id, peer_id, n, last_at, last_hour, unread)
          values (${user_id}, ${peer_id}, 1, ${at(i)}, ${hourOf(at(i))}, ${unread})`;
    }
  });
  return peers.toReversed();
}

/** A friendship or request with each of `peers`. @returns the peers, the latest first */
export async function addFriends(
  db: Db,
  userId: string,
  peers: readonly string[],
  state: 'friends' | 'asked' | 'requested',
): Promise<readonly string[]> {
  const otherSide = { friends: 'friends', asked: 'requested', requested: 'asked' }[state];
  await db.transaction(async (tx) => {
    for (const [i, peer] of peers.entries())
      for (const [user_id, peer_id, is] of [
        [userId, peer, state],
        [peer, userId, otherSide],
      ] as const)
        await tx.run`insert into friends (user_id, peer_id, state, at) values (${user_id}, ${peer_id}, ${is}, ${at(i)})`;
  });
  return peers.toReversed();
}

/** Blocks of each of `peers` by the user. @returns the peers, the latest first */
export async function addBlocks(
  db: Db,
  userId: string,
  peers: readonly string[],
): Promise<readonly string[]> {
  await db.transaction(async (tx) => {
    for (const [i, peer] of peers.entries())
      await tx.run`
        insert into blocks (blocker_id, blocked_id, created_at, position) values (${userId}, ${peer}, ${at(i)}, ${i + 1})`;
  });
  return peers.toReversed();
}

/**
 * A conversation that both have read, with one message of `bodies` every `everyMs`, the last one now. Two of three are of
 * the peer.
 */
export async function addMessages(
  db: Db,
  userId: string,
  peer: string,
  bodies: readonly string[],
  everyMs = 60_000,
): Promise<void> {
  const [low = '', high = ''] = [userId, peer].sort();
  const count = bodies.length;
  const now = Date.now();
  await db.transaction(async (tx) => {
    for (const [i, body] of bodies.entries())
      await tx.run`
        insert into messages (low_id, high_id, n, sender_id, cid, body, at)
        values (${low}, ${high}, ${i + 1}, ${i % 3 === 2 ? userId : peer}, ${`${peer} ${i + 1}`}, ${body},
          ${now - (count - 1 - i) * everyMs})`;
    for (const [user_id, peer_id] of [
      [userId, peer],
      [peer, userId],
    ] as const)
      await tx.run`
        insert into conversations (user_id, peer_id, n, last_at, last_hour, received, read, unread)
        values (${user_id}, ${peer_id}, ${count}, ${now}, ${hourOf(now)}, ${count}, ${count}, 0)`;
  });
}
