import { ServiceError } from '../../errors.ts';
import type { DatabaseLog } from '../db.ts';
import { PostgresConnection } from './connection.ts';

/** Short enough for an answer within 3 s. */
const WAIT_MS = 2_500;
const MAX_WAITING = 1_000;
const RECONNECT_PAUSE_MS = 200;

interface Waiter {
  resolve(connection: PostgresConnection): void;
  reject(error: Error): void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Connections, each used by one caller at a time. A broken one is replaced when a caller needs it: while the server cannot be
 * reached each use fails after 2.5 s, and the first use after its return succeeds.
 */
export class PostgresPool {
  #url: string;
  #size: number;
  #log: DatabaseLog | undefined;
  #idle: PostgresConnection[] = [];
  #inUse = new Set<PostgresConnection>();
  #opening = 0;
  #waiting: Waiter[] = [];
  #pause: NodeJS.Timeout | undefined;
  /** Why the last attempt to connect failed; `undefined` after one that succeeded. */
  #lastFailure: unknown;
  #closed = false;
  #drained: () => void = () => {};

  constructor(url: string, size: number, log: DatabaseLog | undefined) {
    this.#url = url;
    this.#size = size;
    this.#log = log;
  }

  /**
   * Runs `work` with a connection.
   *
   * @throws {Error} when there is none within 2.5 s
   * @throws {ServiceError} `rate-limited`, word `overloaded`, when 1,000 wait already
   */
  async use<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    const connection = await this.#acquire();
    try {
      return await work(connection);
    } finally {
      this.#release(connection);
    }
  }

  /** Refuses further uses, and returns when the running ones have ended. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#inUse.size + this.#opening + this.#waiting.length > 0) {
      await new Promise<void>((resolve) => {
        this.#drained = resolve;
      });
    }
    await Promise.all(this.#idle.splice(0).map((connection) => connection.close()));
  }

  /** Breaks all connections, so that running uses fail at once. */
  breakAll(reason: Error): void {
    for (const connection of [...this.#inUse, ...this.#idle.splice(0)]) connection.break(reason);
  }

  async #acquire(): Promise<PostgresConnection> {
    if (this.#closed) throw new Error('the database is closed');
    const idle = this.#takeIdle();
    if (idle) {
      this.#inUse.add(idle);
      return idle;
    }
    if (this.#waiting.length >= MAX_WAITING) {
      throw new ServiceError('rate-limited', 'overloaded', '服务繁忙，请稍后再试', { retryAfterSeconds: 1 });
    }
    const { promise, resolve, reject } = Promise.withResolvers<PostgresConnection>();
    const waiter = { resolve, reject, timer: setTimeout(() => this.#expire(waiter), WAIT_MS) };
    this.#waiting.push(waiter);
    this.#openMissing();
    return promise;
  }

  #release(connection: PostgresConnection): void {
    this.#inUse.delete(connection);
    if (connection.broken) this.#openMissing();
    else this.#offer(connection);
    this.#notifyDrained();
  }

  #takeIdle(): PostgresConnection | undefined {
    for (;;) {
      const connection = this.#idle.pop();
      if (!connection?.broken) return connection;
    }
  }

  #offer(connection: PostgresConnection): void {
    const waiter = this.#waiting.shift();
    if (!waiter) {
      this.#idle.push(connection);
      return;
    }
    clearTimeout(waiter.timer);
    this.#inUse.add(connection);
    waiter.resolve(connection);
  }

  /** Opens connections for the waiting callers, up to the size of the pool. */
  #openMissing(): void {
    while (
      this.#pause === undefined &&
      this.#opening < this.#waiting.length &&
      this.#opening + this.#inUse.size + this.#idle.length < this.#size
    ) {
      this.#opening += 1;
      PostgresConnection.open(this.#url).then(
        (connection) => {
          this.#opening -= 1;
          if (this.#lastFailure) this.#log?.info({}, 'the database can be reached again');
          this.#lastFailure = undefined;
          this.#offer(connection);
          this.#notifyDrained();
        },
        (error: unknown) => {
          this.#opening -= 1;
          if (!this.#lastFailure) this.#log?.warn({ err: error }, 'the database cannot be reached');
          this.#lastFailure = error;
          this.#pause ??= setTimeout(() => {
            this.#pause = undefined;
            this.#openMissing();
          }, RECONNECT_PAUSE_MS);
          this.#notifyDrained();
        },
      );
    }
  }

  #expire(waiter: Waiter): void {
    this.#waiting = this.#waiting.filter((other) => other !== waiter);
    waiter.reject(
      new Error(`no connection to the database within ${WAIT_MS / 1_000} s`, { cause: this.#lastFailure }),
    );
    this.#notifyDrained();
  }

  #notifyDrained(): void {
    if (this.#inUse.size + this.#opening + this.#waiting.length === 0) this.#drained();
  }
}
