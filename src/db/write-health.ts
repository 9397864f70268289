import { randomBytes } from 'node:crypto';
import type { DatabaseLog, Db } from './db.ts';

const PROBE_MS = 1_000;
/** Large enough to fail on a disk with only some pages left. */
const PROBE_BYTES = 64 * 1024;

/**
 * Knows whether the database takes writes. After a write that failed because of the server or the disk, it writes a probe
 * each second until that succeeds.
 */
export class WriteHealth {
  #db: Db;
  #isServerFault: (error: unknown) => boolean;
  #log: DatabaseLog | undefined;
  #failure: unknown;
  #timer: NodeJS.Timeout | undefined;
  #probing: Promise<void> | undefined;
  #closed = false;

  constructor(db: Db, isServerFault: (error: unknown) => boolean, log: DatabaseLog | undefined) {
    this.#db = db;
    this.#isServerFault = isServerFault;
    this.#log = log;
  }

  /** Runs a write, and remembers a failure of the server or the disk. */
  async observe<T>(write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      if (this.#failure === undefined && this.#isServerFault(error)) this.#fail(error);
      throw error;
    }
  }

  /** @throws {Error} while writes fail */
  check(): void {
    if (this.#failure !== undefined)
      throw new Error('the database does not take writes', { cause: this.#failure });
  }

  /** Ends the probing. A running probe may fail, since the database closes meanwhile. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#probing;
  }

  #fail(error: unknown): void {
    this.#failure = error;
    this.#log?.warn({ err: error }, 'the database does not take writes; trying one each second');
    this.#schedule();
  }

  #schedule(): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#probing = this.#probe();
    }, PROBE_MS);
    this.#timer.unref();
  }

  async #probe(): Promise<void> {
    // Random, since PostgreSQL compresses long values.
    const value = randomBytes(PROBE_BYTES / 2).toString('hex');
    try {
      await this.#db.run`insert into service (name, value) values ('write-probe', ${value})
        on conflict (name) do update set value = excluded.value`;
      await this.#db.run`delete from service where name = 'write-probe'`;
    } catch {
      // The first failure was logged; nothing has changed since.
      this.#schedule();
      return;
    }
    this.#failure = undefined;
    this.#log?.info({}, 'the database takes writes again');
  }
}
