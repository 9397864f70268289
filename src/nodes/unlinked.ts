import type { Clock } from '../clock.ts';
import type { Db } from '../db/db.ts';
import { type ChangeReader, UNLINKED_MS } from '../events/change-reader.ts';
import { recordChange } from '../events/changes.ts';
import type { AnnouncementTimes } from './announcements.ts';
import type { Link } from './link.ts';
import type { MembershipTimes } from './membership-times.ts';

type Times = Pick<AnnouncementTimes, 'unknownMs'> & Pick<MembershipTimes, 'heartbeatMs'>;

/**
 * What holds while this node or another one has no link. Such a node is silent to the others, as one that has ended, and serves
 * nevertheless: with each heartbeat it writes a row of `changes`, and while that is younger than 15 s the answers of changes wait
 * `unknownMs`. So what was read within that time may be used, on a node of which the others know.
 */
export class Unlinked implements Disposable {
  readonly #link: Pick<Link, 'isUp' | 'onDown'>;
  readonly #db: Db;
  readonly #changes: Pick<ChangeReader, 'ageMs' | 'hasUnlinkedNode'>;
  readonly #monotonicMs: () => number;
  readonly #unknownMs: number;
  readonly #onFault: (error: unknown) => void;
  readonly #timer: Disposable;
  /** The others know of this node between these times, though it has no link. */
  #knownFromMs = Number.NEGATIVE_INFINITY;
  #knownUntilMs = Number.NEGATIVE_INFINITY;

  /** @param onFault called when a row could not be written; the next heartbeat writes another one */
  constructor(
    link: Pick<Link, 'isUp' | 'onDown'>,
    db: Db,
    changes: Pick<ChangeReader, 'ageMs' | 'hasUnlinkedNode'>,
    clock: Pick<Clock, 'every' | 'monotonicMs'>,
    times: Times,
    onFault: (error: unknown) => void,
  ) {
    this.#link = link;
    this.#db = db;
    this.#changes = changes;
    this.#monotonicMs = clock.monotonicMs;
    this.#unknownMs = times.unknownMs;
    this.#onFault = onFault;
    // For a moment it is still a member for the others.
    link.onDown(() => {
      this.#knownUntilMs = Math.max(this.#knownUntilMs, this.#monotonicMs() + 2 * this.#unknownMs);
    });
    this.#timer = clock.every(times.heartbeatMs, () => void this.record());
  }

  /** Whether a node may serve of which this one has neither a message nor a row: the rows were read late, or one is unlinked. */
  get mayMissNodes(): boolean {
    return this.#changes.hasUnlinkedNode || this.#changes.ageMs >= 2 * this.#unknownMs;
  }

  /** Whether the answers of other nodes wait until this one has read what they changed. */
  get isTrusted(): boolean {
    const { isUp } = this.#link;
    if (isUp && !this.#changes.hasUnlinkedNode) return true;
    return (isUp || this.#isKnown) && this.#changes.ageMs < this.#unknownMs;
  }

  /** Writes that this node has no link, if that is so. */
  async record(): Promise<void> {
    if (this.#link.isUp) return;
    const beganAtMs = this.#monotonicMs();
    try {
      await this.#db.transaction((tx) => recordChange(tx, { type: 'hints-lost' }));
    } catch (error) {
      this.#onFault(error);
      return;
    }
    // The others have to read of an unknown node first: those that read late wait by themselves.
    const nowMs = this.#monotonicMs();
    if (nowMs >= this.#knownUntilMs) this.#knownFromMs = nowMs + 3 * this.#unknownMs;
    this.#knownUntilMs = beganAtMs + UNLINKED_MS;
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }

  get #isKnown(): boolean {
    const nowMs = this.#monotonicMs();
    return nowMs >= this.#knownFromMs && nowMs < this.#knownUntilMs;
  }
}
