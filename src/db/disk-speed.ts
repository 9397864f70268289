import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

const rounds = 5;

/** How long the disk takes to make 4 KiB durable in `folder`: the median of five, in milliseconds. */
export async function measureFsync(folder: string): Promise<number> {
  const path = join(folder, `fsync-${process.pid}.tmp`);
  const page = new Uint8Array(4096).fill(1);
  const times: number[] = [];
  try {
    await using file = await open(path, 'w');
    for (let round = 0; round < rounds; round++) {
      await file.write(page);
      const startedAt = performance.now();
      await file.datasync();
      times.push(performance.now() - startedAt);
    }
  } finally {
    await rm(path, { force: true });
  }
  return times.sort((a, b) => a - b)[rounds >> 1] ?? 0;
}
