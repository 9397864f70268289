import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Db, Queries, SchemaDb } from '../db/db.ts';
import type { Events } from '../events/hints.ts';
import type { Delivery, Device } from './delivery.ts';
import { getEpoch, readEpoch, settleTimeline } from './epoch.ts';
import { readOtherHeads } from './inbox.ts';
import { RecentEvents } from './recent-events.ts';

/** Devices whose users' heads one query reads. */
const SLICE_DEVICES = 1_000;

export interface FailoverTimes {
  /** Within this time all devices are closed after the epoch was renewed. */
  readonly closeMs: number;
}

const CLOSE_MS = 30_000;
/**
 * How long a node that has compared waits for the others to do so, before it serves. Where the earlier host vanishes in silence, another
 * node waits up to 3.5 s for its answer. Each asks within half a second, by reading `changes`. So all have compared by then.
 */
const COMPARE_MS = 4_000;

interface Options extends Partial<FailoverTimes> {
  readonly delivery: Delivery;
  readonly events: Events;
  readonly log: Pick<Logger, 'warn'>;
  readonly hasNodes: boolean;
}

/**
 * The epoch of this process, and what renews it: when PostgreSQL goes over to a standby that lacks answered commits, numbers of events
 * would be given twice. So the process compares what it remembers with the promoted server before anything is read from it. If an event is
 * gone, the epoch is renewed, once over all nodes, and all devices are closed, so that they do a `sync` (architecture 4).
 */
export class Failovers {
  readonly #options: Options;
  /** Only where promotions are watched. */
  #recent: RecentEvents | undefined;
  #epoch = '';
  #timeline: string | undefined;

  private constructor(options: Options) {
    this.#options = options;
  }

  /** Creates the epoch if the database has none, and renews it if a failover happened while no server ran. */
  static async open(
    db: Db & Pick<SchemaDb, 'watchPromotions'>,
    { monotonicMs }: Pick<Clock, 'monotonicMs'>,
    options: Options,
  ): Promise<Failovers> {
    const failovers = new Failovers(options);
    failovers.#epoch = await readEpoch(db);
    const timeline = db.watchPromotions?.((promoted, transaction) =>
      failovers.#decide(promoted, transaction),
    );
    if (timeline === undefined) return failovers;
    failovers.#recent = new RecentEvents(options.events, monotonicMs);
    const facts = { timeline, before: undefined, epoch: failovers.#epoch, isLost: false };
    const isRenewed = failovers.#adopt(await db.transaction((tx) => settleTimeline(tx, facts)));
    failovers.#timeline ??= timeline;
    if (isRenewed)
      options.log.warn(
        { timeline, epoch: failovers.#epoch },
        'PostgreSQL was promoted while no server ran: every device starts from a new snapshot',
      );
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
      await delay(COMPARE_MS);
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
      const heads = new Map((await readOtherHeads(tx, positions)).map(({ user_id, seq }) => [user_id, seq]));
      for (const { device, cursor } of slice)
        if (cursor > (heads.get(device.userId) ?? cursor)) ahead.push(device);
    }
    return ahead;
  }

  /** @returns whether it is another epoch than before */
  #adopt(epoch: string): boolean {
    if (epoch === this.#epoch) return false;
    this.#epoch = epoch;
    this.#recent?.forget();
    const { delivery, events, closeMs = CLOSE_MS } = this.#options;
    const outdated = [...delivery.cursors()].map(({ device }) => device);
    for (const [i, device] of outdated.entries())
      setTimeout(() => device.overflow(), (closeMs * i) / outdated.length).unref();
    events.publish({ type: 'epoch-renewed' });
    return true;
  }
}
