import type { Clock } from '../clock.ts';
import type { Delivery } from './delivery.ts';

/** Other nodes may not know yet of a device that joined so recently, so hints for it go nowhere. */
const RECENT_MS = 500;

export interface SweepTimes {
  /** The log of each user is checked once in this time. */
  readonly sweepMs: number;
  /** The same while hints of other nodes arrive: a missing one is noticed by its number. */
  readonly rareSweepMs: number;
}

const TIMES: SweepTimes = { sweepMs: 4_000, rareSweepMs: 60_000 };

/**
 * Finds devices that missed a hint, by comparing their cursors with the heads in the database: a part of the users at each call,
 * so that the work is spread evenly.
 */
export class Sweeps {
  readonly #delivery: Delivery;
  readonly #monotonicMs: () => number;
  readonly #times: SweepTimes;
  /** The users of this round who have not been asked for yet. */
  #round: Iterator<string> | undefined;
  /** For how many users there was time since the last call; the fraction is kept. */
  #credit = 0;
  #calledAt: number;
  #isRare = false;
  #hurriedRounds = 0;
  /** When the last device of each user joined, for the last {@link RECENT_MS}. */
  readonly #recent = new Map<string, number>();

  constructor(
    delivery: Delivery,
    { monotonicMs }: Pick<Clock, 'monotonicMs'>,
    times: Partial<SweepTimes> = {},
  ) {
    this.#delivery = delivery;
    this.#monotonicMs = monotonicMs;
    this.#times = { ...TIMES, ...times };
    this.#calledAt = monotonicMs();
  }

  /** Asks for the users whose turn it is. After a fault it starts a new round, when the time of one has passed. */
  async run(): Promise<void> {
    const now = this.#monotonicMs();
    try {
      await this.#delivery.compare(this.#takeTurn(now));
    } catch (error) {
      this.#round = undefined;
      this.#credit = 0;
      this.#calledAt = now + this.#times.sweepMs;
      throw error;
    }
  }

  /** Whether hints of other nodes arrive, so that all users need to be asked for rarely. */
  setRare(isRare: boolean): void {
    this.#isRare = isRare;
  }

  /**
   * Hints of other nodes were lost, or may be, or a log could not be read: all users are asked for twice soon, as another node may
   * notice it later, and the database may still be away.
   */
  hurry(): void {
    this.#hurriedRounds = 3; // the one that is under way does not count
  }

  /** From now on also asks for users of whom a device has just joined. */
  watchJoins(): void {
    this.#delivery.onJoin((userId) => void this.#recent.set(userId, this.#monotonicMs()));
  }

  #takeTurn(now: number): string[] {
    const users = this.#takeRecent(now);
    const isRare = this.#isRare && this.#hurriedRounds === 0;
    const periodMs = isRare ? this.#times.rareSweepMs : this.#times.sweepMs;
    const share = Math.min(1, (now - this.#calledAt) / periodMs);
    if (share <= 0) return users;
    this.#calledAt = now;
    const { userCount } = this.#delivery;
    this.#credit = Math.min(userCount, this.#credit + userCount * share);
    for (; this.#credit >= 1; this.#credit--) {
      const userId = this.#next() ?? this.#next(); // the first of a new round after the last of one
      if (userId === undefined) break;
      users.push(userId);
    }
    return users;
  }

  #next(): string | undefined {
    this.#round ??= this.#delivery.userIds()[Symbol.iterator]();
    const { done, value } = this.#round.next();
    if (!done) return value;
    this.#round = undefined;
    this.#hurriedRounds = Math.max(0, this.#hurriedRounds - 1);
    return undefined;
  }

  #takeRecent(now: number): string[] {
    const users = [...this.#recent.keys()];
    for (const [userId, at] of this.#recent) if (now - at >= RECENT_MS) this.#recent.delete(userId);
    return users;
  }
}
