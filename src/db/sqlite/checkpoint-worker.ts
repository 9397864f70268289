import { parentPort, workerData } from 'node:worker_threads';
import type { Checkpoint } from './checkpoints.ts';
import { SqliteConnection } from './connection.ts';

if (!parentPort) throw new Error('this file runs as a worker thread');
const port = parentPort;
const connection = new SqliteConnection(String(workerData), { readOnly: false });
// A truncation blocks writers while it waits for readers: not for long.
connection.raw.exec('pragma busy_timeout = 50');
const passive = connection.raw.prepare('pragma wal_checkpoint(passive)');
const pageBytes = Number(connection.pragma('page_size'));
/** If more is left after a passive checkpoint, a long reader such as a backup is in the way, and writers would wait for nothing. */
const HELD_BACK_BYTES = 4 * 1024 * 1024;

port.on('message', (message: Checkpoint | 'close') => {
  if (message === 'close') {
    connection.close();
    port.close();
    return;
  }
  port.postMessage(checkpoint(message));
});

/** Returns why it failed, such as a full disk, or `null`. A checkpoint that readers prevent has not failed. */
function checkpoint(kind: Checkpoint): string | null {
  try {
    // Also before a truncation, so that little is left for its part that blocks writers.
    const left = passive.get();
    const isHeldBack = (Number(left?.log) - Number(left?.checkpointed)) * pageBytes > HELD_BACK_BYTES;
    if (kind === 'truncate' && !isHeldBack) connection.pragma('wal_checkpoint(truncate)');
    return null;
  } catch (error) {
    return String(error);
  }
}
