import { chmodSync, closeSync, openSync, rmSync } from 'node:fs';

/** The endings of files that SQLite makes beside the database, with the mode of the database's file. */
const SUFFIXES = ['', '-wal', '-shm', '-journal'];

/**
 * Creates the file of an SQLite database if there is none, and lets only its owner read and write it and the files beside it,
 * whatever the umask and the folder's mode. The mode of an existing file is changed by its path: to close a second
 * descriptor of it would release the locks that this process has on it (POSIX advisory locks).
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

/** Runs `open`, and adds the file to an error of SQLite, which names none. */
export function withPath<T>(path: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    throw error instanceof Error ? Object.assign(error, { path }) : error;
  }
}

/** Removes a database with the files that SQLite makes beside it. */
export function removeDatabase(file: string): void {
  for (const suffix of SUFFIXES) rmSync(file + suffix, { force: true });
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
