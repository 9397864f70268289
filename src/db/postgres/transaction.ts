import type { Part, SchemaTx } from '../db.ts';
import { parametersOf, type Statements } from '../statements.ts';
import type { PostgresConnection } from './connection.ts';
import { PostgresQueries } from './queries.ts';
import type { QueryResult } from './statement-query.ts';

export const BEGIN = 'begin isolation level read committed read write';

/**
 * Runs `body` between `begin` and `commit` on a connection of its own.
 *
 * @throws the first failure of a statement in it, even if the body caught it; else the error of the body
 */
export async function runTransaction<T>(
  connection: PostgresConnection,
  statements: Statements,
  body: (tx: PostgresTx) => Promise<T>,
  options: { withoutLimit: boolean; begin?: string },
): Promise<T> {
  // Not sent together with the body's first statements: if it failed, they would be committed one by one.
  const { begin = BEGIN } = options;
  await connection.query(begin, [], { prepare: false });
  const tx = new PostgresTx(connection, statements, options.withoutLimit);
  try {
    const value = await Promise.race([invoke(body, tx), tx.stalled]);
    await tx.end();
    assertCommitted(await connection.query('commit', [], { ...options, prepare: false }));
    return value;
  } catch (error) {
    const failure = await tx.end().then(
      () => error,
      (first: unknown) => first,
    );
    if (!connection.broken) {
      await connection
        .query('rollback', [], { prepare: false })
        .catch((reason: Error) => connection.break(reason));
    }
    throw failure;
  }
}

/**
 * A failed transaction answers a commit by a rollback, without an error. A warning means that a standby may not have what the
 * other servers have: whether the commit lasts is unknown.
 */
export function assertCommitted({ command, warning }: QueryResult<unknown>): void {
  if (command !== 'COMMIT') throw new Error(`PostgreSQL answered ${command} to commit`);
  if (warning !== undefined) throw new Error(`PostgreSQL warned at commit: ${warning}`);
}

class PostgresTx extends PostgresQueries implements SchemaTx {
  readonly inTransaction = true;
  /** Rejects when the body waits while no statement of it runs. */
  readonly stalled: Promise<never>;
  #connection: PostgresConnection;
  #withoutLimit: boolean;
  #running = new Set<Promise<unknown>>();
  #ended = false;
  #failure: { readonly error: unknown } | undefined;
  #rejectStalled: (error: Error) => void;

  constructor(connection: PostgresConnection, statements: Statements, withoutLimit: boolean) {
    super(statements);
    this.#connection = connection;
    this.#withoutLimit = withoutLimit;
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => {});
    this.stalled = promise;
    this.#rejectStalled = reject;
    this.#watch();
  }

  async script(text: string): Promise<void> {
    await this.#use(() =>
      this.#connection.query(text, [], { withoutLimit: this.#withoutLimit, prepare: false }),
    );
  }

  /**
   * From now on every use throws. Returns when no statement runs any more.
   *
   * @throws the first failure
   */
  async end(): Promise<void> {
    this.#ended = true;
    await Promise.allSettled(this.#running);
    if (this.#failure) throw this.#failure.error;
  }

  protected query<Row>(strings: TemplateStringsArray, parts: Part[]): Promise<QueryResult<Row>> {
    return this.#use(() => {
      const { text } = this.statements.of(strings, parts);
      return this.#connection.query<Row>(text, parametersOf(parts), { withoutLimit: this.#withoutLimit });
    });
  }

  async #use<T>(work: () => Promise<T>): Promise<T> {
    if (this.#ended) throw new Error('this transaction has ended');
    // PostgreSQL refuses the statements after a failed one with an error that does not name the cause.
    if (this.#failure) throw this.#failure.error;
    let query: Promise<T> | undefined;
    try {
      query = work();
      this.#running.add(query);
      return await query;
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    } finally {
      if (query) this.#running.delete(query);
      if (this.#running.size === 0) this.#watch();
    }
  }

  /** A body sends its next statement or ends before the next turn of the event loop; otherwise it awaits something else. */
  #watch(): void {
    setImmediate(() => {
      if (this.#ended || this.#running.size > 0) return;
      this.#rejectStalled(new Error('the body of a transaction waited for something other than its tx'));
    });
  }
}

/** Also turns what a body throws before its first `await` into a rejection. */
async function invoke<T>(body: (tx: PostgresTx) => Promise<T>, tx: PostgresTx): Promise<T> {
  return body(tx);
}
