import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { DatabaseLog } from '../db.ts';

/** Between two checks, since a long reader keeps checkpoints from finishing. */
const CHECK_PAUSE_MS = 100;
/** The size of the log from which on there is a worker. */
const WORKER_BYTES = 4 * 1024 * 1024;

/**
 * Copies committed pages from the log (WAL) into the database file, in a worker thread: on the main thread the fsyncs would
 * delay every request.
 */
export function openCheckpoints(file: string, log: DatabaseLog | undefined) {
  let worker: Worker | undefined;
  let checkFrom = 0;
  // 0 where the files were moved away: the writer has them open, and goes on.
  const logBytes = () => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;

  function openWorker(): Worker {
    const opened = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), { workerData: file });
    opened.unref();
    opened.on('message', (failure: string) => log?.warn({ failure }, 'a checkpoint of the database failed'));
    opened.on('error', (error) =>
      log?.warn({ err: error }, 'the thread for checkpoints of the database ended'),
    );
    opened.on('exit', () => {
      worker = undefined;
    });
    return opened;
  }

  return {
    logBytes,
    /** Leaves all checkpoints to the caller from now on. */
    pause(): void {
      checkFrom = Number.POSITIVE_INFINITY;
    },
    /** Lets the worker check the log's size now and then. Call it after each commit. */
    afterCommit(): void {
      const now = performance.now();
      if (now < checkFrom) return;
      checkFrom = now + CHECK_PAUSE_MS;
      if (!worker && logBytes() < WORKER_BYTES) return;
      worker ??= openWorker();
      worker.postMessage('check');
    },
    /** Waits for a running checkpoint. */
    async close(): Promise<void> {
      await worker?.terminate();
    },
  };
}
