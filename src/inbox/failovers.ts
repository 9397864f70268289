import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Db, Queries, SchemaDb } from '../db/db.ts';
import type { Events } from '../events/hints.ts';
import type { Delivery, Device } from './delivery.ts';
import { getEpoch, readEpoch, settleTimeline } from './epoch.ts';
import { readHeadsBefore } from './inbox.ts';
import { RecentEvents } from './recent-events.ts';

/** Devices whose users' heads one query reads. */
const SLICE_DEVICES = 1_000;

export interface FailoverTimes {
  /** How long a node that has compared waits for the others to do so, before it serves. */
  readonly compareMs: number;
  /** Within this time all devices are closed after the epoch was renewed. */
  readonly closeMs: number;
}

/**
 * Where the earlier host vanishes in silence, another node waits up to 3.5 s for its answer. Each asks within half a second, by reading
 * `changes`. So all have compared by then.
 */
const COMPARE_MS = 4_000;
const TIMES: FailoverTimes = { compareMs: COMPARE_MS, closeMs: 30_000 };

interface Options {
  readonly delivery: Delivery;
  readonly events: Events;
  readonly log: Pick<Logger, 'warn'>;
  readonly hasNodes: boolean;
  readonly times?: Partial<FailoverTimes>;
}

/**
 * The epoch of this process, and what renews it: when PostgreSQL goes over to a standby that lacks answered commits, numbers of events
 * would be given twice. So the process compares what it remembers with the promoted server before anything is read from it. If an event is
 * gone, the epoch is renewed, once over all nodes, and all devices are closed, so that they do a `sync` (architecture 4).
 */
export class Failovers {
  readonly #options: Options;
  readonly #times: FailoverTimes;
  readonly #monotonicMs: () => number;
  /** Only where promotions are watched. */
  #recent: RecentEvents | undefined;
  #epoch = '';
  #timeline: string | undefined;
  /** Devices of an earlier epoch that are still to be closed, and until when. */
  #outdated: Device[] = [];
  #closeByMs = 0;
  #calledAtMs = 0;

  private constructor(options: Options, monotonicMs: () => number) {
    this.#options = options;
    this.#times = { ...TIMES, ...options.times };
    this.#monotonicMs = monotonicMs;
  }

  /** Creates the epoch if the database has none, and renews it if a failover happened while no server ran. */
  static async open(
    db: Db & Pick<SchemaDb, 'watchPromotions'>,
    { monotonicMs }: Pick<Clock, 'monotonicMs'>,
    options: Options,
  ): Promise<Failovers> {
    const failovers = new Failovers(options, monotonicMs);
    failovers.#epoch = await readEpoch(db);
    const timeline = db.watchPromotions?.((promoted, transaction) =>
      failovers.#decide(promoted, transaction),
    );
    if (timeline === undefined) return failovers;
    failovers.#recent = new RecentEvents(options.events, monotonicMs);
    await failovers.#start(timeline, db);
    return failovers;
  }

  get epoch(): string {
    return this.#epoch;
  }

  /** Reads the epoch again, which another process may have renewed. */
  async reload(db: Db): Promise<void> {
    if (this.#adopt(await readEpoch(db)))
      this.#options.log.warn(
        { epoch: this.#epoch },
        'the epoch was renewed by another process: every device starts from a new snapshot',
      );
  }

  /** Closes the devices whose turn it is. Call it several times a second. */
  async closeOutdated(): Promise<void> {
    const now = this.#monotonicMs();
    const passed = now - this.#calledAtMs;
    this.#calledAtMs = now;
    const left = this.#closeByMs - now + passed;
    const count = Math.ceil(this.#outdated.length * (left > passed ? passed / left : 1));
    for (const device of this.#outdated.splice(0, count)) device.overflow();
  }

  async #start(timeline: string, db: Db): Promise<void> {
    const facts = { timeline, before: undefined, epoch: this.#epoch, isLost: false };
    const isRenewed = this.#adopt(await db.transaction((tx) => settleTimeline(tx, facts)));
    this.#timeline ??= timeline;
    if (isRenewed)
      this.#options.log.warn(
        { timeline, epoch: this.#epoch },
        'PostgreSQL was promoted while no server ran: every device starts from a new snapshot',
      );
  }

  async #decide(timeline: string, transaction: Db['transaction']): Promise<void> {
    const [isOneMissing, ahead] = await transaction(async (tx) => [
      (await this.#recent?.isOneMissing(tx)) ?? false,
      await this.#findAhead(tx),
    ]);
    // Each has an event that is gone, and would miss the next one with its number.
    for (const device of ahead) device.overflow();
    const before = this.#timeline;
    const facts = { timeline, before, epoch: this.#epoch, isLost: isOneMissing || ahead.length > 0 };
    let epoch: string | undefined = await transaction((tx) => settleTimeline(tx, facts));
    if (this.#options.hasNodes) {
      await delay(this.#times.compareMs);
      epoch = await transaction(getEpoch);
    }
    this.#timeline = timeline;
    const isRenewed = this.#adopt(epoch ?? this.#epoch);
    const message = isRenewed
      ? 'PostgreSQL was promoted and lacks answered commits: every device starts from a new snapshot'
      : 'PostgreSQL was promoted and has every commit of the last minute that was answered: devices go on';
    this.#options.log.warn({ timeline, before, epoch: this.#epoch }, message);
  }

  async #findAhead(tx: Queries): Promise<Device[]> {
    const ahead: Device[] = [];
    const all = [...this.#options.delivery.cursors()];
    for (let i = 0; i < all.length; i += SLICE_DEVICES) {
      const slice = all.slice(i, i + SLICE_DEVICES);
      const positions = slice.map(({ device, cursor }) => ({ user_id: device.userId, seq: cursor }));
      const behind = new Map(
        (await readHeadsBefore(tx, positions)).map(({ user_id, seq }) => [user_id, seq]),
      );
      for (const { device, cursor } of slice)
        if (cursor > (behind.get(device.userId) ?? cursor)) ahead.push(device);
    }
    return ahead;
  }

  /** @returns whether it is another epoch than before */
  #adopt(epoch: string): boolean {
    if (epoch === this.#epoch) return false;
    this.#epoch = epoch;
    this.#recent?.forget();
    const { delivery, events } = this.#options;
    this.#outdated = [...delivery.cursors()].map(({ device }) => device);
    this.#calledAtMs = this.#monotonicMs();
    this.#closeByMs = this.#calledAtMs + this.#times.closeMs;
    events.publish({ type: 'epoch-renewed' });
    return true;
  }
}
