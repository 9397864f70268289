import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseLog, Db } from './db.ts';

const PROBE_MS = 1_000;
/** Large enough to fail on a disk with only some pages left. */
const PROBE_BYTES = 64 * 1024;

export type WriteHealth = ReturnType<typeof watchWrites>;

/**
 * Knows whether the database takes writes. After a write that failed because of the server or the disk, it writes a probe
 * each second until that succeeds.
 */
export function watchWrites(
  db: Db,
  isServerFault: (error: unknown) => boolean,
  log: DatabaseLog | undefined,
) {
  let failure: unknown;
  let probing: Promise<void> | undefined;
  const closing = new AbortController();

  async function probe(): Promise<void> {
    // Random, since PostgreSQL compresses long values.
    const value = randomBytes(PROBE_BYTES / 2).toString('hex');
    await db.run`insert into service (name, value) values ('write-probe', ${value})
      on conflict (name) do update set value = excluded.value`;
    await db.run`delete from service where name = 'write-probe'`;
    failure = undefined;
    log?.info({}, 'the database takes writes again');
  }

  async function probeUntilWritten(): Promise<void> {
    const { signal } = closing;
    // The first failure was logged; nothing has changed until a probe succeeds.
    while (failure !== undefined && !signal.aborted)
      await delay(PROBE_MS, undefined, { ref: false, signal })
        .then(probe)
        .catch(() => {});
  }

  return {
    /** Runs a write, and remembers a failure of the server or the disk. */
    async observe<T>(write: () => Promise<T>): Promise<T> {
      try {
        return await write();
      } catch (error) {
        if (failure === undefined && isServerFault(error)) {
          failure = error;
          log?.warn({ err: error }, 'the database does not take writes; trying one each second');
          probing = probeUntilWritten();
        }
        throw error;
      }
    },
    /** @throws {Error} while writes fail */
    check(): void {
      if (failure !== undefined) throw new Error('the database does not take writes', { cause: failure });
    },
    /** Ends the probing. A running probe may fail, since the database closes meanwhile. */
    async close(): Promise<void> {
      closing.abort();
      await probing;
    },
  };
}
