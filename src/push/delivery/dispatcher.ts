import type { Logger } from 'pino';
import type { Clock } from '../../clock.ts';
import type { Db } from '../../db/db.ts';
import { newId } from '../../db/ids.ts';
import type { PushReceipts } from '../log/receipts.ts';
import { type Job, jobKey, returnJobs } from '../queue/jobs.ts';
import type { VapidKeyring } from '../subscriptions/vapid-keys.ts';
import type { PushClient } from '../webpush/client.ts';
import { InvalidKeysError } from '../webpush/encryption.ts';
import type { PushResponse } from '../webpush/request.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import type { OriginQueues } from './origin-queues.ts';
import {
  buildRequestFor,
  hasLease,
  readSendable,
  reasonToSkip,
  type SendableJob,
  takeUnconfirmedSlot,
} from './prepare.ts';
import type { CompletedJob } from './record-result.ts';
import { ResultRecorder } from './result-recorder.ts';
import { classifyResponse, type Result } from './retry-policy.ts';
import { waitAtMost } from './wait-at-most.ts';

/** How many jobs are read, encrypted and sent together, which blocks the process for some 3 ms. */
const SENT_TOGETHER = 32;
/** How long {@link Dispatcher.close} waits for requests in flight. */
const CLOSE_MS = 5_000;

/** A job in this process. */
export interface InFlightJob extends Job {
  /** Its sender was blocked after the job was read. */
  isCancelled: boolean;
  /** The push service has answered, and the result is being recorded. */
  isEnded: boolean;
}

/** What is needed to send pushes. */
export interface DeliveryServices {
  readonly clock: Pick<Clock, 'monotonicMs' | 'now'>;
  readonly db: Db;
  readonly log: Logger;
  readonly publicUrl: string;
  readonly push: {
    readonly client: PushClient;
    readonly receipts: PushReceipts;
    readonly vapidKeys: VapidKeyring;
  };
}

/** Sends claimed jobs as the origin queues allow, and has their results recorded. */
export class Dispatcher {
  readonly #services: DeliveryServices;
  readonly #queues: OriginQueues<InFlightJob>;
  readonly #recorder: ResultRecorder;
  readonly #breaker = new CircuitBreaker();
  /** From the claim until the result is recorded. */
  readonly #jobs = new Map<string, InFlightJob>();
  /** Jobs that were claimed again while their result was being recorded. */
  readonly #claimedAgain = new Map<string, Job>();
  #isPumping = false;
  #isClosing = false;
  #isClosed = false;
  #onIdle: (() => void)[] = [];

  /** @param onRecorded called when results were recorded, so that there may be more to claim */
  constructor(
    services: DeliveryServices,
    queues: OriginQueues<InFlightJob>,
    onRecorded: (jobs: readonly CompletedJob[]) => void,
  ) {
    this.#services = services;
    this.#queues = queues;
    this.#recorder = new ResultRecorder(services, queues, (batch) => {
      for (const { job } of batch) this.#release(jobKey(job));
      onRecorded(batch);
      this.#resolveIdle();
    });
  }

  /** Takes a claimed job to send. @returns false if its origin queue is full */
  submit(job: Job): boolean {
    const key = jobKey(job);
    const known = this.#jobs.get(key);
    if (known) {
      // Its lease expired in this process, or recording its result made it due again and has not returned yet.
      known.leaseUntil = job.leaseUntil;
      if (known.isEnded) this.#claimedAgain.set(key, job);
      return true;
    }
    const inFlight = { ...job, isCancelled: false, isEnded: false };
    if (!this.#queues.offer(inFlight)) return false;
    this.#jobs.set(key, inFlight);
    this.#pump();
    return true;
  }

  /** Whether this dispatcher has the job: waiting, in flight or not recorded yet. */
  has(job: Pick<Job, 'subscriptionId' | 'peerId'>): boolean {
    return this.#jobs.has(jobKey(job));
  }

  /** Cancels the user's pushes about a peer they blocked: no byte about the peer leaves from now on. */
  cancel(userId: string, peerId: string): void {
    for (const inFlight of this.#jobs.values())
      if (inFlight.userId === userId && inFlight.peerId === peerId) inFlight.isCancelled = true;
  }

  get isIdle(): boolean {
    return this.#jobs.size === 0;
  }

  /** Resolves when the results of all jobs are recorded. */
  async untilIdle(): Promise<void> {
    if (this.#jobs.size > 0) await new Promise<void>((resolve) => void this.#onIdle.push(resolve));
  }

  /** Returns waiting jobs at once, and waits up to 5 s for those in flight, whose results it still records. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const waiting = this.#queues.clear();
    for (const inFlight of waiting) this.#jobs.delete(jobKey(inFlight));
    const dueAt = this.#services.clock.now();
    await returnJobs(
      this.#services.db,
      waiting.map((job) => ({ job, dueAt })),
    );
    await waitAtMost(CLOSE_MS, this.untilIdle());
    // Later results are not recorded: their jobs stay leased and are sent again when the lease ends.
    this.#isClosed = true;
    await this.#recorder.untilRecorded();
  }

  /** Schedules the sending of the jobs that may start, so that those submitted together are sent together. */
  #pump(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    setImmediate(() => {
      this.#isPumping = false;
      if (this.#isClosing) return;
      const jobs = this.#queues.start(SENT_TOGETHER);
      if (jobs.length === 0) return;
      void this.#send(jobs);
      this.#pump();
    });
  }

  async #send(jobs: readonly InFlightJob[]): Promise<void> {
    let rows: Map<string, SendableJob>;
    try {
      rows = await readSendable(this.#services.db, jobs);
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
      if (!row || inFlight.isCancelled || !hasLease(inFlight, row, now())) return;
      result = reasonToSkip(row, now()) ?? this.#reasonToDefer(inFlight, now());
      if (!result && row.session_id === null) result = await takeUnconfirmedSlot(db, row, now());
      if (result) return;
      const request = await buildRequestFor(row, push.receipts.issue(logId), push.vapidKeys, publicUrl);
      const startedAt = performance.now();
      const answer = await push.client.send({ ...request, isWanted: () => !inFlight.isCancelled });
      if (answer.kind === 'failed' && answer.word === 'withdrawn') return;
      attempt = { ms: performance.now() - startedAt, isAnswered: answer.kind !== 'failed' };
      this.#noteRejection(inFlight, row, answer);
      result = classifyResponse(answer, row, now(), Math.random());
    } catch (error) {
      if (error instanceof InvalidKeysError) result = { kind: 'unusable', reason: 'keys_unusable' };
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
    const waitMs = this.#breaker.openForMs(origin, this.#services.clock.monotonicMs());
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
    this.#breaker.recordRejection(origin, subscriptionId, this.#services.clock.monotonicMs());
  }

  #end(
    inFlight: InFlightJob,
    attempt: { ms: number; isAnswered: boolean } | null,
    completed: CompletedJob | undefined,
  ): void {
    this.#queues.end(inFlight, attempt);
    if (this.#isClosed) return;
    if (completed) {
      inFlight.isEnded = true;
      this.#recorder.add(completed);
    } else this.#forget(inFlight);
    this.#recorder.jobEnded();
    this.#pump();
  }

  #release(key: string): void {
    this.#jobs.delete(key);
    const again = this.#claimedAgain.get(key);
    this.#claimedAgain.delete(key);
    // If its queue is full, the job stays leased and is sent when the lease ends.
    if (again && !this.#isClosing) this.submit(again);
  }

  #forget(inFlight: InFlightJob): void {
    this.#jobs.delete(jobKey(inFlight));
    this.#resolveIdle();
  }

  #resolveIdle(): void {
    if (this.#jobs.size > 0) return;
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }
}
