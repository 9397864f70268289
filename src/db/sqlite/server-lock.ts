import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isBusy } from './connection.ts';
import { makePrivateDatabaseFile, withPath } from './files.ts';

/** How long the lock waits for {@link isFolderLocked}, which has the file for less than a millisecond. */
const QUESTION_MS = 250;

/** Whether a server has the lock on `folder`. The answer is of the moment. */
export function isFolderLocked(folder: string): boolean {
  const path = join(folder, 'server.lock');
  if (!existsSync(path)) return false;
  const file = withPath(path, () => new DatabaseSync(path, { readOnly: true }));
  try {
    file.exec('select 1 from sqlite_schema');
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    file.close();
  }
}

/**
 * Locks `folder` against other servers until it is disposed. The operating system's lock on an open file ends with the
 * process, also after a crash. The operator's commands that may run beside a server do not take it.
 *
 * @throws {Error} when another server has the lock
 */
export function lockFolder(folder: string): AsyncDisposable {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'server.lock');
  makePrivateDatabaseFile(path);
  const file = withPath(path, () => new DatabaseSync(path, { timeout: QUESTION_MS }));
  try {
    // Nothing is ever written, so no journal file is needed.
    withPath(path, () => file.exec('pragma journal_mode = memory; begin exclusive'));
  } catch (error) {
    file.close();
    if (!isBusy(error)) throw error;
    throw new Error(
      `Another Doorman server is running on ${resolve(folder)}: stop it, or set another DATA_DIR.`,
      { cause: error },
    );
  }
  return {
    async [Symbol.asyncDispose]() {
      if (file.isOpen) file.close();
    },
  };
}
