import { statfsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Linux's folder in memory. */
const IN_MEMORY = '/dev/shm';
/** Far above what tests have there at once. A container may have only 64 MB. */
const LEAST_FREE_BYTES = 4 * 1024 ** 3;
const PREFIX = 'doorman-test-';

/** Where tests keep databases and the files of browsers: in memory where there is room, as on a disk they wait for it more than they compute. */
const parent = isRoomInMemory() ? IN_MEMORY : tmpdir();

let cleaned: Promise<void> | undefined;

/** Makes a folder, which the caller removes. @param name what it is for */
export async function makeTemporaryFolder(name: string): Promise<string> {
  cleaned ??= removeAbandoned();
  await cleaned;
  return mkdtemp(join(parent, `${PREFIX}${process.pid}-${name}-`));
}

export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

function isRoomInMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize >= LEAST_FREE_BYTES;
  } catch {
    return false; // Other systems have no such folder.
  }
}

/** Removes the folders of tests that were killed. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(PREFIX)) continue;
    if (!isRunning(Number.parseInt(name.slice(PREFIX.length), 10))) await removeFolder(join(parent, name));
  }
}

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
