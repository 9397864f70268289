import { Worker } from 'node:worker_threads';
import type { DatabaseLog } from '../db.ts';
import type { SqliteConnection } from './connection.ts';

/** The worker's command: `passive` blocks neither readers nor writers, `truncate` blocks writers in its last part. */
export type Checkpoint = 'passive' | 'truncate';

const COMMITS_PER_CHECK = 16;
const PASSIVE_BYTES = 4 * 1024 * 1024;
const TRUNCATE_BYTES = 64 * 1024 * 1024;
/** Between two checkpoints, since a long reader keeps all of them from finishing. */
const PASSIVE_PAUSE_MS = 100;
const TRUNCATE_PAUSE_MS = 1_000;

/**
 * Copies committed pages from the log (WAL) into the database file, in a worker thread: on the main thread the fsyncs would
 * delay every request.
 */
export class SqliteCheckpoints {
  #file: string;
  #writer: SqliteConnection;
  #log: DatabaseLog | undefined;
  #pageBytes: number;
  #worker: Worker | undefined;
  #isRunning = false;
  #commits = 0;
  #passiveFrom = 0;
  #truncateFrom = 0;

  constructor(file: string, writer: SqliteConnection, log: DatabaseLog | undefined) {
    this.#file = file;
    this.#writer = writer;
    this.#log = log;
    this.#pageBytes = Number(writer.pragma('page_size'));
  }

  /** Checks the log's size now and then, and starts a checkpoint if it is too large. Call it after each commit. */
  afterCommit(): void {
    this.#commits += 1;
    if (this.#commits % COMMITS_PER_CHECK !== 0 || this.#isRunning) return;
    // "noop" only counts the pages in the log, and those of them that are in the database file already.
    const { log, checkpointed } = this.#counts();
    const now = performance.now();
    if (log * this.#pageBytes > TRUNCATE_BYTES && now >= this.#truncateFrom) {
      this.#truncateFrom = now + TRUNCATE_PAUSE_MS;
      this.#start('truncate');
    } else if ((log - checkpointed) * this.#pageBytes > PASSIVE_BYTES && now >= this.#passiveFrom) {
      this.#passiveFrom = now + PASSIVE_PAUSE_MS;
      this.#start('passive');
    }
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    worker.ref();
    worker.postMessage('close');
    await new Promise((resolve) => {
      worker.once('exit', resolve);
    });
  }

  #counts(): { log: number; checkpointed: number } {
    const row = this.#writer.raw.prepare('pragma wal_checkpoint(noop)').get();
    return { log: Number(row?.log), checkpointed: Number(row?.checkpointed) };
  }

  #start(checkpoint: Checkpoint): void {
    this.#isRunning = true;
    this.#worker ??= this.#open();
    this.#worker.postMessage(checkpoint);
  }

  #open(): Worker {
    const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), {
      workerData: this.#file,
    });
    worker.unref();
    worker.on('message', (failure: string | null) => {
      this.#isRunning = false;
      if (failure !== null) this.#log?.warn({ failure }, 'a checkpoint of the database failed');
    });
    worker.on('error', (error) => {
      this.#log?.warn({ err: error }, 'the thread for checkpoints of the database ended');
    });
    worker.on('exit', () => {
      this.#worker = undefined;
      this.#isRunning = false;
    });
    return worker;
  }
}
