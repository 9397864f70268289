import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Part, Queries, SchemaTx, TimeLimit } from '../db.ts';
import { parametersOf, type Statements } from '../statements.ts';
import type { PostgresConnection } from './connection.ts';
import { isTimeout } from './errors.ts';
import { PostgresQueries } from './queries.ts';
import type { QueryResult } from './statement-query.ts';

const BEGIN = 'begin isolation level read committed read write';

/**
 * Runs `body` between `begin` and `commit` on a connection of its own.
 *
 * @throws the first failure of a statement in it, even if the body caught it; else the error of the body
 */
export async function runTransaction<T>(
  connection: PostgresConnection,
  statements: Statements,
  body: (tx: PostgresTx) => Promise<T>,
  { withoutLimit = false, begin = BEGIN } = {},
): Promise<T> {
  // Not sent together with the body's first statements: if it failed, they would be committed one by one.
  await send(connection, begin);
  const tx = new PostgresTx(connection, statements, withoutLimit);
  try {
    const value = await Promise.race([invoke(body, tx), tx.stalled]);
    await tx.commit();
    return value;
  } catch (error) {
    const failure = await failureOf(tx, error);
    await rollBack(connection);
    throw failure;
  }
}

/**
 * Runs a transaction of two flights on a connection of its own; `Db.twoFlights` has the rules. The connection sends the statements
 * of one turn of the event loop in one packet.
 *
 * @throws the first failure of a statement, whatever `look` and `write` make of it
 */
export async function runTwoFlights<Answers, T>(
  connection: PostgresConnection,
  statements: Statements,
  look: (tx: Queries) => Promise<Answers>,
  write: (tx: Queries, answers: Answers) => T,
  limit?: TimeLimit<T>,
): Promise<T> {
  let tx: PostgresTx | undefined;
  try {
    const answers = await beginAndLook(connection, new PostgresTx(connection, statements), look, limit?.ms);
    tx = new PostgresTx(connection, statements);
    const value = write(tx, answers);
    if (tx.isUsed) {
      await tx.commit();
    } else {
      await tx.end();
      await send(connection, 'rollback');
    }
    return value;
  } catch (error) {
    const failure = await failureOf(tx, error);
    await rollBack(connection);
    if (limit && !tx && isTimeout(error)) return limit.late();
    throw failure;
  }
}

/** Ends it, as a later statement of it would run in the transaction of another caller. @returns its first failure, else `error` */
async function failureOf(tx: PostgresTx | undefined, error: unknown): Promise<unknown> {
  if (!tx) return error;
  return tx.end().then(
    () => error,
    (first: unknown) => first,
  );
}

async function beginAndLook<Answers>(
  connection: PostgresConnection,
  tx: PostgresTx,
  look: (tx: Queries) => Promise<Answers>,
  limitMs: number | undefined,
): Promise<Answers> {
  const limit = (value: string) =>
    limitMs === undefined ? [] : [send(connection, `set local statement_timeout ${value}`)];
  const began = [send(connection, BEGIN), ...limit(`= ${limitMs}`)];
  const answers = invoke(look, tx);
  answers.catch(() => {});
  const sent = tx.end('this flight of the transaction has been sent');
  const results = await Promise.allSettled([...began, sent, ...limit('to default')]);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  const stalled = nextTurn().then(() => {
    throw new Error('the first flight of a transaction waited for something other than its tx');
  });
  return Promise.race([answers, stalled]);
}

function send(connection: PostgresConnection, text: string): Promise<QueryResult<unknown>> {
  return connection.query(text, [], { prepare: false });
}

async function rollBack(connection: PostgresConnection): Promise<void> {
  if (!connection.broken)
    await send(connection, 'rollback').catch((reason: Error) => connection.break(reason));
}

class PostgresTx extends PostgresQueries implements SchemaTx {
  readonly inTransaction = true;
  /** Rejects when the body waits while no statement of it runs. */
  readonly stalled: Promise<never>;
  /** Whether it was given a statement. */
  isUsed = false;
  #connection: PostgresConnection;
  #withoutLimit: boolean;
  #running = new Set<Promise<unknown>>();
  /** Why it can no longer be used. */
  #ended: string | undefined;
  #failure: { readonly error: unknown } | undefined;
  #rejectStalled: (error: Error) => void;

  constructor(connection: PostgresConnection, statements: Statements, withoutLimit = false) {
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
   * From now on every use throws `reason`. Returns when no statement runs any more.
   *
   * @throws the first failure
   */
  async end(reason = 'this transaction has ended'): Promise<void> {
    this.#ended = reason;
    await Promise.allSettled(this.#running);
    if (this.#failure) throw this.#failure.error;
  }

  /**
   * Ends it, and sends the commit behind the statements that still run: if one of them fails, PostgreSQL answers by a rollback. A
   * warning means that a standby may not have what the other servers have: whether the commit lasts is unknown.
   *
   * @throws the first failure
   */
  async commit(): Promise<void> {
    const ended = this.end();
    if (this.#failure) return ended;
    const answer = this.#connection.query('commit', [], {
      withoutLimit: this.#withoutLimit,
      prepare: false,
    });
    answer.catch(() => {});
    await ended;
    const { command, warning } = await answer;
    if (command !== 'COMMIT') throw new Error(`PostgreSQL answered ${command} to commit`);
    if (warning !== undefined) throw new Error(`PostgreSQL warned at commit: ${warning}`);
  }

  protected query<Row>(strings: TemplateStringsArray, parts: Part[]): Promise<QueryResult<Row>> {
    return this.#use(() => {
      const { text } = this.statements.of(strings, parts);
      return this.#connection.query<Row>(text, parametersOf(parts), { withoutLimit: this.#withoutLimit });
    });
  }

  /** A failure is thrown at the end, also that of a statement that is not awaited. */
  protected override pick<Row, T>(
    strings: TemplateStringsArray,
    parts: Part[],
    take: (result: QueryResult<Row>) => T,
  ): Promise<T> {
    const picked = super.pick(strings, parts, take);
    picked.catch(() => {});
    return picked;
  }

  async #use<T>(work: () => Promise<T>): Promise<T> {
    if (this.#ended !== undefined) throw new Error(this.#ended);
    // PostgreSQL refuses the statements after a failed one with an error that does not name the cause.
    if (this.#failure) throw this.#failure.error;
    this.isUsed = true;
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
      if (this.#ended !== undefined || this.#running.size > 0) return;
      this.#rejectStalled(new Error('the body of a transaction waited for something other than its tx'));
    });
  }
}

/** Also turns what a body throws before its first `await` into a rejection. */
async function invoke<T>(body: (tx: PostgresTx) => Promise<T>, tx: PostgresTx): Promise<T> {
  return body(tx);
}
