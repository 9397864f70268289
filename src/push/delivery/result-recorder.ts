import type { Logger } from 'pino';
import type { Db } from '../../db/db.ts';
import { jobKey } from '../queue/jobs.ts';
import { type CompletedJob, recordResult } from './record-result.ts';

const BATCH = 128;
/** How long completed jobs wait for more, to share a commit. */
const COLLECT_MS = 20;

/** Records the results of jobs in the database, many in one commit. */
export class ResultRecorder {
  readonly #services: { readonly db: Db; readonly log: Logger };
  readonly #queues: { readonly isEmpty: boolean };
  readonly #onRecorded: (jobs: readonly CompletedJob[]) => void;
  #completed: CompletedJob[] = [];
  #recording: Promise<void> | undefined;
  #onJobEnded: () => void = () => {};

  /** @param onRecorded called after each commit, also if it failed: then its jobs are sent again when their lease ends */
  constructor(
    services: { readonly db: Db; readonly log: Logger },
    queues: { readonly isEmpty: boolean },
    onRecorded: (jobs: readonly CompletedJob[]) => void,
  ) {
    this.#services = services;
    this.#queues = queues;
    this.#onRecorded = onRecorded;
  }

  add(completed: CompletedJob): void {
    this.#completed.push(completed);
    this.#recording ??= this.#record();
  }

  /** To be called when a job has ended, with a result or without: it may be the last that a batch waited for. */
  jobEnded(): void {
    this.#onJobEnded();
  }

  /** Resolves when all results that were added are recorded. */
  async untilRecorded(): Promise<void> {
    await this.#recording;
  }

  async #record(): Promise<void> {
    while (this.#completed.length > 0) {
      if (this.#completed.length < BATCH && !this.#queues.isEmpty) await this.#collect();
      // Sorted, so that concurrent transactions lock rows in the same order and cannot deadlock.
      const batch = this.#completed.splice(0, BATCH).sort((a, b) => (jobKey(a.job) < jobKey(b.job) ? -1 : 1));
      try {
        await this.#services.db.transaction(async (tx) => {
          await Promise.all(batch.map((completed) => recordResult(tx, completed)));
        });
      } catch (err) {
        this.#services.log.error({ err }, 'results of pushes could not be recorded');
      }
      this.#onRecorded(batch);
    }
    this.#recording = undefined;
  }

  /** Waits until a batch is complete, nothing is in flight, or {@link COLLECT_MS} has passed. */
  async #collect(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, COLLECT_MS);
    this.#onJobEnded = () => {
      if (this.#completed.length >= BATCH || this.#queues.isEmpty) resolve();
    };
    await promise;
    clearTimeout(timer);
    this.#onJobEnded = () => {};
  }
}
