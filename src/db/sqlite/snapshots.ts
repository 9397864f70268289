import type { Part, Queries } from '../db.ts';
import type { Statements } from '../statements.ts';
import { SqliteConnection } from './connection.ts';

/**
 * Consistent reads on a connection of their own: a read transaction on the shared reader would hide writes from other readers
 * that were already answered. They run one after the other, each as long as its body runs.
 */
export class SqliteSnapshots {
  readonly #file: string;
  readonly #statements: Statements;
  #connection: SqliteConnection | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(file: string, statements: Statements) {
    this.#file = file;
    this.#statements = statements;
  }

  read<T>(body: (snapshot: Queries) => Promise<T>): Promise<T> {
    const result = this.#last.then(() => this.#read(body));
    this.#last = result.catch(() => {});
    return result;
  }

  /** Waits for the queued snapshots. */
  async close(): Promise<void> {
    await this.#last;
    this.#connection?.close();
  }

  async #read<T>(body: (snapshot: Queries) => Promise<T>): Promise<T> {
    this.#connection ??= new SqliteConnection(this.#file, { readOnly: true });
    const { raw } = this.#connection;
    raw.exec('begin');
    try {
      return await body(new Snapshot(this.#connection, this.#statements));
    } finally {
      raw.exec('rollback');
    }
  }
}

class Snapshot implements Queries {
  readonly #connection: SqliteConnection;
  readonly #statements: Statements;

  constructor(connection: SqliteConnection, statements: Statements) {
    this.#connection = connection;
    this.#statements = statements;
  }

  async all<Row>(strings: TemplateStringsArray, ...parts: Part[]): Promise<Row[]> {
    return this.#connection.all<Row>(this.#statements.of(strings, parts), parts);
  }

  async get<Row>(strings: TemplateStringsArray, ...parts: Part[]): Promise<Row | undefined> {
    return this.#connection.get<Row>(this.#statements.of(strings, parts), parts);
  }

  async run(): Promise<number> {
    throw new Error('a snapshot only reads');
  }
}
