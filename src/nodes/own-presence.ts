import type { Clock } from '../clock.ts';
import type { Leave } from '../presence/mirrored-users.ts';
import type { OnlineUsers } from '../presence/online-users.ts';
import type { Attention } from '../push/queue/attention.ts';
import type { Membership } from './membership.ts';
import type { Delta, SnapshotPiece, UserRow } from './presence-messages.ts';

export interface PresenceTimes {
  /** Changes of presence are gathered for so long; the first one after such a pause is sent at once. */
  readonly gatherMs: number;
  /** A node sends at most one snapshot in this time, however many ask. */
  readonly snapshotPauseMs: number;
  /** After this time without a piece, a snapshot is requested again. */
  readonly askAgainMs: number;
}

export const PRESENCE_TIMES: PresenceTimes = { gatherMs: 100, snapshotPauseMs: 2_000, askAgainMs: 3_000 };

const USERS_PER_MESSAGE = 1000;

/** The connections of this node's users, which their sockets answer. */
export interface OwnSockets {
  /** When the user's oldest connection was opened, in epoch milliseconds; 0 if they have none. */
  oldestOf(userId: string): number;
  /** The sessions of the user that have a connection; some may be named twice. */
  sessionsOf(userId: string): string[];
}

/** Sends the other nodes which users are connected to this one: what changes, and all of them when a node asks. */
export class OwnPresence implements Disposable {
  readonly #membership: Pick<Membership, 'broadcast'>;
  readonly #local: OnlineUsers;
  readonly #attention: Attention;
  readonly #clock: Pick<Clock, 'monotonicMs' | 'now'>;
  readonly #times: PresenceTimes;
  /** The users to report, with how they left if they did. */
  #changed = new Map<string, Leave | null>();
  #sockets: Pick<OwnSockets, 'oldestOf'> = { oldestOf: () => 0 };
  #deltaTimer: NodeJS.Timeout | undefined;
  #deltaAtMs = Number.NEGATIVE_INFINITY;
  #snapshotTimer: NodeJS.Timeout | undefined;
  #snapshotAtMs = Number.NEGATIVE_INFINITY;
  #snapshots = 0;
  #isDisposed = false;

  constructor(
    membership: Pick<Membership, 'broadcast'>,
    local: OnlineUsers,
    attention: Attention,
    clock: Pick<Clock, 'monotonicMs' | 'now'>,
    times: PresenceTimes = PRESENCE_TIMES,
  ) {
    this.#membership = membership;
    this.#local = local;
    this.#attention = attention;
    this.#clock = clock;
    this.#times = times;
    local.onCount((userId) => this.#report(userId, null));
    attention.onChange((userId) => this.#report(userId, null));
    local.onChange((userId, _isOnline, disconnect) => {
      if (disconnect) this.#changed.set(userId, { at: clock.now(), saidGoodbye: disconnect.saidGoodbye });
    });
  }

  attach(sockets: Pick<OwnSockets, 'oldestOf'>): void {
    this.#sockets = sockets;
  }

  /** Sends all users, soon: one snapshot answers all who ask until it begins. */
  sendSnapshot(): void {
    const { gatherMs, snapshotPauseMs } = this.#times;
    const inMs = Math.max(gatherMs, this.#snapshotAtMs + snapshotPauseMs - this.#clock.monotonicMs());
    this.#snapshotTimer ??= setTimeout(() => {
      this.#snapshotTimer = undefined;
      void this.#sendPieces();
    }, inMs).unref();
  }

  /** Sends what was gathered. */
  [Symbol.dispose](): void {
    if (this.#isDisposed) return;
    this.#sendDelta();
    this.#isDisposed = true;
    clearTimeout(this.#deltaTimer);
    clearTimeout(this.#snapshotTimer);
  }

  #report(userId: string, leave: Leave | null): void {
    if (this.#isDisposed) return;
    this.#changed.set(userId, leave);
    const inMs = Math.max(0, this.#deltaAtMs + this.#times.gatherMs - this.#clock.monotonicMs());
    // Never at once: the socket that changes is half way through its changes.
    this.#deltaTimer ??= setTimeout(() => this.#sendDelta(), inMs).unref();
  }

  #sendDelta(): void {
    clearTimeout(this.#deltaTimer);
    this.#deltaTimer = undefined;
    this.#deltaAtMs = this.#clock.monotonicMs();
    const changed = [...this.#changed];
    this.#changed = new Map();
    for (let i = 0; i < changed.length; i += USERS_PER_MESSAGE) {
      const delta: Delta = { users: [], left: [] };
      for (const [userId, leave] of changed.slice(i, i + USERS_PER_MESSAGE)) {
        const row = this.#rowOf(userId);
        if (row) delta.users.push(row);
        else if (leave) delta.left.push([userId, leave.at, leave.saidGoodbye]);
      }
      this.#membership.broadcast('presence', delta);
    }
  }

  /** Other work has its turn between the pieces. Each piece is true at the moment in which it is sent. */
  async #sendPieces(): Promise<void> {
    this.#snapshotAtMs = this.#clock.monotonicMs();
    const snapshot = ++this.#snapshots;
    const userIds = this.#local.onlineIds();
    const pieces = Math.max(1, Math.ceil(userIds.length / USERS_PER_MESSAGE));
    for (let piece = 0; piece < pieces && !this.#isDisposed; piece++) {
      const ids = userIds.slice(piece * USERS_PER_MESSAGE, (piece + 1) * USERS_PER_MESSAGE);
      const users = ids.map((id) => this.#rowOf(id)).filter((row) => row !== undefined);
      const isLast = piece === pieces - 1;
      // Who came after the list was made is not in it, and must not count as gone.
      if (isLast) this.#sendDelta();
      this.#membership.broadcast('presence-snapshot', {
        snapshot,
        piece,
        isLast,
        users,
      } satisfies SnapshotPiece);
      await new Promise(setImmediate);
    }
  }

  #rowOf(userId: string): UserRow | undefined {
    const { connections, active } = this.#local.countsOf(userId);
    if (connections === 0) return undefined;
    const isAttentive = this.#attention.isAttentive(userId);
    return [userId, connections, active, isAttentive, this.#sockets.oldestOf(userId)];
  }
}
