/** What is on its way to a push service. */
export interface Load {
  readonly origin: string;
}

interface Lane<L extends Load> {
  readonly origin: string;
  readonly waiting: L[];
  underWay: number;
  /** How many at once; doubles with every answer, up to {@link MAX_AT_ONCE}, and halves when there is none. */
  limit: number;
  /** How long a turn takes, about, in milliseconds; `undefined` before the first has ended. */
  turnMs: number | undefined;
  /** When somebody who found the lane full may come again, epoch milliseconds. */
  nextTurnAt: number;
}

/** What a push service is given at once. */
const MAX_AT_ONCE = 16;
/** A push service that is not known to answer is given this much, and all such together {@link MAX_UNPROVEN}. */
const UNPROVEN_AT_ONCE = 2;
const MAX_UNPROVEN = 64;
const MAX_PROVEN = 128;
/** As many wait in a lane as have their turn within so long, or so many for each turn while nobody knows. */
const WAITING_MS = 20_000;
const WAITING_PER_TURN = { least: 2, unknown: 16 };
const MAX_WAITING_IN_LANE = 1_024;
const MAX_WAITING_UNPROVEN = 512;
const MAX_WAITING = 4_096;
const SHARE_OF_LAST_TURN = 0.2;
/** For a lane of which nobody knows yet how fast it is. */
const UNKNOWN_TURN_MS = 250;
const LONGEST_TURN_MS = 60_000;
const MAX_REMEMBERED = 1_000;

/**
 * Who may send next. Each push service has a lane, and the lanes take turns, so one that hangs, or has a lot to take,
 * delays only what goes to itself. Anybody can name a push service, so one that has not answered yet, or not the last
 * time, gets little; and all of these together cannot take the place of those that answer.
 */
export class Lanes<L extends Load> {
  /** The one used last comes last. */
  readonly #lanes = new Map<string, Lane<L>>();
  /** Those in which somebody waits, the next to have its turn first. */
  readonly #queue = new Set<Lane<L>>();
  #underWay = { unproven: 0, proven: 0 };
  #waiting = 0;
  #waitingUnproven = 0;

  /** How many wait for their turn. */
  get waiting(): number {
    return this.#waiting;
  }

  get isEmpty(): boolean {
    return this.#waiting + this.#underWay.proven + this.#underWay.unproven === 0;
  }

  /** Takes one in to wait for its turn. @returns false if its lane is full */
  offer(load: L): boolean {
    const lane = this.#laneOf(load.origin);
    const unproven = isUnproven(lane);
    if (lane.waiting.length >= roomIn(lane) || this.#waiting >= MAX_WAITING) return false;
    if (unproven && this.#waitingUnproven >= MAX_WAITING_UNPROVEN) return false;
    lane.waiting.push(load);
    this.#waiting += 1;
    if (unproven) this.#waitingUnproven += 1;
    this.#queue.add(lane);
    return true;
  }

  /**
   * When one that was not taken may come again, epoch milliseconds: about when its turn would have come, so that a
   * thousand that wait for a slow push service are not all asked about again and again.
   */
  turnAfter(origin: string, now: number): number {
    const lane = this.#laneOf(origin);
    if (lane.turnMs === undefined) return now + UNKNOWN_TURN_MS;
    const at = Math.max(now, lane.nextTurnAt) + lane.turnMs / lane.limit;
    lane.nextTurnAt = Math.min(at, now + LONGEST_TURN_MS);
    return Math.ceil(lane.nextTurnAt);
  }

  /** Those whose turn it is, up to `max`; each is under way until {@link end}. */
  start(max: number): L[] {
    const started: L[] = [];
    let passed = 0;
    for (const lane of this.#queue) {
      if (started.length >= max || passed >= this.#queue.size) break;
      this.#queue.delete(lane);
      const load = this.#mayStart(lane) ? lane.waiting.shift() : undefined;
      if (load) {
        this.#countWaiting(lane, -1);
        lane.underWay += 1;
        this.#countUnderWay(lane, 1);
        started.push(load);
        passed = 0;
      } else passed += 1;
      if (lane.waiting.length > 0) this.#queue.add(lane);
    }
    return started;
  }

  /** @param turn how long it took, and whether there was an answer; null if nothing was asked */
  end(load: L, turn: { ms: number; isAnswered: boolean } | null): void {
    const lane = this.#laneOf(load.origin);
    lane.underWay -= 1;
    this.#countUnderWay(lane, -1);
    if (turn === null) return;
    const { ms, isAnswered } = turn;
    lane.turnMs = lane.turnMs === undefined ? ms : lane.turnMs + (ms - lane.turnMs) * SHARE_OF_LAST_TURN;
    this.#setLimit(lane, isAnswered ? Math.min(MAX_AT_ONCE, lane.limit * 2) : Math.max(1, lane.limit / 2));
  }

  /** Everything that waits leaves. */
  clear(): L[] {
    const left = [...this.#lanes.values()].flatMap((lane) => lane.waiting.splice(0));
    this.#queue.clear();
    this.#waiting = 0;
    this.#waitingUnproven = 0;
    return left;
  }

  #mayStart(lane: Lane<L>): boolean {
    if (lane.underWay >= lane.limit) return false;
    return isUnproven(lane) ? this.#underWay.unproven < MAX_UNPROVEN : this.#underWay.proven < MAX_PROVEN;
  }

  #countWaiting(lane: Lane<L>, by: number): void {
    this.#waiting += by;
    if (isUnproven(lane)) this.#waitingUnproven += by;
  }

  #countUnderWay(lane: Lane<L>, by: number): void {
    this.#underWay[isUnproven(lane) ? 'unproven' : 'proven'] += by;
  }

  /** Whoever is in the lane counts as what the lane is. */
  #setLimit(lane: Lane<L>, limit: number): void {
    if (limit === lane.limit) return;
    this.#countUnderWay(lane, -lane.underWay);
    this.#countWaiting(lane, -lane.waiting.length);
    lane.limit = limit;
    this.#countUnderWay(lane, lane.underWay);
    this.#countWaiting(lane, lane.waiting.length);
  }

  #laneOf(origin: string): Lane<L> {
    const known = this.#lanes.get(origin);
    if (known) {
      this.#lanes.delete(origin);
      this.#lanes.set(origin, known);
      return known;
    }
    const lane: Lane<L> = {
      origin,
      waiting: [],
      underWay: 0,
      limit: UNPROVEN_AT_ONCE,
      turnMs: undefined,
      nextTurnAt: 0,
    };
    if (this.#lanes.size >= MAX_REMEMBERED) this.#forgetOldest();
    this.#lanes.set(origin, lane);
    return lane;
  }

  /** Names that somebody made up push nothing out that is worth knowing. */
  #forgetOldest(): void {
    const idle = [...this.#lanes.values()].filter((lane) => lane.underWay + lane.waiting.length === 0);
    const oldest = idle.find(isUnproven) ?? idle[0];
    if (oldest) this.#lanes.delete(oldest.origin);
  }
}

function roomIn({ limit, turnMs }: { limit: number; turnMs: number | undefined }): number {
  if (turnMs === undefined) return limit * WAITING_PER_TURN.unknown;
  const inTime = Math.floor((limit * WAITING_MS) / Math.max(turnMs, 1));
  return Math.min(Math.max(inTime, limit * WAITING_PER_TURN.least), MAX_WAITING_IN_LANE);
}

function isUnproven(lane: { limit: number }): boolean {
  return lane.limit <= UNPROVEN_AT_ONCE;
}
