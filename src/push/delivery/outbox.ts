import type { Logger } from 'pino';
import type { Config } from '../../config.ts';
import type { Db } from '../../db/db.ts';
import { newId } from '../../db/ids.ts';
import type { PushReceipts } from '../log/receipts.ts';
import { type Job, jobKey, returnJobs } from '../queue/jobs.ts';
import type { VapidKeyring } from '../subscriptions/vapid-keys.ts';
import type { PushClient } from '../webpush/client.ts';
import { InvalidKeysError } from '../webpush/encryption.ts';
import type { PushResponse } from '../webpush/request.ts';
import type { Lanes } from './lanes.ts';
import { OriginPauses } from './origin-pauses.ts';
import { judgeAnswer, type Outcome } from './outcomes.ts';
import { isOurs, type ReadyRow, readReady, requestFor, takeUnconfirmedTurn, whyNotNow } from './prepare.ts';
import { type Done, record } from './record.ts';

/** How many are read, encrypted and sent in one go: about 4 ms in which nothing else runs. */
const SENT_TOGETHER = 32;
const RECORDED_TOGETHER = 128;
/** How long what is done waits for more, so that they share a commit. */
const GATHER_MS = 20;
/** How long a stop waits for what is under way. */
const CLOSE_MS = 5_000;

/** A job in this process. */
export interface Flight extends Job {
  /** Its sender was blocked after it was read. */
  isWithdrawn: boolean;
  /** It was answered, and its result is being recorded. */
  isEnded: boolean;
}

interface Turn {
  readonly ms: number;
  readonly isAnswered: boolean;
}

interface Needs {
  readonly config: Pick<Config, 'publicUrl'>;
  readonly db: Db;
  readonly keyring: VapidKeyring;
  readonly log: Logger;
  readonly monotonicMs: () => number;
  readonly now: () => number;
  readonly pushReceipts: PushReceipts;
  readonly sender: PushClient;
}

/** Sends claimed jobs as their lanes allow, and writes down what became of them, many in one commit. */
export class Outbox {
  readonly #needs: Needs;
  readonly #lanes: Lanes<Flight>;
  readonly #onRoom: () => void;
  readonly #pauses = new OriginPauses();
  /** From the claim until what became of it is recorded. */
  readonly #held = new Map<string, Flight>();
  /** What was claimed while its record was being written. */
  readonly #claimedAgain = new Map<string, Job>();
  #done: Done[] = [];
  #recording: Promise<void> | undefined;
  #isPumping = false;
  #isClosing = false;
  #isClosed = false;
  #onIdle: (() => void)[] = [];
  #onDone: () => void = () => {};

  /** @param onRoom called when something was recorded, so that there may be more to claim */
  constructor(needs: Needs, lanes: Lanes<Flight>, onRoom: () => void) {
    this.#needs = needs;
    this.#lanes = lanes;
    this.#onRoom = onRoom;
  }

  /** @returns false if its lane is full */
  take(job: Job): boolean {
    const key = jobKey(job);
    const held = this.#held.get(key);
    if (held) {
      // Its lease had run out here, or its record made it due again and is not known to be written yet.
      held.leaseUntil = job.leaseUntil;
      if (held.isEnded) this.#claimedAgain.set(key, job);
      return true;
    }
    const flight = { ...job, isWithdrawn: false, isEnded: false };
    if (!this.#lanes.offer(flight)) return false;
    this.#held.set(key, flight);
    this.#pump();
    return true;
  }

  /** Whether the job is waiting to be sent here, under way, or not recorded yet. */
  holds(job: Pick<Job, 'subscriptionId' | 'peerId'>): boolean {
    return this.#held.has(jobKey(job));
  }

  /** The user blocked the peer: not a byte about him leaves from now on. */
  withdraw(userId: string, peerId: string): void {
    for (const flight of this.#held.values())
      if (flight.userId === userId && flight.peerId === peerId) flight.isWithdrawn = true;
  }

  get isIdle(): boolean {
    return this.#held.size === 0;
  }

  /** Resolves when everything that was taken is recorded. */
  async untilIdle(): Promise<void> {
    if (this.#held.size > 0) await new Promise<void>((resolve) => void this.#onIdle.push(resolve));
  }

  /** What is not under way goes back at once; what is has 5 s, and is recorded if an answer comes by then. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const waiting = this.#lanes.clear();
    for (const flight of waiting) this.#held.delete(jobKey(flight));
    const dueAt = this.#needs.now();
    await returnJobs(
      this.#needs.db,
      waiting.map((job) => ({ job, dueAt })),
    );
    const { promise: timeUp, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, CLOSE_MS);
    await Promise.race([this.untilIdle(), timeUp]);
    clearTimeout(timer);
    // What comes later is not recorded any more: it stays leased, and is sent once more when the lease is over.
    this.#isClosed = true;
    await this.#recording;
  }

  /** Sends what may be sent, a little later, together with whatever may be by then. */
  #pump(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    setImmediate(() => {
      this.#isPumping = false;
      if (this.#isClosing) return;
      const flights = this.#lanes.start(SENT_TOGETHER);
      if (flights.length === 0) return;
      void this.#send(flights);
      this.#pump();
    });
  }

  async #send(flights: readonly Flight[]): Promise<void> {
    let rows: Map<string, ReadyRow>;
    try {
      rows = await readReady(this.#needs.db, flights);
    } catch (err) {
      this.#needs.log.error({ err }, 'pushes could not be prepared');
      rows = new Map();
    }
    for (const flight of flights) void this.#sendOne(flight, rows.get(jobKey(flight)));
  }

  async #sendOne(flight: Flight, row: ReadyRow | undefined): Promise<void> {
    let turn: Turn | null = null;
    let outcome: Outcome | undefined;
    // Reserved for what is sent, which may be answered by its device before anything is written down.
    const logId = row?.log_id || newId(this.#needs.now());
    try {
      const { config, db, keyring, now, pushReceipts, sender } = this.#needs;
      // Otherwise it was withdrawn, or another process may have it.
      if (!row || flight.isWithdrawn || !isOurs(flight, row, now())) return;
      outcome = whyNotNow(row, now()) ?? this.#whyPaused(flight, now());
      if (!outcome && row.session_id === null) outcome = await takeUnconfirmedTurn(db, row, now());
      if (outcome) return;
      const request = requestFor(row, pushReceipts.issue(logId), keyring, config.publicUrl);
      const startedAt = performance.now();
      const answer = await sender.send({ ...request, isWanted: () => !flight.isWithdrawn });
      if (answer.kind === 'failed' && answer.word === 'withdrawn') return;
      turn = { ms: performance.now() - startedAt, isAnswered: answer.kind !== 'failed' };
      this.#noteAnswer(flight, row, answer);
      outcome = judgeAnswer(answer, row, now(), Math.random());
    } catch (error) {
      if (error instanceof InvalidKeysError) outcome = { kind: 'unusable', reason: 'keys_unusable' };
      else {
        this.#needs.log.error({ err: error }, 'a push could not be sent');
        const fault: PushResponse = { kind: 'failed', word: 'fault' };
        if (row) outcome = judgeAnswer(fault, row, this.#needs.now(), Math.random());
      }
    } finally {
      this.#end(flight, turn, row && outcome && { job: flight, row, logId, outcome, now: this.#needs.now() });
    }
  }

  #whyPaused({ origin }: Flight, now: number): Outcome | undefined {
    const waitMs = this.#pauses.pausedForMs(origin, this.#needs.monotonicMs());
    if (waitMs === 0) return undefined;
    return {
      kind: 'postponed',
      until: now + Math.ceil(waitMs),
      status: null,
      reason: 'push_service_refuses',
    };
  }

  #noteAnswer({ origin, subscriptionId }: Flight, row: ReadyRow, answer: PushResponse): void {
    if (answer.kind !== 'refused' || (answer.status !== 401 && answer.status !== 403)) return;
    if (row.session_id === null || row.last_success_at === null) return;
    this.#pauses.noteRefusal(origin, subscriptionId, this.#needs.monotonicMs());
  }

  #end(flight: Flight, turn: Turn | null, done: Done | undefined): void {
    this.#lanes.end(flight, turn);
    if (this.#isClosed) return;
    if (done) {
      flight.isEnded = true;
      this.#done.push(done);
      this.#recording ??= this.#record().finally(() => {
        this.#recording = undefined;
      });
    } else this.#forget(flight);
    this.#onDone();
    this.#pump();
  }

  async #record(): Promise<void> {
    while (this.#done.length > 0) {
      if (this.#done.length < RECORDED_TOGETHER && !this.#lanes.isEmpty) await this.#gather();
      // In one order everywhere, so that two transactions that meet do not wait for each other.
      const batch = this.#done
        .splice(0, RECORDED_TOGETHER)
        .sort((a, b) => (jobKey(a.job) < jobKey(b.job) ? -1 : 1));
      try {
        await this.#needs.db.transaction(async (tx) => {
          await Promise.all(batch.map((done) => record(tx, done)));
        });
      } catch (err) {
        // They stay leased, and are sent once more after that.
        this.#needs.log.error({ err }, 'what became of pushes could not be recorded');
      }
      for (const { job } of batch) this.#release(jobKey(job));
      this.#onRoom();
    }
    this.#tellIdle();
  }

  #release(key: string): void {
    this.#held.delete(key);
    const again = this.#claimedAgain.get(key);
    this.#claimedAgain.delete(key);
    // One that finds its lane full stays leased, and is sent when the lease is over.
    if (again && !this.#isClosing) this.take(again);
  }

  /** Waits until enough is done, or nothing is under way, or the time is up. */
  async #gather(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, GATHER_MS);
    this.#onDone = () => {
      if (this.#done.length >= RECORDED_TOGETHER || this.#lanes.isEmpty) resolve();
    };
    await promise;
    clearTimeout(timer);
    this.#onDone = () => {};
  }

  #forget(flight: Flight): void {
    this.#held.delete(jobKey(flight));
    this.#tellIdle();
  }

  #tellIdle(): void {
    if (this.#held.size > 0) return;
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }
}
