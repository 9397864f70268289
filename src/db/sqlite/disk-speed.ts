import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseLog } from '../db.ts';

const SLOW_FSYNC_MS = 2;
const SAMPLES = 5;

export async function warnOfSlowDisk(folder: string, log: DatabaseLog | undefined): Promise<void> {
  try {
    const fsyncMs = await measureFsync(folder);
    if (fsyncMs > SLOW_FSYNC_MS) {
      log?.warn({ folder, fsyncMs }, 'the disk is slow: each write is answered only once the disk has it');
    }
  } catch (error) {
    // Such as a full disk, which can still be read.
    log?.warn({ folder, err: error }, 'the speed of the disk could not be measured');
  }
}

/** How long the disk takes to make 4 KiB durable in `folder`, in milliseconds: the median of {@link SAMPLES}. */
async function measureFsync(folder: string): Promise<number> {
  const path = join(folder, `fsync-${process.pid}.tmp`);
  const page = new Uint8Array(4096).fill(1);
  const times: number[] = [];
  try {
    await using file = await open(path, 'w');
    for (let sample = 0; sample < SAMPLES; sample++) {
      await file.write(page);
      const startedAt = performance.now();
      await file.datasync();
      times.push(performance.now() - startedAt);
    }
  } finally {
    await rm(path, { force: true });
  }
  return times.sort((a, b) => a - b)[SAMPLES >> 1] ?? 0;
}
