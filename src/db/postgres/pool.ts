import { ServiceError } from '../../errors.ts';
import type { DatabaseLog } from '../db.ts';
import { PostgresConnection } from './connection.ts';

/** Short enough for an answer within 3 s. */
const waitingMs = 2_500;
const waitingUses = 1_000;
const reconnectPauseMs = 200;

interface Waiter {
  resolve(connection: PostgresConnection): void;
  reject(error: Error): void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Connections, each lent to one user at a time. A broken one is replaced when the next caller needs it, so with an
 * absent server each use fails after 2.5 s, and the first use after its return succeeds.
 */
export class PostgresPool {
  #url: string;
  #size: number;
  #log: DatabaseLog | undefined;
  #idle: PostgresConnection[] = [];
  #lent = new Set<PostgresConnection>();
  #opening = 0;
  #waiting: Waiter[] = [];
  #pause: NodeJS.Timeout | undefined;
  /** Why the last attempt to connect failed; gone with the next that succeeds. */
  #lastFailure: unknown;
  #closed = false;
  #drained: () => void = () => {};

  constructor(url: string, size: number, log: DatabaseLog | undefined) {
    this.#url = url;
    this.#size = size;
    this.#log = log;
  }

  /**
   * Lends a connection to `work`.
   *
   * @throws {Error} when none is to be had within 2.5 s
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

  /** Lends no more, and returns when all is given back. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#lent.size + this.#opening + this.#waiting.length > 0) {
      await new Promise<void>((resolve) => {
        this.#drained = resolve;
      });
    }
    await Promise.all(this.#idle.splice(0).map((connection) => connection.close()));
  }

  /** Lets all that is under way fail at once. */
  breakAll(reason: Error): void {
    for (const connection of [...this.#lent, ...this.#idle.splice(0)]) connection.break(reason);
  }

  async #acquire(): Promise<PostgresConnection> {
    if (this.#closed) throw new Error('the database is closed');
    const idle = this.#takeIdle();
    if (idle) {
      this.#lent.add(idle);
      return idle;
    }
    if (this.#waiting.length >= waitingUses) {
      throw new ServiceError('rate-limited', 'overloaded', '服务繁忙，请稍后再试', { retryAfterSeconds: 1 });
    }
    const { promise, resolve, reject } = Promise.withResolvers<PostgresConnection>();
    const waiter = { resolve, reject, timer: setTimeout(() => this.#giveUp(waiter), waitingMs) };
    this.#waiting.push(waiter);
    this.#grow();
    return promise;
  }

  #release(connection: PostgresConnection): void {
    this.#lent.delete(connection);
    if (connection.broken) this.#grow();
    else this.#offer(connection);
    this.#tellDrained();
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
    this.#lent.add(connection);
    waiter.resolve(connection);
  }

  /** Opens what is missing for those who wait. */
  #grow(): void {
    while (
      this.#pause === undefined &&
      this.#opening < this.#waiting.length &&
      this.#opening + this.#lent.size + this.#idle.length < this.#size
    ) {
      this.#opening += 1;
      PostgresConnection.open(this.#url).then(
        (connection) => {
          this.#opening -= 1;
          if (this.#lastFailure) this.#log?.info({}, 'the database can be reached again');
          this.#lastFailure = undefined;
          this.#offer(connection);
          this.#tellDrained();
        },
        (error: unknown) => {
          this.#opening -= 1;
          if (!this.#lastFailure) this.#log?.warn({ err: error }, 'the database cannot be reached');
          this.#lastFailure = error;
          this.#pause ??= setTimeout(() => {
            this.#pause = undefined;
            this.#grow();
          }, reconnectPauseMs);
          this.#tellDrained();
        },
      );
    }
  }

  #giveUp(waiter: Waiter): void {
    this.#waiting = this.#waiting.filter((other) => other !== waiter);
    waiter.reject(
      new Error(`no connection to the database within ${waitingMs / 1_000} s`, { cause: this.#lastFailure }),
    );
    this.#tellDrained();
  }

  #tellDrained(): void {
    if (this.#lent.size + this.#opening + this.#waiting.length === 0) this.#drained();
  }
}
