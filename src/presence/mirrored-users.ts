import type { LastSeen } from './last-seen.ts';
import type { OnlineUsers } from './online-users.ts';

/** How many users of a lost node are removed before other work gets a turn. */
const REMOVED_AT_ONCE = 1000;

export interface UserOfNode {
  /** At least 1. */
  readonly sockets: number;
  readonly active: number;
  readonly isAttentive: boolean;
  /** When the oldest of them sent `hello`, in epoch milliseconds. */
  readonly oldestAt: number;
}

/** How a user's last connection on one node ended, as that node reports it. */
export interface Leave {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly saidGoodbye: boolean;
}

/**
 * Which users are connected to the other nodes (architecture 7): the mirror. It adds what it is given to the union of all nodes.
 * All of it may be outdated by the time that a message between nodes takes, and by 15 s for a node that died; it is empty where
 * one server has the database.
 */
export class MirroredUsers {
  readonly #nodes = new Map<string, Map<string, UserOfNode>>();
  readonly #union: OnlineUsers;
  readonly #lastSeen: Pick<LastSeen, 'hear' | 'note'>;
  readonly #now: () => number;
  ownName = '';
  #onMoreSockets: (userId: string) => void = () => {};

  constructor(union: OnlineUsers, lastSeen: Pick<LastSeen, 'hear' | 'note'>, now: () => number) {
    this.#union = union;
    this.#lastSeen = lastSeen;
    this.#now = now;
  }

  /** The user has these connections on the node, and no others. */
  set(node: string, userId: string, user: UserOfNode): void {
    let users = this.#nodes.get(node);
    if (!users) {
      users = new Map();
      this.#nodes.set(node, users);
    }
    const known = users.get(userId);
    users.set(userId, user);
    const more = user.sockets - (known?.sockets ?? 0);
    const moreActive = user.active - (known?.active ?? 0);
    if (more !== 0 || moreActive !== 0) this.#union.change(userId, more, moreActive);
    if (more > 0) this.#onMoreSockets(userId);
  }

  /** The user has no connection on the node any more. @param leave undefined if the report of it was lost */
  remove(node: string, userId: string, leave?: Leave): void {
    if (leave) this.#lastSeen.hear(userId, leave.at);
    const users = this.#nodes.get(node);
    const known = users?.get(userId);
    if (!users || !known) return;
    users.delete(userId);
    if (users.size === 0) this.#nodes.delete(node);
    this.#union.change(userId, -known.sockets, -known.active, leave?.saidGoodbye);
  }

  /**
   * The node has left, or cannot be heard.
   *
   * @param isLost it cannot write when its users were last online: each other node does
   */
  async drop(node: string, isLost: boolean): Promise<void> {
    const users = this.#nodes.get(node);
    this.#nodes.delete(node);
    let removed = 0;
    for (const [userId, { sockets, active }] of users ?? []) {
      this.#union.change(userId, -sockets, -active);
      if (isLost && !this.#union.isOnline(userId)) this.#lastSeen.note(userId, this.#now());
      if (++removed % REMOVED_AT_ONCE === 0) await new Promise(setImmediate);
    }
  }

  /** Removes the users of the node that are not among these. */
  keepOnly(node: string, userIds: ReadonlySet<string>): void {
    for (const userId of this.#nodes.get(node)?.keys() ?? [])
      if (!userIds.has(userId)) this.remove(node, userId);
  }

  nodesOf(userId: string): string[] {
    const nodes: string[] = [];
    for (const [node, users] of this.#nodes) if (users.has(userId)) nodes.push(node);
    return nodes;
  }

  isAttentive(userId: string): boolean {
    for (const users of this.#nodes.values()) if (users.get(userId)?.isAttentive) return true;
    return false;
  }

  /** How many connections the user has on other nodes. */
  countOf(userId: string): number {
    let sockets = 0;
    for (const users of this.#nodes.values()) sockets += users.get(userId)?.sockets ?? 0;
    return sockets;
  }

  /**
   * Whether another node has an older connection of the user. Nodes agree on which is the oldest: of connections of the same
   * moment that of the node with the lesser name.
   *
   * @param at when this node's oldest one sent `hello`, in epoch milliseconds
   */
  hasOlder(userId: string, at: number): boolean {
    for (const [node, users] of this.#nodes) {
      const { oldestAt = Number.POSITIVE_INFINITY } = users.get(userId) ?? {};
      if (oldestAt < at || (oldestAt === at && node < this.ownName)) return true;
    }
    return false;
  }

  /** @param listener called after a user has got more connections on another node */
  onMoreSockets(listener: (userId: string) => void): void {
    this.#onMoreSockets = listener;
  }
}
