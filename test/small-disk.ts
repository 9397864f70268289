import { execFileSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';

/** Arguments of `unshare` that give a child a disk of a few megabytes, which no other process sees and which ends with it. */
export function findSmallDisk(): { args: string[]; skip: string | false } {
  for (const args of [['-m'], ['-r', '-m']]) {
    try {
      execFileSync('unshare', [...args, 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' });
      return { args, skip: false };
    } catch {
      // The next way may be allowed.
    }
  }
  return { args: [], skip: 'this system allows no mount namespaces (unshare -r -m)' };
}

/** Fills the disk completely with one file. */
export function fillDisk(file: string): void {
  const fd = openSync(file, 'w');
  try {
    for (const bytes of [1 << 20, 4096]) while (hasRoom(fd, bytes));
  } finally {
    closeSync(fd);
  }
}

function hasRoom(fd: number, bytes: number): boolean {
  try {
    return writeSync(fd, new Uint8Array(bytes)) === bytes;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return false;
    throw error;
  }
}
