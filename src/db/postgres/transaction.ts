import postgres from 'postgres';
import type { ListFragment, Part, SchemaTx } from '../db.ts';
import { parametersOf, type Statements } from '../statements.ts';
import type { Answer, PostgresConnection } from './connection.ts';

/**
 * Runs `body` between `begin` and `commit` on a connection of its own.
 *
 * @throws the first failure of a statement in it, even if the body caught it; else the error of the body
 */
export async function runTransaction<T>(
  connection: PostgresConnection,
  statements: Statements,
  body: (tx: PostgresTx) => Promise<T>,
  options: { patient: boolean; begin?: string },
): Promise<T> {
  // Not sent together with the body's first statements: if it failed, they would be committed one by one.
  const { begin = 'begin isolation level read committed read write' } = options;
  await connection.ask(begin, [], { prepare: false });
  const tx = new PostgresTx(connection, statements, options.patient);
  try {
    const value = await Promise.race([invoke(body, tx), tx.waitsForSomethingElse]);
    await tx.end();
    const { command } = await connection.ask('commit', [], { ...options, prepare: false });
    if (command !== 'COMMIT') throw new Error(`PostgreSQL answered ${command} to commit`);
    return value;
  } catch (error) {
    const failure = await tx.end().then(
      () => error,
      (first: unknown) => first,
    );
    if (!connection.broken) {
      await connection
        .ask('rollback', [], { prepare: false })
        .catch((reason: Error) => connection.break(reason));
    }
    throw failure;
  }
}

/**
 * Serialization failure and deadlock; and a reference to a row that another transaction removed since this one read it,
 * which the next run does not see any more.
 */
const BECAUSE_OF_OTHERS = ['40001', '40P01', '23503'];

/** Whether PostgreSQL ended a transaction only because of others beside it. */
export function isWorthAnotherRun(error: unknown): boolean {
  return error instanceof postgres.PostgresError && BECAUSE_OF_OTHERS.includes(error.code);
}

class PostgresTx implements SchemaTx {
  readonly inTransaction = true;
  /** Rejects when the body waits although no statement is under way. */
  readonly waitsForSomethingElse: Promise<never>;
  #connection: PostgresConnection;
  #statements: Statements;
  #patient: boolean;
  #underWay = new Set<Promise<unknown>>();
  #ended = false;
  #failure: { readonly error: unknown } | undefined;
  #rejectWaiting: (error: Error) => void;

  constructor(connection: PostgresConnection, statements: Statements, patient: boolean) {
    this.#connection = connection;
    this.#statements = statements;
    this.#patient = patient;
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => {});
    this.waitsForSomethingElse = promise;
    this.#rejectWaiting = reject;
    this.#watch();
  }

  async all<Row>(strings: TemplateStringsArray, ...parts: Part[]): Promise<Row[]> {
    return (await this.#ask<Row>(strings, parts)).rows;
  }

  async get<Row>(strings: TemplateStringsArray, ...parts: Part[]): Promise<Row | undefined> {
    return (await this.#ask<Row>(strings, parts)).rows[0];
  }

  async run(strings: TemplateStringsArray, ...parts: Part[]): Promise<number> {
    return (await this.#ask(strings, parts)).count;
  }

  async script(text: string): Promise<void> {
    await this.#use(() => this.#connection.ask(text, [], { patient: this.#patient, prepare: false }));
  }

  list(values: readonly string[]): ListFragment {
    return this.#statements.list(values);
  }

  get skipLocked() {
    return this.#statements.skipLocked;
  }

  /**
   * From now on every use throws. Returns when nothing is under way any more.
   *
   * @throws the first failure there was
   */
  async end(): Promise<void> {
    this.#ended = true;
    await Promise.allSettled(this.#underWay);
    if (this.#failure) throw this.#failure.error;
  }

  #ask<Row>(strings: TemplateStringsArray, parts: Part[]): Promise<Answer<Row>> {
    return this.#use(() => {
      const { text } = this.#statements.of(strings, parts);
      return this.#connection.ask<Row>(text, parametersOf(parts), { patient: this.#patient });
    });
  }

  async #use<T>(work: () => Promise<T>): Promise<T> {
    if (this.#ended) throw new Error('this transaction has ended');
    // PostgreSQL refuses the statements after a failed one with an error that does not name the cause.
    if (this.#failure) throw this.#failure.error;
    let flight: Promise<T> | undefined;
    try {
      flight = work();
      this.#underWay.add(flight);
      return await flight;
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    } finally {
      if (flight) this.#underWay.delete(flight);
      if (this.#underWay.size === 0) this.#watch();
    }
  }

  /** After an answer the body has its next statement under way, or has ended, before the event loop turns. */
  #watch(): void {
    setImmediate(() => {
      if (this.#ended || this.#underWay.size > 0) return;
      this.#rejectWaiting(new Error('the body of a transaction waited for something other than its tx'));
    });
  }
}

/** Also turns what a body throws before its first `await` into a rejection. */
async function invoke<T>(body: (tx: PostgresTx) => Promise<T>, tx: PostgresTx): Promise<T> {
  return body(tx);
}
