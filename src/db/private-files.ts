import { chmodSync, closeSync, openSync } from 'node:fs';

/** Beside the database's own file; SQLite gives a new one the mode of that file. */
const SUFFIXES = ['', '-wal', '-shm', '-journal'];

/**
 * Makes the file of an SQLite database if it is not there, and lets only its owner read and write it and the files beside
 * it, independent of the umask and the folder's mode. An existing file is changed by its path: closing a second descriptor
 * of it would drop the locks that this process holds on it (POSIX advisory locks).
 */
export function makePrivateDatabaseFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  for (const suffix of SUFFIXES) {
    try {
      chmodSync(file + suffix, 0o600);
    } catch (error) {
      // Another process may just have closed the database, which removes the files beside it.
      if (suffix === '' || !hasCode(error, 'ENOENT')) throw error;
    }
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
