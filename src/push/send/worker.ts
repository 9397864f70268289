import { setTimeout as delay } from 'node:timers/promises';
import { ClockSteps } from '../../clock-steps.ts';
import type { Events, Origin, ServiceEvent } from '../../events/hints.ts';
import { WorkLoop } from '../../work-loop.ts';
import type { Attention } from '../decide/attention.ts';
import type { Job } from '../decide/jobs.ts';
import { pushDueAt } from '../decide/pending.ts';
import { markPushesSeen } from '../decide/seen.ts';
import { Dispatcher, type SendServices } from './dispatcher.ts';
import { DueWork } from './due-work.ts';
import { recordResults } from './record-result.ts';

/** How many jobs are claimed, and how many results are recorded, in one transaction. */
const BATCH = 128;
/** While more jobs than this wait for their push services, only one larger batch is claimed each time, for those that have room. */
const ENOUGH_WAITING = 896;
const LARGE_BATCH = 512;
const BEHIND_MS = 250;
/** After this time pairs are tried again whose inbox another transaction had locked. */
const HELD_MS = 20;
/** Messages within this time are decided together: also a pass that finds nothing due reads the database. */
const GATHER_MS = 10;
/** Acknowledgements within this time are written together. */
const COLLECT_SEEN_MS = 200;
/** How long a stop waits for requests in flight. */
const STOP_MS = 5_000;

interface WorkerServices extends SendServices {
  readonly events: Events;
  /** The parts that nodes on one database share; null where this process has it alone. */
  readonly nodes: object | null;
  readonly push: SendServices['push'] & { readonly attention: Attention };
}

/**
 * Sends pushes for messages that no device has seen (architecture 8). One loop does everything: it records the results of what was sent,
 * writes what was seen, decides what is due ({@link DueWork}), claims jobs and gives them to the {@link Dispatcher}. All work is in the
 * database, so a crash loses nothing. The loop runs when the earliest is due, when there are results, and 10 ms after a message to a user
 * without an attentive device.
 */
export class PushWorker implements AsyncDisposable {
  readonly #services: WorkerServices;
  readonly #work: DueWork;
  readonly #dispatcher: Dispatcher;
  readonly #clockSteps: ClockSteps;
  /** By how much the wall clock was set since overlong waits were ended. */
  #clockStepMs = 0;
  readonly #loop: WorkLoop;
  #hasStarted = false;
  #isStopping = false;
  #stopped: Promise<void> | undefined;

  constructor(services: WorkerServices) {
    this.#services = services;
    this.#clockSteps = new ClockSteps(services.clock);
    this.#work = new DueWork(services.db, { isAlone: services.nodes === null });
    this.#loop = new WorkLoop(
      services.clock,
      () => this.#runOnce(),
      (err) => services.log.error({ err }, 'pushes could not be decided'),
    );
    this.#dispatcher = new Dispatcher(services, () => this.#loop.wake());
    services.events.subscribe((event, origin) => this.#onEvent(event, origin));
    services.push.attention.onAcknowledged = () => this.#loop.wakeAt(services.clock.now() + COLLECT_SEEN_MS);
    this.#loop.wake();
  }

  /** Sends all that is due now, and waits until the results are recorded. */
  async runDue(): Promise<void> {
    do {
      this.#loop.wake();
      await this.#loop.running;
      await this.#dispatcher.untilSent();
      // The loop may have claimed due jobs while this read the database.
    } while (
      !this.#isStopping &&
      ((await this.#isAnythingDue()) || this.#loop.running || !this.#dispatcher.isIdle)
    );
  }

  /** Stops: waits up to 5 s for requests in flight, and returns all other jobs to the queue. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    this.#stopped ??= this.#stop();
    await this.#stopped;
  }

  async #stop(): Promise<void> {
    await this.#loop.stop();
    const now = this.#services.clock.now();
    const waiting = this.#dispatcher.stop();
    await this.#work.return(
      waiting.map((job) => ({ job, dueAt: now })),
      now,
    );
    await Promise.race([this.#dispatcher.untilSent(), delay(STOP_MS, undefined, { ref: false })]);
    // Later results are not recorded: their jobs stay leased and are sent again when the lease ends.
    await this.#record();
  }

  #onEvent(event: ServiceEvent, origin: Origin): void {
    if (event.type === 'clock-step') this.#loop.wake();
    if (event.type === 'inbox' && event.event.event === 'quiet') this.#wakeForHeld(origin);
    if (event.type === 'epoch-renewed') this.#services.push.attention.drain();
    if (event.type === 'block-changed' && event.isBlocked)
      this.#dispatcher.cancel(event.blockerId, event.blockedId);
    // The text that was read for a push may be the unsent one.
    if (event.type === 'inbox' && event.event.event === 'unsent' && event.event.data.by !== event.userId)
      this.#dispatcher.cancel(event.userId, event.event.data.peer);
    // The node that stored a message decides about its push.
    if (origin === 'other' || event.type !== 'inbox' || event.event.event !== 'message') return;
    const { userId } = event;
    if (event.event.data.from === userId || event.event.data.request) return;
    const { clock, push } = this.#services;
    const now = clock.now();
    const at = pushDueAt(now, push.attention.mayBeAttentive(userId));
    this.#work.add(at, now);
    this.#loop.wakeAt(Math.max(at, now + GATHER_MS));
  }

  /** The quiet hours of a user were changed, so what is held has another end, or is due: this node's is decided here. */
  #wakeForHeld(origin: Origin): void {
    const now = this.#services.clock.now();
    if (origin === 'own') this.#work.add(now, now);
    this.#loop.wake();
  }

  async #runOnce(): Promise<void> {
    const { clock, db, push } = this.#services;
    const { now } = clock;
    await this.#record();
    await this.#endOverlongWaits();
    await markPushesSeen(db, push.attention.drain(), now());

    const { jobs, isHeld } = await this.#work.decide(now());
    await this.#submit(jobs);
    const isFull = this.#dispatcher.waiting >= ENOUGH_WAITING;
    const claimed = await this.#work.claim(isFull ? LARGE_BATCH : BATCH, now());
    await this.#submit(claimed);

    const { pairAt, jobAt } = await this.#work.nextAt();
    const at = now();
    if ((pairAt <= at && !isHeld) || claimed.length === BATCH) {
      this.#loop.wake();
      return;
    }
    this.#loop.wakeAt(isHeld ? Math.max(pairAt, at + HELD_MS) : pairAt);
    this.#loop.wakeAt(isFull ? Math.max(jobAt, at + BEHIND_MS) : jobAt);
  }

  async #endOverlongWaits(): Promise<void> {
    const now = this.#services.clock.now();
    if (!this.#hasStarted) await this.#work.start(now);
    this.#clockStepMs += this.#clockSteps.takeMs();
    if (this.#hasStarted && this.#clockStepMs === 0) return;
    await this.#work.endOverlongWaits(now, this.#clockStepMs);
    this.#hasStarted = true;
    this.#clockStepMs = 0;
  }

  async #record(): Promise<void> {
    const { clock, db, log } = this.#services;
    // Those that come meanwhile wait for the next pass: while many are sent there would be no end, and nothing would be decided.
    const results = this.#dispatcher.takeResults();
    for (let i = 0; i < results.length; i += BATCH) {
      const batch = results.slice(i, i + BATCH);
      // After a fault its jobs are sent again when their lease ends.
      await recordResults(db, batch).catch((err) =>
        log.error({ err }, 'results of pushes could not be recorded'),
      );
      for (const { result } of batch) if ('until' in result) this.#work.add(result.until, clock.now());
    }
  }

  /** Passes jobs to the dispatcher. Those whose origin queue is full are returned, due about when they would be sent. */
  async #submit(jobs: readonly Job[]): Promise<void> {
    const refused: { job: Job; dueAt: number }[] = [];
    for (const job of jobs) {
      const dueAt = this.#dispatcher.submit(job);
      if (dueAt !== undefined) refused.push({ job, dueAt });
    }
    if (refused.length > 0) await this.#work.return(refused, this.#services.clock.now());
  }

  async #isAnythingDue(): Promise<boolean> {
    const { pairAt, jobAt } = await this.#work.nextAt();
    const at = this.#services.clock.now();
    return pairAt <= at || jobAt <= at;
  }
}

export function openPushWorker(services: WorkerServices): PushWorker {
  return new PushWorker(services);
}
