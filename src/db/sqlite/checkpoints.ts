import { Worker } from 'node:worker_threads';
import type { DatabaseLog } from '../db.ts';
import type { SqliteConnection } from './connection.ts';

/** The worker's command: `passive` blocks neither readers nor writers, `truncate` blocks writers in its last part. */
export type Checkpoint = 'passive' | 'truncate';

const lookEvery = 16;
const passiveBytes = 4 * 1024 * 1024;
const truncateBytes = 64 * 1024 * 1024;
/** A reader that stays keeps any checkpoint from ending; so they are not tried without a pause. */
const passivePauseMs = 100;
const truncatePauseMs = 1_000;

/**
 * Moves what was committed from the log (WAL) into the database file, in a thread of its own: on the main thread
 * its fsyncs would hold up every request.
 */
export class SqliteCheckpoints {
  #file: string;
  #writer: SqliteConnection;
  #log: DatabaseLog | undefined;
  #pageBytes: number;
  #worker: Worker | undefined;
  #underWay = false;
  #commits = 0;
  #passiveFrom = 0;
  #truncateFrom = 0;

  constructor(file: string, writer: SqliteConnection, log: DatabaseLog | undefined) {
    this.#file = file;
    this.#writer = writer;
    this.#log = log;
    this.#pageBytes = Number(writer.pragma('page_size'));
  }

  /** To be called after each commit. Looks at the log now and then, and starts what is due. */
  afterCommit(): void {
    this.#commits += 1;
    if (this.#commits % lookEvery !== 0 || this.#underWay) return;
    // "noop" only counts: pages in the log, and how many of them are in the database file already.
    const { log, checkpointed } = this.#counts();
    const now = performance.now();
    if (log * this.#pageBytes > truncateBytes && now >= this.#truncateFrom) {
      this.#truncateFrom = now + truncatePauseMs;
      this.#start('truncate');
    } else if ((log - checkpointed) * this.#pageBytes > passiveBytes && now >= this.#passiveFrom) {
      this.#passiveFrom = now + passivePauseMs;
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
    this.#underWay = true;
    this.#worker ??= this.#open();
    this.#worker.postMessage(checkpoint);
  }

  #open(): Worker {
    const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), {
      workerData: this.#file,
    });
    worker.unref();
    worker.on('message', (failure: string | null) => {
      this.#underWay = false;
      if (failure !== null) this.#log?.warn({ failure }, 'a checkpoint of the database failed');
    });
    worker.on('error', (error) => {
      this.#log?.warn({ err: error }, 'the thread for checkpoints of the database ended');
    });
    worker.on('exit', () => {
      this.#worker = undefined;
      this.#underWay = false;
    });
    return worker;
  }
}
