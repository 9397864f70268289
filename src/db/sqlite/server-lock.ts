import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isBusy } from './connection.ts';
import { makePrivateDatabaseFile, withPath } from './files.ts';

/**
 * Locks `folder` against other servers until it is disposed. The operating system's lock on an open file ends with the
 * process, also after a crash. The operator's commands do not take it.
 *
 * @throws {Error} when another server has the lock
 */
export function lockFolder(folder: string): AsyncDisposable {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'server.lock');
  makePrivateDatabaseFile(path);
  const file = withPath(path, () => new DatabaseSync(path));
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
