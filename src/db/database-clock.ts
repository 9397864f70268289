import type { Clock, PeriodicJob } from '../clock.ts';
import { ClockSteps } from '../clock-steps.ts';
import type { Db } from './db.ts';
import { nowMs } from './fragments.ts';

const CHECK_MS = 1_000;
const MEASURE_MS = 10_000;

/**
 * The wall clock of a node: this process's monotonic clock with the offset to the database's time. So all nodes have the same time,
 * within the duration of a query, whatever their machines' clocks say.
 */
export class DatabaseClock implements Clock {
  readonly #db: Db;
  readonly monotonicMs: Clock['monotonicMs'];
  readonly every: Clock['every'];
  readonly #machineSteps: ClockSteps;
  #offsetMs = 0;
  #measureAtMs = 0;

  private constructor(db: Db, machine: Clock) {
    this.#db = db;
    this.monotonicMs = machine.monotonicMs;
    this.every = machine.every;
    this.#machineSteps = new ClockSteps(machine);
  }

  /** @param machine the clocks of this machine */
  static async open(db: Db, machine: Clock): Promise<DatabaseClock> {
    const clock = new DatabaseClock(db, machine);
    const { least, most } = await clock.#measure();
    clock.#offsetMs = (least + most) / 2;
    return clock;
  }

  /** Epoch milliseconds. */
  readonly now = (): number => Math.floor(this.monotonicMs() + this.#offsetMs);

  /**
   * Measures the offset again every 10 s, and when the machine's clock was set or the machine was suspended, in which the monotonic
   * clock may have stood still.
   */
  readonly job: PeriodicJob = {
    name: 'measure the time of the database',
    everyMs: CHECK_MS,
    run: () => this.#check(),
  };

  async #check(): Promise<void> {
    if (this.#machineSteps.takeMs() !== 0) this.#measureAtMs = 0;
    if (this.monotonicMs() < this.#measureAtMs) return;
    // An offset that this measurement allows stays: a slow query moves nothing.
    const { least, most } = await this.#measure();
    this.#offsetMs = Math.min(Math.max(this.#offsetMs, least), most);
  }

  /** The database took its time between the question and the answer. */
  async #measure(): Promise<{ least: number; most: number }> {
    const askedAtMs = this.monotonicMs();
    const row = await this.#db.get<{ now: number }>`select ${nowMs} as now`;
    const answeredAtMs = this.monotonicMs();
    if (!row) throw new Error('the database did not say its time');
    this.#measureAtMs = answeredAtMs + MEASURE_MS;
    return { least: row.now - answeredAtMs, most: row.now - askedAtMs };
  }
}
