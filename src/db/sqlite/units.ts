import { setTimeout as delay, setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { overloaded } from '../../errors.ts';
import type { Part, SchemaTx } from '../db.ts';
import type { DatabaseFigures } from '../figures.ts';
import { isBusy, type SqliteConnection } from './connection.ts';

const BATCH_UNITS = 64;
const BATCH_MS = 4;
const MAX_WAITING_UNITS = 1_000;
/** How long a unit waits while another process writes. */
const BUSY_TIMEOUT_MS = 5_000;
const BUSY_RETRY_MS = 5;

interface Unit {
  readonly body: (tx: SqliteTx) => Promise<unknown>;
  readonly queuedAt: number;
  /** Undefined until it has run. */
  result?: UnitResult;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Called around each batch; `afterCommit` before any of its units continues. */
interface BatchHooks {
  beforeBatch(): void;
  afterCommit(): void;
}

type UnitResult = { readonly value: unknown } | { readonly error: unknown };

/**
 * The only user of the writing connection. Units wait in a queue, and those that wait together share one transaction, so that
 * one fsync serves them all. Each but the first is a savepoint; the first fails with the transaction, which then has no other
 * units. No unit is settled before the commit, and if the commit fails, all units of the batch fail: a later unit may have read
 * what an earlier one wrote.
 */
export class SqliteUnits {
  #writer: SqliteConnection;
  #hooks: BatchHooks;
  #monotonicMs: () => number;
  #waiting: Unit[] = [];
  #working: Promise<void> | undefined;
  #closed = false;
  #commits = 0;
  #committed = 0;
  #watchdog: NodeJS.Immediate | undefined;
  #abandon: () => void = () => {};

  /** @param monotonicMs the clock that limits the length of a batch */
  constructor(writer: SqliteConnection, hooks: BatchHooks, monotonicMs = () => performance.now()) {
    this.#monotonicMs = monotonicMs;
    this.#writer = writer;
    this.#hooks = hooks;
  }

  get figures(): DatabaseFigures {
    const waiting = this.#waiting.length;
    const writer = { name: 'writes', max: 1, open: 1, used: this.#working ? 1 : 0, waiting } as const;
    return { commits: this.#commits, transactions: this.#committed, pools: [writer] };
  }

  /** @throws {ServiceError} `rate-limited`, word `overloaded`, when 1,000 wait already */
  async add<T>(body: (tx: SqliteTx) => Promise<T>): Promise<T> {
    if (this.#closed) throw new Error('the database is closed');
    if (this.#waiting.length >= MAX_WAITING_UNITS) throw overloaded();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.push({ body, queuedAt: performance.now(), resolve, reject });
    this.#working ??= this.#work();
    // The unit resolves with the value of its own body.
    return promise as Promise<T>;
  }

  /** Accepts no more units, and returns when the queued ones are settled. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#working;
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Between batches input is read, and the units that it brings join the next batch.
      await yieldToEventLoop();
      if (await this.#begin()) await this.#batch();
    }
    this.#working = undefined;
  }

  /** Opens the transaction; `false` when another process holds the lock, or when it failed and a unit was rejected. */
  async #begin(): Promise<boolean> {
    try {
      this.#hooks.beforeBatch();
      this.#writer.raw.exec('begin immediate');
      return true;
    } catch (error) {
      if (isBusy(error)) {
        await delay(BUSY_RETRY_MS);
        const tooLate = performance.now() - BUSY_TIMEOUT_MS;
        while (this.#waiting[0] && this.#waiting[0].queuedAt < tooLate) {
          this.#waiting
            .shift()
            ?.reject(
              new Error('another process has been writing to the database for too long', { cause: error }),
            );
        }
      } else {
        this.#waiting.shift()?.reject(error);
      }
      return false;
    }
  }

  async #batch(): Promise<void> {
    const startedAt = this.#monotonicMs();
    const done: Unit[] = [];
    try {
      while (done.length < BATCH_UNITS && (done.length === 0 || this.#monotonicMs() - startedAt < BATCH_MS)) {
        const unit = this.#waiting.shift();
        if (!unit) break;
        done.push(unit);
        unit.result = await (done.length > 1 ? this.#runInSavepoint(unit) : this.#run(unit));
        if (done.length === 1 && 'error' in unit.result) break;
      }
      this.#writer.raw.exec(done[0]?.result && 'error' in done[0].result ? 'rollback' : 'commit');
    } catch (error) {
      if (this.#writer.raw.isTransaction) this.#writer.raw.exec('rollback');
      for (const unit of done) unit.reject(error);
      return;
    } finally {
      clearImmediate(this.#watchdog);
      this.#watchdog = undefined;
    }
    let committed = 0;
    for (const { result, resolve, reject } of done) {
      if (!result) continue;
      if ('error' in result) reject(result.error);
      else {
        resolve(result.value);
        committed += 1;
      }
    }
    this.#committed += committed;
    if (committed > 0) this.#commits += 1;
    this.#hooks.afterCommit();
  }

  async #runInSavepoint(unit: Unit): Promise<UnitResult> {
    const { raw } = this.#writer;
    raw.exec('savepoint unit');
    const result = await this.#run(unit);
    raw.exec('value' in result ? 'release unit' : 'rollback to unit; release unit');
    return result;
  }

  /** @throws what ended the whole transaction, such as a full disk */
  async #run(unit: Unit): Promise<UnitResult> {
    const tx = new SqliteTx(this.#writer);
    const result = await this.#resultOf(unit, tx);
    const failure = tx.end();
    if (!this.#writer.raw.isTransaction) throw failure?.error ?? endedBySqlite();
    return failure && 'value' in result ? { error: failure.error } : result;
  }

  /**
   * The result of the body. Calls of its `tx` settle within the microtask queue. So when the watchdog of the batch runs, the
   * current body waits for something other than its `tx`, while all other units wait for it.
   */
  #resultOf(unit: Unit, tx: SqliteTx): Promise<UnitResult> {
    return new Promise((resolve) => {
      this.#abandon = () =>
        resolve({ error: new Error('the body of a transaction waited for something other than its tx') });
      this.#watchdog ??= setImmediate(() => {
        this.#watchdog = undefined;
        this.#abandon();
      });
      invoke(unit.body, tx).then(
        (value) => resolve({ value }),
        (error: unknown) => resolve({ error }),
      );
    });
  }
}

export class SqliteTx implements SchemaTx {
  readonly inTransaction = true;
  #connection: SqliteConnection;
  #ended = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  all<Row>(strings: TemplateStringsArray, ...parts: Part[]): Promise<Row[]> {
    return this.#use(() => this.#connection.all<Row>(strings, parts));
  }

  get<Row>(strings: TemplateStringsArray, ...parts: Part[]): Promise<Row | undefined> {
    return this.#use(() => this.#connection.get<Row>(strings, parts));
  }

  run(strings: TemplateStringsArray, ...parts: Part[]): Promise<number> {
    return this.#use(() => this.#connection.run(strings, parts));
  }

  async script(text: string): Promise<void> {
    await this.#use(() => this.#connection.raw.exec(text));
  }

  /** From now on every use throws. Returns the first failure. */
  end(): { readonly error: unknown } | undefined {
    this.#ended = true;
    return this.#failure;
  }

  /** Runs a statement at once. A failure is thrown at the end of the unit, also that of a statement that is not awaited. */
  #use<T>(work: () => T): Promise<T> {
    try {
      if (this.#ended) throw new Error('this transaction has ended');
      // Statements after a failed one do not run, as on PostgreSQL.
      if (this.#failure) throw this.#failure.error;
      if (!this.#connection.raw.isTransaction) throw endedBySqlite();
      return Promise.resolve(work());
    } catch (error) {
      this.#failure ??= { error };
      const failed = Promise.reject(error);
      failed.catch(() => {});
      return failed;
    }
  }
}

/** Also turns what a body throws before its first `await` into a rejection, at a lower cost than `Promise.try`. */
async function invoke(body: Unit['body'], tx: SqliteTx): Promise<unknown> {
  return body(tx);
}

function endedBySqlite(): Error {
  return new Error('SQLite ended the transaction');
}
