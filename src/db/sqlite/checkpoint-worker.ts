import { parentPort, workerData } from 'node:worker_threads';
import type { Checkpoint } from './checkpoints.ts';
import { SqliteConnection } from './connection.ts';

if (!parentPort) throw new Error('this file runs as a worker thread');
const port = parentPort;
const connection = new SqliteConnection(String(workerData), { readOnly: false });
// A truncation blocks writers while it waits for readers: not for long.
connection.raw.exec('pragma busy_timeout = 50');

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
    connection.pragma('wal_checkpoint(passive)');
    if (kind === 'truncate') connection.pragma('wal_checkpoint(truncate)');
    return null;
  } catch (error) {
    return String(error);
  }
}
