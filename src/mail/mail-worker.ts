import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import { ClockSteps } from '../clock-steps.ts';
import type { Db, Tx } from '../db/db.ts';
import type { Events, Origin, ServiceEvent } from '../events/hints.ts';
import { WorkLoop } from '../work-loop.ts';
import {
  beginAttempt,
  claimMails,
  countMails,
  endMail,
  endOverlongMailWaits,
  LONGEST_WAIT_MS,
  type MailKind,
  nextMailAt,
  type QueuedMail,
  releaseMails,
  returnMail,
} from './mail-jobs.ts';
import type { Mail } from './mail-message.ts';
import type { MailOutcome, MailServices } from './mail-services.ts';
import { CONNECTIONS, toFailure } from './transport.ts';

/**
 * Makes a mail before each attempt to send it, in a transaction that holds its job: it checks again what the mail depends on, makes code or
 * link and stores its hash. `undefined`: there is nothing to be sent any more.
 */
type MailBuilder = (tx: Tx, job: QueuedMail, now: number) => Promise<Mail | undefined>;

/** Those of each kind but `test`, which no job has. */
export type MailBuilders = Readonly<Record<Exclude<MailKind, 'test'>, MailBuilder>>;

interface WorkerServices {
  readonly mail: MailServices;
  readonly db: Db;
  readonly events: Events;
  readonly clock: Clock;
  readonly log: Logger;
  /** The parts that nodes on one database share; null where this process has it alone. */
  readonly nodes: object | null;
}

const MINUTE_MS = 60_000;
/** Before the second attempt, the third, and so on; then {@link LONGEST_WAIT_MS}. */
const WAITS_MS = [10_000, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS];
/** Until when a mail is sent: its reader waits for a code or link, which others do not. */
const LIFETIMES_MS: Partial<Record<MailKind, number>> = { verify: 15 * MINUTE_MS, forgot: 15 * MINUTE_MS };
const LONGEST_LIFETIME_MS = 24 * 60 * MINUTE_MS;
/** How late the last attempt may be: it is due at the end of the lifetime. */
const GRACE_MS = MINUTE_MS;
/** How long jobs of other nodes are left to them. */
const LEFT_TO_OTHERS_MS = 2_000;
const COUNT_MS = 1_000;
/** How long a stop waits for attempts. */
const STOP_MS = 5_000;

/**
 * Sends the mails whose jobs are in the database (architecture 9.3). It claims as many jobs as there are free connections, this node's first;
 * builds each mail, sends it and records the result. A job is held by a lease, so that a crash loses nothing.
 */
export class MailWorker implements AsyncDisposable {
  readonly #services: WorkerServices;
  readonly #builders: Partial<Record<MailKind, MailBuilder>>;
  readonly #clockSteps: ClockSteps;
  readonly #leftMs: number;
  readonly #loop: WorkLoop;
  /** By the ids of their jobs. */
  readonly #attempts = new Map<string, Promise<void>>();
  readonly #ending = new AbortController();
  #hasStarted = false;
  /** Whether a job may wait too long, as the wall clock was set. */
  #mayWaitTooLong = true;
  /** Whether this process stored jobs that it has not claimed yet. */
  #hasOwn = true;
  #isStopping = false;
  /** Monotonic milliseconds, as the next. */
  #countedAtMs = Number.NEGATIVE_INFINITY;
  #loggedAtMs = Number.NEGATIVE_INFINITY;
  #unloggedFailures = 0;

  constructor(services: WorkerServices, builders: MailBuilders) {
    this.#services = services;
    this.#builders = builders;
    this.#clockSteps = new ClockSteps(services.clock);
    this.#leftMs = services.nodes === null ? 0 : LEFT_TO_OTHERS_MS;
    this.#loop = new WorkLoop(
      services.clock,
      async () => {
        await this.#runOnce();
        await this.#count();
      },
      (err) => this.#logFailure({ err }),
    );
    services.events.subscribe((event, origin) => this.#onEvent(event, origin));
    this.#loop.wake();
  }

  /** Sends all that is due now, and waits until the results are recorded. */
  async runDue(): Promise<void> {
    const { clock, db } = this.#services;
    do {
      this.#hasOwn = true;
      this.#countedAtMs = Number.NEGATIVE_INFINITY;
      this.#loop.wake();
      await this.#loop.running;
      await Promise.all(this.#attempts.values());
    } while (
      !this.#isStopping &&
      ((await nextMailAt(db)) <= clock.now() || this.#loop.running || this.#attempts.size > 0)
    );
  }

  /** Stops: waits up to 5 s for attempts, ends the others and returns their jobs to the queue. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    await this.#loop.stop();
    const sent = Promise.all(this.#attempts.values());
    await Promise.race([sent, delay(STOP_MS, undefined, { ref: false })]);
    this.#ending.abort();
    await sent;
  }

  #onEvent({ type }: ServiceEvent, origin: Origin): void {
    if (type === 'mail-queued' && origin === 'own') this.#hasOwn = true;
    if (type === 'mail-queued' || type === 'external-change' || type === 'clock-step') this.#loop.wake();
  }

  async #runOnce(): Promise<void> {
    const { clock, db } = this.#services;
    await this.#endOverlongWaits();
    const free = CONNECTIONS - this.#attempts.size;
    // The end of an attempt wakes the loop.
    if (free === 0) return;
    const [now, leftMs] = [clock.now(), this.#hasOwn ? 0 : this.#leftMs];
    this.#hasOwn = false;
    const nextAt = await nextMailAt(db);
    if (nextAt + leftMs > now) return this.#loop.wakeAt(nextAt + this.#leftMs);
    const jobs = await claimMails(db, { now, dueAt: now - leftMs, limit: free });
    for (const job of jobs) this.#start(job);
    // There may be more of them.
    if (jobs.length > 0 && leftMs === 0) this.#hasOwn = true;
    this.#loop.wake();
  }

  async #endOverlongWaits(): Promise<void> {
    const { clock, db } = this.#services;
    if (this.#clockSteps.takeMs() !== 0) this.#mayWaitTooLong = true;
    if (!this.#mayWaitTooLong) return;
    if (!this.#hasStarted && this.#leftMs === 0) await releaseMails(db, clock.now());
    this.#hasStarted = true;
    const running = [...this.#attempts.keys()];
    await endOverlongMailWaits(db, clock.now(), running);
    // Once more when they have ended: a fault may leave their jobs claimed.
    this.#mayWaitTooLong = running.length > 0;
  }

  async #count(): Promise<void> {
    const { clock, db, mail } = this.#services;
    if (clock.monotonicMs() < this.#countedAtMs + COUNT_MS) return;
    mail.waiting = await countMails(db);
    this.#countedAtMs = clock.monotonicMs();
  }

  #start(job: QueuedMail): void {
    const attempt = this.#attempt(job)
      // After a fault of the database or of a builder the job is claimed again when its lease ends.
      .catch((err) => this.#logFailure({ err }))
      .finally(() => {
        this.#attempts.delete(job.id);
        this.#loop.wake();
      });
    this.#attempts.set(job.id, attempt);
  }

  async #attempt(job: QueuedMail): Promise<void> {
    const { clock, db, mail } = this.#services;
    const endsAt = job.createdAt + (LIFETIMES_MS[job.kind] ?? LONGEST_LIFETIME_MS);
    const end = async (outcome: MailOutcome) => {
      await endMail(db, job);
      mail.countOutcome(job.kind, outcome);
    };
    if (clock.now() > endsAt + GRACE_MS) return end('expired');
    const built = await this.#build(job);
    if (built === 'lost') return;
    if (built === undefined) return end('skipped');
    const failure = await mail.transport
      .send(built, job.id, this.#ending.signal)
      .then(() => undefined, toFailure);
    if (failure === undefined) return end('sent');
    this.#logFailure({ kind: job.kind, ...failure.cause });
    if (failure.isFinal) return end('refused');
    const now = clock.now();
    if (now >= endsAt) return end('expired');
    const waitMs = this.#isStopping ? 0 : (WAITS_MS[job.tries] ?? LONGEST_WAIT_MS);
    await returnMail(db, job, Math.min(now + waitMs, endsAt));
    mail.countOutcome(job.kind, 'retry');
  }

  #build(job: QueuedMail): Promise<Mail | undefined | 'lost'> {
    const { clock, db } = this.#services;
    return db.transaction(async (tx) => {
      if (!(await beginAttempt(tx, job))) return 'lost';
      const build = this.#builders[job.kind];
      // A node of a later version may have stored it.
      if (!build) throw new Error(`no mail of the kind ${job.kind} can be built`);
      return build(tx, job, clock.now());
    });
  }

  /** Logs a failure, but no more than one a minute: the next line has the number of those between. */
  #logFailure(failure: object): void {
    const nowMs = this.#services.clock.monotonicMs();
    this.#unloggedFailures++;
    if (nowMs < this.#loggedAtMs + MINUTE_MS) return;
    this.#services.log.warn({ ...failure, failures: this.#unloggedFailures }, 'mails could not be sent');
    this.#loggedAtMs = nowMs;
    this.#unloggedFailures = 0;
  }
}

/** @returns null if no mail is sent */
export function openMailWorker(
  services: Omit<WorkerServices, 'mail'>,
  mail: MailServices | null,
  builders: MailBuilders,
): MailWorker | null {
  return mail && new MailWorker({ ...services, mail }, builders);
}
