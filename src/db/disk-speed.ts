import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

const SAMPLES = 5;

/** How long the disk takes to make 4 KiB durable in `folder`, in milliseconds: the median of {@link SAMPLES}. */
export async function measureFsync(folder: string): Promise<number> {
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
