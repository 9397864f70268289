import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { overloaded } from '../../errors.ts';
import type { Value } from '../db.ts';
import type { PoolFigures } from '../figures.ts';
import type { PostgresConnection } from './connection.ts';
import { NotReached } from './errors.ts';
import type { PostgresServers } from './servers.ts';
import type { QueryResult } from './statement-query.ts';

/** Short enough for an answer within 3 s. */
const WAIT_MS = 2_500;
const MAX_WAITING = 1_000;
export const RECONNECT_PAUSE_MS = 200;
/** An attempt to connect that takes longer no longer keeps another one from being made. */
const HANGING_MS = 1_000;
/** Reads under way on one connection at most: so many wait behind a slow one. */
const MAX_IN_FLIGHT = 16;
/** The number of statements on each connection at which another one is opened. */
const BUSY_IN_FLIGHT = 8;
/** A connection whose first read runs this long gets no further ones while there is another. */
const SLOW_MS = 20;

/** Returns a connection with room for one more caller, if there is one, and opens further connections as needed. */
type Pick = () => PostgresConnection | undefined;

interface Waiter {
  readonly pick: Pick;
  /** Starts at once, so that it counts as under way. */
  start(connection: PostgresConnection): void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Connections that callers share: {@link use} gives one to a single caller, {@link query} pipelines the reads of many on each, which
 * takes a fraction of the processor time of a connection for each. A broken one is replaced when a caller needs it: while the server
 * cannot be reached each call fails after 2.5 s, and the first one after its return succeeds. While the server answers, but no
 * connection gets free, a call is refused as overload.
 */
export class Connections {
  readonly #servers: PostgresServers;
  readonly #size: number;
  readonly #open = new Set<PostgresConnection>();
  /** The connections that {@link use} has given to a caller. */
  readonly #taken = new Set<PostgresConnection>();
  #opening = 0;
  /** Attempts to connect that take longer than {@link HANGING_MS}. */
  #hanging = 0;
  #waiting: Waiter[] = [];
  #calls = 0;
  #closing = false;
  readonly #drained = Promise.withResolvers<void>();

  /** @param first is open already */
  constructor(servers: PostgresServers, size: number, first?: PostgresConnection) {
    this.#servers = servers;
    this.#size = size;
    if (first) this.#hold(first);
  }

  get figures(): Omit<PoolFigures, 'name'> {
    const used = [...this.#open].filter((one) => this.#taken.has(one) || one.inFlight > 0).length;
    return { max: this.#size, open: this.#open.size, used, waiting: this.#waiting.length };
  }

  /**
   * Runs `work` with a connection of its own.
   *
   * @throws {Error} when there is none within 2.5 s, and the server answered no one meanwhile
   * @throws {ServiceError} `rate-limited`, word `overloaded`, when there is none although it answered others, or 1,000 wait already
   */
  use<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    return this.#call(this.#pickFree, async (connection) => {
      this.#taken.add(connection);
      try {
        return await work(connection);
      } finally {
        this.#taken.delete(connection);
        if (!connection.isReusable) this.#discard(connection);
      }
    });
  }

  /** Runs one read. @throws as {@link use} */
  query<Row>(text: string, parameters: Value[]): Promise<QueryResult<Row>> {
    return this.#call(this.#pickShared, (connection) => connection.query<Row>(text, parameters));
  }

  /** Refuses further calls, and returns when the running ones have ended. */
  async close(): Promise<void> {
    this.#closing = true;
    if (this.#calls > 0) await this.#drained.promise;
    await Promise.all([...this.#open].map((connection) => connection.close()));
  }

  /** Breaks all connections, so that running calls fail at once. */
  breakAll(reason: Error): void {
    for (const connection of [...this.#open]) connection.break(reason);
  }

  async #call<T>(pick: Pick, start: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    if (this.#closing) throw new Error('the database is closed');
    this.#calls += 1;
    try {
      const connection = this.#waiting.length === 0 ? pick() : undefined;
      return await (connection ? start(connection) : this.#wait(pick, start));
    } finally {
      this.#calls -= 1;
      this.#serve();
      if (this.#closing && this.#calls === 0) this.#drained.resolve();
    }
  }

  #wait<T>(pick: Pick, start: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    if (this.#waiting.length >= MAX_WAITING) throw overloaded();
    const waitsSince = performance.now();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting = this.#waiting.filter((other) => other !== waiter);
        this.#refusalOf(waitsSince).then(reject);
      }, WAIT_MS);
      const waiter: Waiter = { pick, start: (connection) => resolve(start(connection)), timer };
      this.#waiting.push(waiter);
      this.#serve();
    });
  }

  /** Starts waiting calls while there is room. */
  #serve(): void {
    for (;;) {
      const connection = this.#waiting[0]?.pick();
      const waiter = connection && this.#waiting.shift();
      if (!waiter) return;
      clearTimeout(waiter.timer);
      waiter.start(connection);
    }
  }

  #pickFree: Pick = () => {
    for (const connection of this.#open)
      if (!this.#taken.has(connection) && connection.isReusable) return connection;
    this.#grow(this.#waiting.length);
    return undefined;
  };

  /** The connection with the fewest reads under way, of those that {@link use} gave to no one: a read would run in their transaction. */
  #pickShared: Pick = () => {
    let best: PostgresConnection | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const connection of this.#open) {
      if (this.#taken.has(connection) || connection.isRetired || connection.inFlight >= MAX_IN_FLIGHT)
        continue;
      const load = connection.inFlight + (connection.waitedMs > SLOW_MS ? MAX_IN_FLIGHT : 0);
      if (load >= fewest) continue;
      best = connection;
      fewest = load;
    }
    const canGrow = this.#open.size < this.#size;
    if (fewest >= BUSY_IN_FLIGHT) this.#grow(1);
    // A new connection takes some milliseconds; where none can be had, waiting behind a slow read is better.
    const isWorthWaiting = canGrow && !this.#servers.lastFailure;
    return fewest >= MAX_IN_FLIGHT && isWorthWaiting ? undefined : best;
  };

  /**
   * Opens connections until `wanted` are being opened, or there are as many as there may be. Of attempts there are twice as many at
   * most: while the server accepts connections and is silent, further ones every second would use up its connections.
   */
  #grow(wanted: number): void {
    while (
      this.#opening < wanted &&
      this.#open.size + this.#opening < this.#size &&
      this.#opening + this.#hanging < 2 * this.#size
    )
      void this.#openOne();
  }

  async #openOne(): Promise<void> {
    this.#opening += 1;
    let hangs = false;
    const timer = setTimeout(() => {
      hangs = true;
      this.#opening -= 1;
      this.#hanging += 1;
      this.#serve();
    }, HANGING_MS);
    const connection = await this.#servers.open().catch(() => delay(RECONNECT_PAUSE_MS, undefined));
    clearTimeout(timer);
    if (hangs) this.#hanging -= 1;
    else this.#opening -= 1;
    const isWanted = this.#open.size < this.#size && !(this.#closing && this.#calls === 0);
    if (connection && isWanted) this.#hold(connection);
    else if (connection) this.#discard(connection);
    // Without a connection it opens another one, if callers wait.
    this.#serve();
  }

  #hold(connection: PostgresConnection): void {
    this.#open.add(connection);
    connection.onBroken = () => this.#open.delete(connection);
  }

  #discard(connection: PostgresConnection): void {
    this.#open.delete(connection);
    connection.close().catch(() => {});
  }

  /**
   * The error of a call that got no connection: overload where the server answered others meanwhile.
   *
   * @param waitsSince by `performance.now`
   */
  async #refusalOf(waitsSince: number): Promise<Error> {
    // After a stall of the event loop the timer runs before input is read: an answer that has arrived is read first.
    await nextTurn();
    if ([...this.#open].some(({ answeredAt }) => answeredAt > waitsSince)) return overloaded();
    return new NotReached(`no connection to the database within ${WAIT_MS / 1_000} s`, {
      cause: this.#servers.lastFailure,
    });
  }
}
