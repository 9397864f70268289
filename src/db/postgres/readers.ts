import { setTimeout as delay } from 'node:timers/promises';
import type { Value } from '../db.ts';
import type { PoolFigures } from '../figures.ts';
import type { PostgresConnection } from './connection.ts';
import { MAX_WAITING, overloaded, RECONNECT_PAUSE_MS, refusalOf, WAIT_MS } from './pool.ts';
import type { PostgresServers } from './servers.ts';
import type { QueryResult } from './statement-query.ts';

/** Reads under way on one connection at most: so many wait behind a slow one. */
const MAX_IN_FLIGHT = 16;
/** With as many on each connection another one is opened. */
const BUSY_IN_FLIGHT = 8;
/** A connection whose first read runs this long gets no further ones while there is another. */
const SLOW_MS = 20;

interface Waiter {
  /** Sends the read at once, so that it counts as under way. */
  send(connection: PostgresConnection): void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Connections for reads outside of transactions. Each serves many callers at once, whose reads are pipelined: that takes a
 * fraction of the processor time of a connection for each.
 */
export class PostgresReaders {
  #servers: PostgresServers;
  #size: number;
  #connections = new Set<PostgresConnection>();
  #waiting: Waiter[] = [];
  #isOpening = false;
  #uses = 0;
  #closing: Promise<void> | undefined;
  #drained: () => void = () => {};

  constructor(servers: PostgresServers, size: number, first: PostgresConnection) {
    this.#servers = servers;
    this.#size = size;
    this.#hold(first);
  }

  get figures(): Omit<PoolFigures, 'name'> {
    const used = [...this.#connections].filter(({ inFlight }) => inFlight > 0).length;
    return { max: this.#size, open: this.#connections.size, used, waiting: this.#waiting.length };
  }

  /**
   * Runs one read.
   *
   * @throws {Error} when there is no connection within 2.5 s, and the server answered no one meanwhile
   * @throws {ServiceError} `rate-limited`, word `overloaded`, when there is none although it answered others, or 1,000 wait already
   */
  async query<Row>(text: string, parameters: Value[]): Promise<QueryResult<Row>> {
    if (this.#closing) throw new Error('the database is closed');
    this.#uses += 1;
    try {
      const send = (connection: PostgresConnection) => connection.query<Row>(text, parameters);
      const connection = this.#pick();
      return await (connection ? send(connection) : this.#wait(send));
    } finally {
      this.#uses -= 1;
      if (this.#waiting.length > 0) this.#serve();
      if (this.#uses === 0) this.#drained();
    }
  }

  /** Refuses further reads, and returns when the running ones have ended. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#uses > 0) {
      await new Promise<void>((resolve) => {
        this.#drained = resolve;
      });
    }
    await Promise.all([...this.#connections].map((connection) => connection.close()));
  }

  /** Breaks all connections, so that running reads fail at once. */
  breakAll(reason: Error): void {
    for (const connection of [...this.#connections]) connection.break(reason);
  }

  /** The connection with the fewest reads under way, if one has room. */
  #pick(): PostgresConnection | undefined {
    let best: PostgresConnection | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const connection of this.#connections) {
      if (connection.isRetired || connection.inFlight >= MAX_IN_FLIGHT) continue;
      const load = connection.inFlight + (connection.waitedMs > SLOW_MS ? MAX_IN_FLIGHT : 0);
      if (load >= fewest) continue;
      best = connection;
      fewest = load;
    }
    const canGrow = this.#connections.size < this.#size;
    if (fewest >= BUSY_IN_FLIGHT && canGrow) void this.#grow();
    // A new connection takes some milliseconds; where none can be had, waiting behind a slow read is better.
    const isWorthWaiting = canGrow && !this.#servers.lastFailure;
    return fewest >= MAX_IN_FLIGHT && isWorthWaiting ? undefined : best;
  }

  /** Sends a read once a connection has room. */
  #wait<T>(send: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    if (this.#waiting.length >= MAX_WAITING) throw overloaded();
    const waitsSince = performance.now();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting = this.#waiting.filter((other) => other !== waiter);
        refusalOf(waitsSince, this.#connections, this.#servers).then(reject);
      }, WAIT_MS);
      const waiter: Waiter = { send: (connection) => resolve(send(connection)), timer };
      this.#waiting.push(waiter);
    });
  }

  /** Gives waiting callers the room that there is. */
  #serve(): void {
    for (;;) {
      const connection = this.#waiting.length > 0 ? this.#pick() : undefined;
      const waiter = connection && this.#waiting.shift();
      if (!waiter) return;
      clearTimeout(waiter.timer);
      waiter.send(connection);
    }
  }

  async #grow(): Promise<void> {
    if (this.#isOpening) return;
    this.#isOpening = true;
    let connection: PostgresConnection | undefined;
    do {
      connection = await this.#servers.open().catch(() => undefined);
      if (!connection) await delay(RECONNECT_PAUSE_MS);
    } while (!connection && this.#waiting.length > 0);
    this.#isOpening = false;
    if (!connection) return;
    if (this.#closing && this.#uses === 0) await connection.close();
    else this.#hold(connection);
  }

  #hold(connection: PostgresConnection): void {
    this.#connections.add(connection);
    connection.onBroken = () => this.#connections.delete(connection);
    this.#serve();
  }
}
