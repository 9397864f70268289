import type { Logger } from 'pino';
import type { Clock } from '../../clock.ts';
import type { Db } from '../../db/db.ts';
import { newId } from '../../db/ids.ts';
import { type Job, jobKey } from '../decide/jobs.ts';
import type { PushReceipts } from '../log/receipts.ts';
import type { VapidKeyring } from '../subscriptions/vapid-keys.ts';
import type { PushClient } from '../webpush/client.ts';
import { InvalidKeysError } from '../webpush/encryption.ts';
import type { PushResponse } from '../webpush/request.ts';
import { OriginQueues } from './origin-queues.ts';
import {
  buildRequestFor,
  hasLease,
  readSendable,
  reasonToSkip,
  type SendableJob,
  takeUnconfirmedSlot,
} from './prepare.ts';
import type { CompletedJob } from './record-result.ts';
import { classifyResponse, type Result } from './retry-policy.ts';

/** How many jobs are read, encrypted and sent together, which blocks the process for some 3 ms. */
const SENT_TOGETHER = 32;
/** How many results are enough to record them at once, and how long fewer wait for more. */
const RESULTS_TOGETHER = 128;
const COLLECT_MS = 20;

/** A job in this process. */
interface InFlightJob extends Job {
  /** After the job was read, its sender was blocked, or unsent a message. */
  isCancelled: boolean;
}

/** What is needed to send pushes. */
export interface SendServices {
  readonly clock: Pick<Clock, 'monotonicMs' | 'now'>;
  readonly db: Db;
  readonly log: Pick<Logger, 'error'>;
  readonly publicUrl: string;
  readonly push: {
    readonly client: PushClient;
    readonly receipts: PushReceipts;
    readonly vapidKeys: VapidKeyring;
  };
}

/** Sends claimed jobs as the origin queues allow, and keeps their results until the worker takes them. */
export class Dispatcher {
  readonly #services: SendServices;
  readonly #onResults: () => void;
  readonly #queues = new OriginQueues<InFlightJob>();
  /** From the claim until the result is taken. */
  readonly #jobs = new Map<string, InFlightJob>();
  #completed: CompletedJob[] = [];
  /** Whether the results are to be recorded, as no more are expected within {@link COLLECT_MS}. */
  #isReady = false;
  #timer: NodeJS.Timeout | undefined;
  #isPumping = false;
  #isStopped = false;
  #onSent: (() => void)[] = [];

  /** @param onResults called when there are results to take */
  constructor(services: SendServices, onResults: () => void) {
    this.#services = services;
    this.#onResults = onResults;
  }

  /** How many jobs wait for their push service. */
  get waiting(): number {
    return this.#queues.waiting;
  }

  /** Takes a claimed job to send. @returns `undefined`; if its origin queue is full, when to try again, epoch milliseconds */
  submit(job: Job): number | undefined {
    const known = this.#jobs.get(jobKey(job));
    if (known) {
      // Its lease expired in this process.
      known.leaseUntil = job.leaseUntil;
      return undefined;
    }
    const inFlight = { ...job, isCancelled: false };
    if (!this.#queues.offer(inFlight)) return this.#queues.retryAt(job.origin, this.#services.clock.now());
    this.#jobs.set(jobKey(job), inFlight);
    this.#pump();
    return undefined;
  }

  /**
   * Cancels the user's pushes about a peer whom they blocked, or who unsent a message: nothing that was read before leaves from now on.
   * A job that is still stored is due again.
   */
  cancel(userId: string, peerId: string): void {
    for (const inFlight of this.#jobs.values())
      if (inFlight.userId === userId && inFlight.peerId === peerId) {
        inFlight.isCancelled = true;
        // A later job for the same device and conversation is another one.
        this.#forget(inFlight);
      }
  }

  /** The results that are there, if it is not worth to wait for more, or once it was stopped. */
  takeResults(): CompletedJob[] {
    if (!this.#isReady && !this.#isStopped) return [];
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isReady = false;
    const taken = this.#completed.splice(0);
    for (const { job } of taken) this.#forget(job);
    return taken;
  }

  get isIdle(): boolean {
    return this.#jobs.size === 0;
  }

  /** Resolves when no job waits or is in flight. */
  async untilSent(): Promise<void> {
    if (!this.#queues.isEmpty) await new Promise<void>((resolve) => void this.#onSent.push(resolve));
  }

  /** Starts no further request. @returns the jobs that were waiting */
  stop(): Job[] {
    this.#isStopped = true;
    const waiting = this.#queues.clear();
    for (const inFlight of waiting) this.#forget(inFlight);
    return waiting;
  }

  /** Schedules the sending of the jobs that may start, so that those submitted together are sent together. */
  #pump(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    setImmediate(() => {
      this.#isPumping = false;
      if (this.#isStopped) return;
      const jobs = this.#queues.start(SENT_TOGETHER);
      if (jobs.length === 0) return;
      void this.#send(jobs);
      this.#pump();
    });
  }

  async #send(jobs: readonly InFlightJob[]): Promise<void> {
    let rows: Map<string, SendableJob>;
    try {
      rows = await readSendable(this.#services.db, jobs, this.#services.clock.now());
    } catch (err) {
      this.#services.log.error({ err }, 'pushes could not be prepared');
      rows = new Map();
    }
    for (const inFlight of jobs) void this.#sendOne(inFlight, rows.get(jobKey(inFlight)));
  }

  async #sendOne(inFlight: InFlightJob, row: SendableJob | undefined): Promise<void> {
    let attempt: { ms: number; isAnswered: boolean } | null = null;
    let result: Result | undefined;
    // Reserved before sending, as the device's receipt may arrive before the result is recorded.
    const logId = row?.log_id || newId(this.#services.clock.now());
    try {
      const { clock, db, publicUrl, push } = this.#services;
      const { now } = clock;
      // Otherwise the job was cancelled, or another process may hold it.
      if (!row || !hasLease(inFlight, row, now())) return;
      if (inFlight.isCancelled) result = { kind: 'withdrawn' };
      result ??= reasonToSkip(row, now()) ?? this.#reasonToDefer(inFlight, now());
      if (!result && row.session_id === null) result = await takeUnconfirmedSlot(db, row, now());
      if (result) return;
      const request = await buildRequestFor(row, push.receipts.issue(logId), push.vapidKeys, publicUrl);
      const startedAt = performance.now();
      const answer = await push.client.send({ ...request, isWanted: () => !inFlight.isCancelled });
      if (answer.kind === 'failed' && answer.word === 'withdrawn') {
        result = { kind: 'withdrawn' };
        return;
      }
      attempt = { ms: performance.now() - startedAt, isAnswered: answer.kind !== 'failed' };
      this.#noteRejection(inFlight, row, answer);
      result = classifyResponse(answer, row, now(), Math.random());
    } catch (error) {
      if (error instanceof InvalidKeysError)
        result = { kind: 'ended', outcome: 'unusable', reason: 'keys_unusable' };
      else {
        this.#services.log.error({ err: error }, 'a push could not be sent');
        const fault: PushResponse = { kind: 'failed', word: 'fault' };
        if (row) result = classifyResponse(fault, row, this.#services.clock.now(), Math.random());
      }
    } finally {
      this.#end(
        inFlight,
        attempt,
        row && result && { job: inFlight, row, logId, result, now: this.#services.clock.now() },
      );
    }
  }

  #reasonToDefer({ origin }: InFlightJob, now: number): Result | undefined {
    const waitMs = this.#queues.pausedForMs(origin, this.#services.clock.monotonicMs());
    if (waitMs === 0) return undefined;
    return {
      kind: 'deferred',
      until: now + Math.ceil(waitMs),
      status: null,
      reason: 'push_service_refuses',
    };
  }

  #noteRejection({ origin, subscriptionId }: InFlightJob, row: SendableJob, answer: PushResponse): void {
    if (answer.kind !== 'refused' || (answer.status !== 401 && answer.status !== 403)) return;
    if (row.session_id === null || row.last_success_at === null) return;
    this.#queues.reject(origin, subscriptionId, this.#services.clock.monotonicMs());
  }

  #end(
    inFlight: InFlightJob,
    attempt: { ms: number; isAnswered: boolean } | null,
    completed: CompletedJob | undefined,
  ): void {
    this.#queues.end(inFlight, attempt);
    if (completed) {
      this.#completed.push(completed);
      this.#timer ??= setTimeout(() => this.#announceResults(), COLLECT_MS);
    } else this.#forget(inFlight);
    const { isEmpty } = this.#queues;
    if (this.#completed.length >= RESULTS_TOGETHER || (isEmpty && this.#completed.length > 0))
      this.#announceResults();
    if (isEmpty) for (const resolve of this.#onSent.splice(0)) resolve();
    this.#pump();
  }

  #forget(job: Job): void {
    if (this.#jobs.get(jobKey(job)) === job) this.#jobs.delete(jobKey(job));
  }

  #announceResults(): void {
    this.#isReady = true;
    this.#onResults();
  }
}
