import type { Clock } from '../clock.ts';
import type { MirroredUsers } from '../presence/mirrored-users.ts';
import type { Membership } from './membership.ts';
import { emptyShape } from './node-messages.ts';
import { type OwnPresence, PRESENCE_TIMES, type PresenceTimes } from './own-presence.ts';
import {
  type Delta,
  deltaShape,
  type SnapshotPiece,
  snapshotShape,
  type UserRow,
} from './presence-messages.ts';

interface Awaited {
  /** The number of the snapshot whose pieces have all come so far; null before its first piece. */
  snapshot: number | null;
  nextPiece: number;
  /** The users who are in the pieces so far, or have come since. */
  userIds: Set<string>;
  hasProgressed: boolean;
}

/**
 * Keeps the mirror of the other nodes' presence (architecture 7): each node sends what changes, in numbered messages. When a
 * message of a node is missing, or a node is new, it is asked for a snapshot of all its users; a node that has left is dropped.
 */
export class PresenceMirror implements Disposable {
  readonly #membership: Membership;
  readonly #mirror: MirroredUsers;
  readonly #awaited = new Map<string, Awaited>();
  readonly #interval: Disposable;

  constructor(
    membership: Membership,
    mirror: MirroredUsers,
    own: OwnPresence,
    clock: Pick<Clock, 'every'>,
    { askAgainMs }: PresenceTimes = PRESENCE_TIMES,
  ) {
    this.#membership = membership;
    this.#mirror = mirror;
    mirror.ownName = membership.name;
    membership.on('presence', deltaShape, (from, data) => this.#onDelta(from, data));
    membership.on('presence-snapshot', snapshotShape, (from, data) => this.#onPiece(from, data));
    membership.on('presence-ask', emptyShape, () => own.sendSnapshot());
    membership.onJoin((node) => this.#ask(node));
    membership.onMissed((node, stream) => {
      if (stream === 'all') this.#ask(node);
    });
    membership.onLeave((node, reason) => {
      this.#awaited.delete(node);
      void mirror.drop(node, reason === 'silent');
    });
    this.#interval = clock.every(askAgainMs, () => this.#askAgain());
  }

  /** Call it when this node has a new name. */
  rename(): void {
    this.#mirror.ownName = this.#membership.name;
  }

  [Symbol.dispose](): void {
    this.#interval[Symbol.dispose]();
  }

  #ask(node: string): void {
    this.#awaited.set(node, { snapshot: null, nextPiece: 0, userIds: new Set(), hasProgressed: true });
    this.#membership.send(node, 'presence-ask', null);
  }

  #askAgain(): void {
    for (const [node, awaited] of [...this.#awaited]) {
      if (!awaited.hasProgressed) this.#ask(node);
      else awaited.hasProgressed = false;
    }
  }

  #onDelta(node: string, { users, left }: Delta): void {
    this.#set(node, users, this.#awaited.get(node));
    for (const [userId, at, saidGoodbye] of left) this.#mirror.remove(node, userId, { at, saidGoodbye });
  }

  /** A piece is true by itself at its place among the deltas. Only after all pieces is it known who is not in them. */
  #onPiece(node: string, { snapshot, piece, isLast, users }: SnapshotPiece): void {
    const awaited = this.#awaited.get(node);
    if (awaited && piece === 0) {
      awaited.snapshot = snapshot;
      awaited.nextPiece = 0;
      awaited.userIds.clear();
    }
    this.#set(node, users, awaited);
    if (awaited?.snapshot !== snapshot || awaited.nextPiece !== piece) return;
    awaited.nextPiece++;
    awaited.hasProgressed = true;
    if (!isLast) return;
    this.#awaited.delete(node);
    this.#mirror.keepOnly(node, awaited.userIds);
  }

  #set(node: string, rows: readonly UserRow[], awaited: Awaited | undefined): void {
    for (const [userId, sockets, active, isAttentive, oldestAt] of rows) {
      awaited?.userIds.add(userId);
      this.#mirror.set(node, userId, { sockets, active, isAttentive, oldestAt });
    }
  }
}
