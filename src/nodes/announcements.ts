import { setTimeout as delay } from 'node:timers/promises';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Clock } from '../clock.ts';
import type { Change, Events } from '../events/hints.ts';
import type { Membership } from './membership.ts';

const CHANGES = 'changes';
const APPLIED = 'applied';

export interface AnnouncementTimes {
  /** How long an answer waits for other nodes; one that does not say so has read the changes from the database by then. */
  readonly appliedMs: number;
  /** How long it waits at least where nodes may be unknown, as while a link is down: all have read the changes by then. */
  readonly unknownMs: number;
}

export const ANNOUNCEMENT_TIMES: AnnouncementTimes = { appliedMs: 600, unknownMs: 600 };

const Announcement = Type.Object({
  id: Type.Integer(),
  changes: Type.Array(
    // Kinds of a newer version may be others.
    Type.Unsafe<Change>(Type.Object({ id: Type.String(), kind: Type.String(), subject: Type.String() })),
  ),
});
const announcementShape = Compile(Announcement);
const idShape = Compile(Type.Integer());

/** What a node does with the changes of another one; resolves when all that it answers from now on agrees with them. */
type Apply = (changes: readonly Change[]) => Promise<void>;

/**
 * Lets the answer of a change wait until the other nodes have applied it: so a caller whose next request goes to another node
 * finds what they have just written.
 */
export class Announcements {
  readonly #membership: Membership;
  readonly #waiting = new Map<number, { nodes: Set<string>; resolve: () => void }>();
  readonly #beforeSending: () => void;
  readonly #mayMissNodes: () => boolean;
  readonly #monotonicMs: () => number;
  readonly #times: AnnouncementTimes;
  #lastId = 0;
  /** Until then other nodes may not be known yet. */
  #isNewUntil = Number.POSITIVE_INFINITY;

  constructor(
    membership: Membership,
    events: Events,
    { monotonicMs }: Pick<Clock, 'monotonicMs'>,
    options: {
      apply: Apply;
      beforeSending: () => void;
      /** Whether a node may serve that is not a member. */
      mayMissNodes: () => boolean;
      onFault: (error: unknown) => void;
    },
    times: AnnouncementTimes = ANNOUNCEMENT_TIMES,
  ) {
    this.#monotonicMs = monotonicMs;
    this.#times = times;
    this.#membership = membership;
    this.#beforeSending = options.beforeSending;
    this.#mayMissNodes = options.mayMissNodes;
    events.onAnnounce((changes) => this.#announce(changes));
    membership.on(CHANGES, announcementShape, (from, { id, changes }) => {
      options.apply(changes).then(() => membership.send(from, APPLIED, id), options.onFault);
    });
    membership.on(APPLIED, idShape, (from, id) => this.#onApplied(from, id));
    membership.onLeave((node) => {
      for (const id of this.#waiting.keys()) this.#onApplied(node, id);
    });
  }

  /** Call it when the link came up: for a moment the other nodes are unknown. */
  onLinkUp(): void {
    this.#isNewUntil = this.#monotonicMs() + this.#times.unknownMs;
  }

  async #announce(changes: readonly Change[]): Promise<void> {
    const id = ++this.#lastId;
    const { isLinked } = this.#membership;
    const nodes = new Set(isLinked ? this.#membership.peers() : []);
    this.#beforeSending();
    this.#membership.broadcast(CHANGES, { id, changes });
    const mayMissNodes = !isLinked || this.#monotonicMs() < this.#isNewUntil || this.#mayMissNodes();
    await Promise.all([
      nodes.size > 0 && this.#applied(id, nodes),
      mayMissNodes && delay(this.#times.unknownMs),
    ]);
  }

  async #applied(id: number, nodes: Set<string>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, this.#times.appliedMs);
    this.#waiting.set(id, { nodes, resolve });
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(id);
  }

  #onApplied(node: string, id: number): void {
    const waiting = this.#waiting.get(id);
    waiting?.nodes.delete(node);
    if (waiting?.nodes.size === 0) waiting.resolve();
  }
}
