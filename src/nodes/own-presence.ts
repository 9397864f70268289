import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Clock } from '../clock.ts';
import type { OnlineUsers } from '../presence/online-users.ts';
import type { Membership } from './membership.ts';
import type { NodeTimes } from './node-times.ts';

const USERS_PER_MESSAGE = 1000;

// Tuples, because a snapshot has one for each user of a node.
const ConnectionRow = Type.Tuple([Type.String(), Type.Number(), Type.Boolean(), Type.Boolean()], {
  description: 'Id of the session, when it said `hello` (epoch ms), whether it is active, and attentive',
});
const LeaveRow = Type.Tuple([Type.Number(), Type.Boolean()], {
  description: 'When the last connection ended (epoch ms), whether by `bye`',
});
const UserRow = Type.Tuple([Type.String(), Type.Array(ConnectionRow), Type.Union([LeaveRow, Type.Null()])], {
  description: 'Id, all connections to the node, how the user left if they did',
});
const Users = Type.Object({
  users: Type.Array(UserRow),
  isFirst: Type.Boolean({ description: 'The first part of a snapshot' }),
  isLast: Type.Boolean({ description: 'Its last part' }),
});
export type Users = Static<typeof Users>;
export const usersShape = Compile(Users);
type UserRow = Static<typeof UserRow>;
type ConnectionRow = Static<typeof ConnectionRow>;
type Leave = Static<typeof LeaveRow>;

/**
 * Sends the other nodes which users are connected to this one: what changes, and all of them when a node asks.
 *
 * @returns what sends all users, and ends with what was gathered
 */
export function reportUsers(
  membership: Pick<Membership, 'broadcast'>,
  online: OnlineUsers,
  { monotonicMs }: Pick<Clock, 'monotonicMs'>,
  { gatherMs, snapshotPauseMs }: NodeTimes,
): Disposable & { sendSnapshot(): void } {
  /** The users to report, with how they left if they did. */
  let changed = new Map<string, Leave | null>();
  let changesTimer: NodeJS.Timeout | undefined;
  let changesAtMs = Number.NEGATIVE_INFINITY;
  let snapshotTimer: NodeJS.Timeout | undefined;
  let snapshotAtMs = Number.NEGATIVE_INFINITY;
  let sending = Promise.resolve();
  let isDisposed = false;

  online.onHere((userId, change, at, saidGoodbye) => {
    if (isDisposed) return;
    changed.set(userId, change === 'last' ? [at, saidGoodbye] : null);
    const inMs = Math.max(0, changesAtMs + gatherMs - monotonicMs());
    // Never at once: the socket that changes is half way through its changes.
    changesTimer ??= setTimeout(sendChanges, inMs).unref();
  });

  function sendChanges(): void {
    clearTimeout(changesTimer);
    changesTimer = undefined;
    changesAtMs = monotonicMs();
    const users = [...changed];
    changed = new Map();
    for (let i = 0; i < users.length; i += USERS_PER_MESSAGE)
      send(users.slice(i, i + USERS_PER_MESSAGE), false, false);
  }

  /** Other work has its turn between the parts. Each is true at the moment in which it is sent. */
  async function sendParts(): Promise<void> {
    snapshotAtMs = monotonicMs();
    const users = online.idsHere().map((id) => [id, null] as const);
    const end = Math.max(1, users.length);
    for (let i = 0; i < end && !isDisposed; i += USERS_PER_MESSAGE) {
      // Who came after the list was made is not in it, and must not count as gone. Of who left, a part does not say how.
      sendChanges();
      send(users.slice(i, i + USERS_PER_MESSAGE), i === 0, i + USERS_PER_MESSAGE >= end);
      await new Promise(setImmediate);
    }
  }

  function send(
    users: readonly (readonly [userId: string, Leave | null])[],
    isFirst: boolean,
    isLast: boolean,
  ): void {
    const rows = users.map(([userId, leave]): UserRow => {
      const connections = online
        .here(userId)
        .map((one): ConnectionRow => [one.sessionId, one.openedAt, one.isActive, one.isAttentive]);
      return [userId, connections, connections.length === 0 ? leave : null];
    });
    membership.broadcast('presence', { users: rows, isFirst, isLast } satisfies Users);
  }

  return {
    /** Soon: one snapshot answers all who ask until it begins. */
    sendSnapshot() {
      const inMs = Math.max(gatherMs, snapshotAtMs + snapshotPauseMs - monotonicMs());
      snapshotTimer ??= setTimeout(() => {
        snapshotTimer = undefined;
        // Parts of two snapshots would be taken for one.
        sending = sending.then(sendParts);
      }, inMs).unref();
    },
    [Symbol.dispose]() {
      sendChanges();
      isDisposed = true;
      clearTimeout(snapshotTimer);
    },
  };
}
