import type { Clock } from '../clock.ts';
import type { LastSeen } from '../presence/last-seen.ts';
import type { OnlineUsers } from '../presence/online-users.ts';
import { emptyShape, type Membership } from './membership.ts';
import type { NodeTimes } from './node-times.ts';
import { reportUsers, type Users, usersShape } from './own-presence.ts';

/** How many users of a lost node are removed before other work gets a turn. */
const REMOVED_AT_ONCE = 1000;

interface SharedPresence {
  readonly lastSeen: Pick<LastSeen, 'hear' | 'note'>;
  readonly online: OnlineUsers;
}

/**
 * Shares with the other nodes which users are connected to which node (architecture 7.1). Each node sends what changes, in numbered messages. When
 * one of a node is missing, or a node is new, it is asked for a snapshot of all its users; the users of a node that has left are removed.
 *
 * @returns what sends the last changes and ends that
 */
export function sharePresence(
  membership: Membership,
  { lastSeen, online }: SharedPresence,
  clock: Clock,
  times: NodeTimes,
): Disposable {
  /** The nodes that were asked for a snapshot, with the users of its parts, and of the changes since the first; null before it. */
  const awaited = new Map<string, Set<string> | null>();

  function ask(node: string): void {
    awaited.set(node, null);
    membership.send(node, 'presence-ask', null);
  }

  /** A part is true by itself at its place among the changes. Only after all parts is it known who is not in them. */
  function onUsers(node: string, { users, isFirst, isLast }: Users): void {
    if (isFirst && awaited.has(node)) awaited.set(node, new Set());
    const userIds = awaited.get(node);
    for (const [userId, rows, leave] of users) {
      userIds?.add(userId);
      const [leftAt, saidGoodbye] = leave ?? [];
      if (leftAt !== undefined) lastSeen.hear(userId, leftAt);
      const connections = rows.map(([sessionId, openedAt, isActive, isAttentive]) => {
        return { sessionId, openedAt, isActive, isAttentive };
      });
      online.setElsewhere(node, userId, connections, saidGoodbye);
    }
    if (!isLast || !userIds) return;
    awaited.delete(node);
    for (const userId of online.idsOn(node)) if (!userIds.has(userId)) online.setElsewhere(node, userId, []);
  }

  /** @param isLost the node cannot write when its users were last online: each other node does */
  async function drop(node: string, isLost: boolean): Promise<void> {
    let removed = 0;
    for (const userId of online.idsOn(node)) {
      online.setElsewhere(node, userId, []);
      if (isLost && !online.isOnline(userId)) lastSeen.note(userId, clock.now());
      if (++removed % REMOVED_AT_ONCE === 0) await new Promise(setImmediate);
      // It has joined again: its snapshot says who is not there.
      if (membership.peers().includes(node)) return;
    }
  }

  const parts = new DisposableStack();
  const own = parts.use(reportUsers(membership, online, clock, times));
  online.hearOthersWhile(() => membership.isLinked);
  membership.handle('presence', usersShape, onUsers);
  membership.handle('presence-ask', emptyShape, () => own.sendSnapshot());
  membership.on('join', ask);
  membership.on('missed', (node, stream) => {
    if (stream === 'all') ask(node);
  });
  membership.on('leave', (node, reason) => {
    awaited.delete(node);
    void drop(node, reason === 'silent');
  });
  const askAgain = () => {
    for (const node of awaited.keys()) membership.send(node, 'presence-ask', null);
  };
  parts.use(clock.every(times.askAgainMs, askAgain));
  return parts;
}
