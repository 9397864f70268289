import type { StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { SqliteConnection } from './connection.ts';

/** What is not in the database file yet is copied from this size on. */
const PASSIVE_BYTES = 4 * 1024 * 1024;
/** The size from which on the log is made empty. */
const TRUNCATE_BYTES = 64 * 1024 * 1024;
/** Between two truncations, since a long reader keeps all of them from finishing. */
const TRUNCATE_PAUSE_MS = 1_000;
/** If more is left after a passive checkpoint, a long reader such as a backup is in the way, and writers would wait for nothing. */
const HELD_BACK_BYTES = 4 * 1024 * 1024;

if (!parentPort) throw new Error('this file runs as a worker thread');
const port = parentPort;
const connection = new SqliteConnection(String(workerData), { readOnly: false });
// A truncation blocks writers while it waits for readers: not for long.
connection.raw.exec('pragma busy_timeout = 50');
const pageBytes = Number(connection.pragma('page_size'));
// "noop" only counts the pages in the log, and those of them that are in the database file already.
const noop = connection.raw.prepare('pragma wal_checkpoint(noop)');
const passive = connection.raw.prepare('pragma wal_checkpoint(passive)');
let truncateFrom = 0;

port.on('message', () => {
  try {
    check();
  } catch (error) {
    // Such as a full disk. A checkpoint that readers prevent does not fail.
    port.postMessage(String(error));
  }
});

/** A passive checkpoint blocks neither readers nor writers, a truncation blocks writers in its last part. */
function check(): void {
  const { logBytes, leftBytes } = run(noop);
  const now = performance.now();
  const truncates = logBytes > TRUNCATE_BYTES && now >= truncateFrom;
  if (!truncates && leftBytes <= PASSIVE_BYTES) return;
  // Also before a truncation, so that little is left for its part that blocks writers.
  const isHeldBack = run(passive).leftBytes > HELD_BACK_BYTES;
  if (!truncates) return;
  truncateFrom = now + TRUNCATE_PAUSE_MS;
  if (!isHeldBack) connection.pragma('wal_checkpoint(truncate)');
}

function run(checkpoint: StatementSync): { logBytes: number; leftBytes: number } {
  const row = checkpoint.get();
  const log = Number(row?.log);
  return { logBytes: log * pageBytes, leftBytes: (log - Number(row?.checkpointed)) * pageBytes };
}
