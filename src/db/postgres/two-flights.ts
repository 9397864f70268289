import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Part, Queries, TimeLimit } from '../db.ts';
import { parametersOf, type Statements } from '../statements.ts';
import type { PostgresConnection } from './connection.ts';
import { isTimeout } from './errors.ts';
import { PostgresQueries } from './queries.ts';
import type { QueryResult } from './statement-query.ts';
import { assertCommitted, BEGIN } from './transaction.ts';

/**
 * Runs a transaction of two flights on a connection of its own; `Db.twoFlights` has the rules.
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
  let isLooking = true;
  try {
    const answers = await lookAround(connection, statements, look, limit?.ms);
    isLooking = false;
    const flight = new Flight(statements);
    const value = write(flight, answers);
    if (flight.isEmpty) await connection.query('rollback', [], { prepare: false });
    else await flight.sendWithCommit(connection);
    return value;
  } catch (error) {
    if (!connection.broken) {
      await connection
        .query('rollback', [], { prepare: false })
        .catch((reason: Error) => connection.break(reason));
    }
    if (limit && isLooking && isTimeout(error)) return limit.late();
    throw error;
  }
}

async function lookAround<Answers>(
  connection: PostgresConnection,
  statements: Statements,
  look: (tx: Queries) => Promise<Answers>,
  limitMs: number | undefined,
): Promise<Answers> {
  const flight = new Flight(statements);
  const answers = invoke(look, flight);
  answers.catch(() => {});
  await flight.sendWithBegin(connection, limitMs);
  const stalled = nextTurn().then(() => {
    throw new Error('the first flight of a transaction waited for something other than its tx');
  });
  return Promise.race([answers, stalled]);
}

interface Collected {
  readonly text: string;
  readonly parameters: ReturnType<typeof parametersOf>;
  resolve(result: QueryResult<unknown>): void;
  reject(error: unknown): void;
}

/** Gathers statements and sends them together. */
class Flight extends PostgresQueries {
  #collected: Collected[] = [];
  #hasLeft = false;
  #refusal: { readonly error: unknown } | undefined;

  get isEmpty(): boolean {
    return this.#close().length === 0;
  }

  /** @param limitMs of each statement. @throws the first failure */
  async sendWithBegin(connection: PostgresConnection, limitMs: number | undefined): Promise<void> {
    const collected = this.#close();
    const run = (text: string) => connection.query(text, [], { prepare: false });
    const set = (value: string) =>
      limitMs === undefined ? [] : [run(`set local statement_timeout ${value}`)];
    const answers = [
      run(BEGIN),
      ...set(`= ${limitMs}`),
      ...sendAll(connection, collected),
      ...set('to default'),
    ];
    throwFirstFailure(await Promise.allSettled(answers));
  }

  /** A failed statement makes PostgreSQL answer the commit behind it by a rollback. @throws the first failure */
  async sendWithCommit(connection: PostgresConnection): Promise<void> {
    const answers = sendAll(connection, this.#close());
    const commit = connection.query('commit', [], { prepare: false });
    throwFirstFailure(await Promise.allSettled([...answers, commit]));
    assertCommitted(await commit);
  }

  /** Failures are thrown by the functions that send, also those of statements that are not awaited. */
  protected override pick<Row, T>(
    strings: TemplateStringsArray,
    parts: Part[],
    take: (result: QueryResult<Row>) => T,
  ): Promise<T> {
    const picked = super.pick(strings, parts, take);
    picked.catch(() => {});
    return picked;
  }

  protected query<Row>(strings: TemplateStringsArray, parts: Part[]): Promise<QueryResult<Row>> {
    const { promise, resolve, reject } = Promise.withResolvers<QueryResult<unknown>>();
    try {
      if (this.#hasLeft) throw new Error('this flight of the transaction has been sent');
      const { text } = this.statements.of(strings, parts);
      this.#collected.push({ text, parameters: parametersOf(parts), resolve, reject });
    } catch (error) {
      if (!this.#hasLeft) this.#refusal ??= { error };
      reject(error);
    }
    // The columns of a statement are known only where it is written.
    return promise as Promise<QueryResult<Row>>;
  }

  /** From now on every use throws. @throws the first refused parameter: then nothing of the flight is sent */
  #close(): Collected[] {
    this.#hasLeft = true;
    if (this.#refusal) throw this.#refusal.error;
    return this.#collected;
  }
}

function sendAll(connection: PostgresConnection, collected: Collected[]): Promise<unknown>[] {
  return collected.map(({ text, parameters, resolve, reject }) => {
    const answer = connection.query(text, parameters);
    answer.then(resolve, reject);
    return answer;
  });
}

function throwFirstFailure(results: PromiseSettledResult<unknown>[]): void {
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

/** Also turns what `look` throws before its first `await` into a rejection. */
async function invoke<Answers>(look: (tx: Queries) => Promise<Answers>, flight: Flight): Promise<Answers> {
  return look(flight);
}
