import type { Config } from '../../config/config.ts';
import { isFolderLocked, lockFolder } from '../../db/sqlite/server-lock.ts';
import { openLog } from '../../log.ts';
import type { Context } from '../context.ts';

/** How often the lock of PostgreSQL is tried, as that of a process which has just ended may still be held. */
const ATTEMPTS = 3;

/** While it is held no server can start. */
export interface StoppedServer extends AsyncDisposable {
  /** @throws {Error} when the lock was lost, so that a server may have started */
  assertHeld(): void;
}

/**
 * Keeps servers away from the database until it is disposed.
 *
 * @throws {Error} when one runs; it is not waited for
 */
export async function keepServersOut(
  { databaseUrl, dataDir }: Config,
  context: Context,
): Promise<StoppedServer> {
  if (databaseUrl === null) {
    if (isFolderLocked(dataDir)) throw serverRuns();
    return Object.assign(lockFolder(dataDir), { assertHeld() {} });
  }
  const { PostgresLock } = await import('../../db/postgres/lock.ts');
  let attempts = 0;
  const options = { url: databaseUrl, log: openLog('warn', context.errors) };
  const lock = await PostgresLock.take(options, async () => attempts++ < ATTEMPTS);
  if (!lock) throw serverRuns();
  let loss: Error | undefined;
  lock.onLost = (reason) => {
    loss ??= reason;
  };
  return {
    assertHeld() {
      if (loss) throw new Error('the lock on the database was lost', { cause: loss });
    },
    [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose](),
  };
}

/** Whether writing many rows at once would hold up a server. */
export function mayHoldUpServer({ databaseUrl, dataDir }: Config): boolean {
  return databaseUrl === null && isFolderLocked(dataDir);
}

function serverRuns(): Error {
  return new Error(
    'a server runs on this database: friendships, blocks and messages are stored while none runs. Stop it and run the command again',
  );
}
