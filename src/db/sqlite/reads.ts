import { SqliteConnection } from './connection.ts';

/**
 * The connection for reads outside transactions. Those of one turn of the event loop share a read transaction: locking and unlocking
 * the log for each of them costs more than most queries (measured: docs/performance.md). It ends where a write of this process is
 * committed, so that every read sees all writes that were answered before.
 */
export class SqliteReads {
  readonly #connection: SqliteConnection;
  readonly #begin: () => unknown;
  readonly #rollback: () => unknown;
  #isOpen = false;

  constructor(file: string) {
    this.#connection = new SqliteConnection(file, { readOnly: true });
    const begin = this.#connection.raw.prepare('begin');
    const rollback = this.#connection.raw.prepare('rollback');
    this.#begin = () => begin.run();
    this.#rollback = () => rollback.run();
  }

  /** For one statement, at once. */
  use(): SqliteConnection {
    if (!this.#isOpen) {
      this.#begin();
      this.#isOpen = true;
      setImmediate(() => this.end());
    }
    return this.#connection;
  }

  /** The next read sees what is committed by then. */
  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    // A failed read may have ended it. A commit would fail after a read of a damaged page.
    if (this.#connection.raw.isTransaction) this.#rollback();
  }

  close(): void {
    this.end();
    this.#connection.close();
  }
}
