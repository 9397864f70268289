import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Part, Queries, SchemaTx, TimeLimit } from '../db.ts';
import { parametersOf } from '../statements.ts';
import { ANSWER_MS, type PostgresConnection } from './connection.ts';
import { isTimeout } from './errors.ts';
import { PostgresQueries, statements } from './queries.ts';
import type { QueryResult } from './statement-query.ts';

const BEGIN = 'begin isolation level read committed read write';

/**
 * Runs `body` between `begin` and `commit` on a connection of its own.
 *
 * @throws the first failure of a statement in it, even if the body caught it; else the error of the body
 */
export async function runTransaction<T>(
  connection: PostgresConnection,
  body: (tx: PostgresTx) => Promise<T>,
  { answerMs = ANSWER_MS, begin = BEGIN } = {},
): Promise<T> {
  // Not sent together with the body's first statements: if it failed, they would be committed one by one.
  await send(connection, begin);
  const tx = new PostgresTx(connection, answerMs);
  try {
    const value = await Promise.race([Promise.try(body, tx), tx.stalled]);
    await tx.commit();
    return value;
  } catch (error) {
    throw await rollBack(connection, tx, error);
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
  look: (tx: Queries) => Promise<Answers>,
  write: (tx: Queries, answers: Answers) => T,
  limit?: TimeLimit<T>,
): Promise<T> {
  let tx: PostgresTx | undefined;
  try {
    const answers = await beginAndLook(connection, new PostgresTx(connection), look, limit?.ms);
    tx = new PostgresTx(connection);
    const value = write(tx, answers);
    if (tx.isUsed) {
      await tx.commit();
    } else {
      await tx.end();
      await send(connection, 'rollback');
    }
    return value;
  } catch (error) {
    const failure = await rollBack(connection, tx, error);
    if (limit && !tx && isTimeout(error)) return limit.late();
    throw failure;
  }
}

/** Ends `tx` first: a later statement of it would run in the transaction of another caller. @returns its first failure, else `error` */
async function rollBack(
  connection: PostgresConnection,
  tx: PostgresTx | undefined,
  error: unknown,
): Promise<unknown> {
  const [ended] = await Promise.allSettled([tx?.end()]);
  if (!connection.broken)
    await send(connection, 'rollback').catch((reason: Error) => connection.break(reason));
  return ended.status === 'rejected' ? ended.reason : error;
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
  const answers = Promise.try(look, tx);
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

function send(connection: PostgresConnection, text: string, answerMs = ANSWER_MS) {
  return connection.query(text, [], { prepare: false, answerMs });
}

class PostgresTx extends PostgresQueries implements SchemaTx {
  readonly inTransaction = true;
  readonly #stalled = Promise.withResolvers<never>();
  /** Rejects when the body waits while no statement of it runs. */
  readonly stalled = this.#stalled.promise;
  /** Whether it was given a statement. */
  isUsed = false;
  #connection: PostgresConnection;
  #answerMs: number;
  #running = new Set<Promise<unknown>>();
  /** Why it can no longer be used. */
  #ended: string | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(connection: PostgresConnection, answerMs = ANSWER_MS) {
    super();
    this.#connection = connection;
    this.#answerMs = answerMs;
    this.stalled.catch(() => {});
    this.#watch();
  }

  async script(text: string): Promise<void> {
    await this.#use(() => send(this.#connection, text, this.#answerMs));
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
    const answer = send(this.#connection, 'commit', this.#answerMs);
    answer.catch(() => {});
    await ended;
    const { command, warning } = await answer;
    if (command !== 'COMMIT') throw new Error(`PostgreSQL answered ${command} to commit`);
    if (warning !== undefined) throw new Error(`PostgreSQL warned at commit: ${warning}`);
  }

  /** A failure is thrown at the end, also that of a statement that is not awaited. */
  protected query<Row, T>(
    strings: TemplateStringsArray,
    parts: Part[],
    take: (result: QueryResult<Row>) => T,
  ): Promise<T> {
    const taken = this.#use(() => {
      const { text } = statements.of(strings, parts);
      return this.#connection.query<Row>(text, parametersOf(parts), { answerMs: this.#answerMs });
    }).then(take);
    taken.catch(() => {});
    return taken;
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
      this.#stalled.reject(new Error('the body of a transaction waited for something other than its tx'));
    });
  }
}
