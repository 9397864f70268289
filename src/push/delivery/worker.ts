import { ClockSteps } from '../../clock-steps.ts';
import type { Events, Origin, ServiceEvent } from '../../events/hints.ts';
import type { Attention } from '../queue/attention.ts';
import { claimJobs, type Job, nextJobAt, releaseLeases, returnJobs } from '../queue/jobs.ts';
import { LEFT_TO_OTHERS_MS, OwnWork } from '../queue/own-work.ts';
import type { Pair } from '../queue/pending.ts';
import { PendingPairs } from '../queue/pending-pairs.ts';
import { markPushesSeen } from '../queue/seen.ts';
import { type DeliveryServices, Dispatcher, type InFlightJob } from './dispatcher.ts';
import { OriginQueues } from './origin-queues.ts';
import { endOverlongWaits } from './overlong-waits.ts';
import type { CompletedJob } from './record-result.ts';

/** How many jobs are claimed in one transaction. */
const BATCH = 128;
/** While more jobs than this wait in the origin queues, only one larger batch is claimed each time, for queues that have room. */
const ENOUGH_WAITING = 896;
const LARGE_BATCH = 512;
const BEHIND_MS = 250;
/** The worker reads the database at least this often, for work whose hint was lost. */
const SWEEP_MS = 15_000;
const AFTER_FAULT_MS = 1_000;
/** Acknowledgements within this time are written together. */
const COLLECT_SEEN_MS = 200;

interface WorkerServices extends DeliveryServices {
  readonly events: Events;
  /** The parts that nodes on one database share; null where this process has it alone. */
  readonly nodes: object | null;
  readonly push: DeliveryServices['push'] & { readonly attention: Attention };
}

/**
 * Sends pushes for messages that no device has seen (architecture 8). All work is in the database, so a crash loses nothing. Pending
 * pushes that are due are decided, which makes a job for each device; jobs are claimed and passed to the {@link Dispatcher}. The
 * worker wakes when the earliest is due, and at once for a message to a user without an attentive device. Of several nodes on one
 * database each does its own work first ({@link OwnWork}).
 */
export class PushWorker implements AsyncDisposable {
  readonly #services: WorkerServices;
  readonly #queues = new OriginQueues<InFlightJob>();
  readonly #dispatcher: Dispatcher;
  /** Null in a process that has the database alone: it does everything when it is due. */
  readonly #own: OwnWork | null;
  /** How long jobs that are due are left to other nodes. */
  readonly #leftMs: number;
  readonly #pairs: PendingPairs;
  #running: Promise<void> | undefined;
  #again = false;
  #isStopping = false;
  #stopped: Promise<void> | undefined;
  #hasStarted = false;
  #timer: NodeJS.Timeout | undefined;
  /** Monotonic milliseconds. */
  #timerAtMs = Number.POSITIVE_INFINITY;
  readonly #clockSteps: ClockSteps;
  /** By how much the wall clock was set since {@link endOverlongWaits} last ran. */
  #clockStepMs = 0;

  constructor(services: WorkerServices) {
    this.#services = services;
    this.#clockSteps = new ClockSteps(services.clock);
    this.#own = services.nodes ? new OwnWork() : null;
    this.#leftMs = this.#own ? LEFT_TO_OTHERS_MS : 0;
    this.#pairs = new PendingPairs(services.db, this.#own);
    this.#dispatcher = new Dispatcher(services, this.#queues, (jobs) => this.#onRecorded(jobs));
    services.events.subscribe((event, origin) => this.#onEvent(event, origin));
    services.push.attention.onAcknowledged(() => this.#wakeAt(services.clock.now() + COLLECT_SEEN_MS));
    this.#wake();
  }

  /** Sends all that is due now, and waits until the results are recorded. */
  async runDue(): Promise<void> {
    do {
      this.#wake();
      await this.#running;
      await this.#dispatcher.untilIdle();
      // The loop may have claimed due jobs while this read the database.
    } while (!this.#isStopping && ((await this.#isAnythingDue()) || this.#isAtWork));
  }

  /** Stops: waits up to 5 s for requests in flight, and returns all other jobs to the queue. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    this.#stopped ??= this.#stop();
    await this.#stopped;
  }

  async #stop(): Promise<void> {
    await this.#running;
    await this.#dispatcher.close();
  }

  #onEvent(event: ServiceEvent, origin: Origin): void {
    if (event.type === 'clock-step') this.#wake();
    if (event.type === 'epoch-renewed') this.#services.push.attention.drain();
    if (event.type === 'block-changed' && event.isBlocked)
      this.#dispatcher.cancel(event.blockerId, event.blockedId);
    // The node that stored a message decides about its push.
    if (origin === 'other' || event.type !== 'inbox' || event.event.event !== 'message') return;
    const { peer, from } = event.event.data;
    if (from !== event.userId) this.#onMessage({ userId: event.userId, peerId: peer });
  }

  #onMessage(pair: Pair): void {
    const { clock, push } = this.#services;
    const now = clock.now();
    const isAttentive = push.attention.mayBeAttentive(pair.userId);
    const at = this.#pairs.add(pair, now, isAttentive);
    if (isAttentive) this.#wakeAt(at);
    else if (at === now) this.#wake();
  }

  #onRecorded(jobs: readonly CompletedJob[]): void {
    const now = this.#services.clock.now();
    for (const { result } of jobs) if ('until' in result) this.#own?.addJob(result.until, now);
    this.#wake();
  }

  /** Runs the loop, once more if it is running. */
  #wake(): void {
    if (this.#isStopping) return;
    this.#again = true;
    this.#running ??= this.#runLoop().finally(() => {
      this.#running = undefined;
    });
  }

  /** @param at epoch milliseconds */
  #wakeAt(at: number): void {
    const { monotonicMs, now } = this.#services.clock;
    const waitMs = Math.min(Math.max(at - now(), 1), SWEEP_MS);
    const timerAtMs = monotonicMs() + waitMs;
    if (this.#isStopping || timerAtMs >= this.#timerAtMs) return;
    clearTimeout(this.#timer);
    this.#timerAtMs = timerAtMs;
    this.#timer = setTimeout(() => {
      this.#timerAtMs = Number.POSITIVE_INFINITY;
      this.#wake();
    }, waitMs);
    this.#timer.unref();
  }

  async #runLoop(): Promise<void> {
    while (this.#again && !this.#isStopping) {
      // Messages that are committed together are decided together.
      await new Promise(setImmediate);
      this.#again = false;
      try {
        await this.#runOnce();
      } catch (err) {
        this.#services.log.error({ err }, 'pushes could not be decided');
        this.#wakeAt(this.#services.clock.now() + AFTER_FAULT_MS);
      }
    }
  }

  async #runOnce(): Promise<void> {
    const { clock, db } = this.#services;
    const { now } = clock;
    // A process that has the database alone (architecture 11) starts after the holders of all leases have ended.
    if (!this.#hasStarted && !this.#own) await releaseLeases(db, now());
    this.#clockStepMs += this.#clockSteps.takeMs();
    if (!this.#hasStarted || this.#clockStepMs !== 0) await this.#endOverlongWaits();
    this.#hasStarted = true;
    await this.#writeSeen();
    while (!this.#isStopping && (await this.#decide()));
    const isBehind = await this.#claim();
    const at = now();
    const [pairsAt, jobAt] = await Promise.all([this.#pairs.nextAt(at), nextJobAt(db)]);
    this.#wakeAt(Math.max(pairsAt, this.#pairs.heldUntil));
    this.#wakeAt(isBehind ? at + BEHIND_MS : (jobAt ?? at + SWEEP_MS) + this.#leftMs);
  }

  async #endOverlongWaits(): Promise<void> {
    const { clock, db } = this.#services;
    const at = clock.now();
    await this.#pairs.endOverlongWaits(at);
    await endOverlongWaits(db, { now: at, stepMs: this.#clockStepMs }, (job) => this.#dispatcher.has(job));
    this.#clockStepMs = 0;
  }

  async #writeSeen(): Promise<void> {
    const { clock, db, push } = this.#services;
    await markPushesSeen(db, push.attention.drain(), clock.now());
  }

  /** @returns whether there may be more */
  async #decide(): Promise<boolean> {
    const isWanted = this.#queues.waiting < ENOUGH_WAITING;
    const { jobs, isMore } = await this.#pairs.decide(isWanted, this.#services.clock.now());
    await this.#submit(jobs);
    return isMore;
  }

  /** @returns whether due jobs were left unclaimed, as enough jobs wait already */
  async #claim(): Promise<boolean> {
    const { clock, db } = this.#services;
    const { now } = clock;
    let isLarge = this.#queues.waiting >= ENOUGH_WAITING;
    while (!this.#isStopping) {
      if (((await nextJobAt(db)) ?? Number.POSITIVE_INFINITY) > now()) return false;
      if (this.#queues.waiting >= ENOUGH_WAITING && !isLarge) return true;
      await this.#submit(await claimJobs(db, now(), isLarge ? LARGE_BATCH : BATCH));
      isLarge = false;
    }
    return false;
  }

  /** Passes jobs to the dispatcher. Those whose origin queue is full are returned, due about when they would be sent. */
  async #submit(jobs: readonly Job[]): Promise<void> {
    const refused: { job: Job; dueAt: number }[] = [];
    const at = this.#services.clock.now();
    for (const job of jobs) {
      if (this.#isStopping) refused.push({ job, dueAt: at });
      else if (!this.#dispatcher.submit(job))
        refused.push({ job, dueAt: this.#queues.retryAt(job.origin, at) });
    }
    for (const { dueAt } of refused) this.#own?.addJob(dueAt, at);
    if (refused.length > 0) await returnJobs(this.#services.db, refused);
  }

  get #isAtWork(): boolean {
    return this.#running !== undefined || !this.#dispatcher.isIdle;
  }

  async #isAnythingDue(): Promise<boolean> {
    const { clock, db } = this.#services;
    const at = clock.now();
    const [pairsAt, jobAt] = await Promise.all([this.#pairs.nextAt(at), nextJobAt(db)]);
    return pairsAt <= at || (jobAt !== undefined && jobAt <= at);
  }
}

export function openPushWorker(services: WorkerServices): PushWorker {
  return new PushWorker(services);
}
