import { EventEmitter } from 'node:events';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { Pool } from 'pg';
import { ServiceError } from '../../errors.ts';
import type { PoolFigures } from '../figures.ts';
import type { PostgresConnection } from './connection.ts';
import { NotReached, toError } from './errors.ts';
import type { PostgresServers } from './servers.ts';

/** Short enough for an answer within 3 s. */
export const WAIT_MS = 2_500;
export const MAX_WAITING = 1_000;
export const RECONNECT_PAUSE_MS = 200;

/**
 * Connections, each used by one caller at a time. A broken one is replaced when a caller needs it: while the server cannot be
 * reached each use fails after 2.5 s, and the first use after its return succeeds. While the server answers, but no connection gets
 * free, a use is refused as overload.
 */
export class PostgresPool {
  #servers: PostgresServers;
  #pool: Pool;
  #open = new Set<PostgresConnection>();
  #uses = 0;
  #closing: Promise<void> | undefined;
  #drained: () => void = () => {};

  constructor(servers: PostgresServers, size: number) {
    this.#servers = servers;
    const open = this.#open;
    class Client extends PoolClient {
      constructor() {
        super(servers, open);
      }
    }
    this.#pool = new Pool({
      max: size,
      idleTimeoutMillis: 0,
      connectionTimeoutMillis: WAIT_MS,
      // The pool calls a few methods of a client, which `PoolClient` has.
      Client: Client as unknown as NonNullable<ConstructorParameters<typeof Pool>[0]>['Client'],
    });
    // An idle connection that broke is no longer in the pool.
    this.#pool.on('error', () => {});
  }

  get figures(): Omit<PoolFigures, 'name'> {
    const { idleCount, options, totalCount, waitingCount } = this.#pool;
    return { max: options.max ?? 0, open: totalCount, used: totalCount - idleCount, waiting: waitingCount };
  }

  /**
   * Runs `work` with a connection.
   *
   * @throws {Error} when there is none within 2.5 s, and the server answered no one meanwhile
   * @throws {ServiceError} `rate-limited`, word `overloaded`, when there is none although it answered others, or 1,000 wait already
   */
  async use<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    if (this.#closing) throw new Error('the database is closed');
    if (this.#pool.waitingCount >= MAX_WAITING) throw overloaded();
    this.#uses += 1;
    try {
      const client = await this.#take();
      try {
        return await work(client.opened);
      } finally {
        client.release(!client.opened.isReusable);
      }
    } finally {
      this.#uses -= 1;
      if (this.#uses === 0) this.#drained();
    }
  }

  /** Refuses further uses, and returns when the running ones have ended. */
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
    await this.#pool.end();
  }

  /** Breaks all connections, so that running uses fail at once. */
  breakAll(reason: Error): void {
    for (const connection of [...this.#open]) connection.break(reason);
  }

  async #take(): Promise<PoolClient> {
    const waitsSince = performance.now();
    try {
      return (await this.#pool.connect()) as unknown as PoolClient;
    } catch {
      throw await refusalOf(waitsSince, this.#open, this.#servers);
    }
  }
}

export function overloaded(): ServiceError {
  return new ServiceError('rate-limited', 'overloaded', '服务繁忙，请稍后再试', { retryAfterSeconds: 1 });
}

/**
 * The error of a caller that got no connection: overload where the server answered others meanwhile.
 *
 * @param waitsSince by `performance.now`
 * @param connections those of its pool
 */
export async function refusalOf(
  waitsSince: number,
  connections: ReadonlySet<PostgresConnection>,
  servers: PostgresServers,
): Promise<Error> {
  // After a stall of the event loop the timer runs before input is read: an answer that has arrived is read first.
  await nextTurn();
  if ([...connections].some(({ answeredAt }) => answeredAt > waitsSince)) return overloaded();
  return new NotReached(`no connection to the database within ${WAIT_MS / 1_000} s`, {
    cause: servers.lastFailure,
  });
}

/** What pg-pool 3.14 needs of a client, around a connection of ours. It tries to connect until the pool gives it up. */
class PoolClient extends EventEmitter {
  /** Set by the pool. @param destroy takes the connection out of the pool */
  declare release: (destroy: boolean) => void;
  #servers: PostgresServers;
  #open: Set<PostgresConnection>;
  #opened: PostgresConnection | undefined;
  #givenUp = new AbortController();

  constructor(servers: PostgresServers, open: Set<PostgresConnection>) {
    super();
    this.#servers = servers;
    this.#open = open;
    // While it is in use the pool does not listen.
    this.on('error', () => {});
  }

  get opened(): PostgresConnection {
    if (!this.#opened) throw new Error('the connection is not open');
    return this.#opened;
  }

  get _queryable(): boolean {
    return this.#opened !== undefined && !this.#opened.isRetired;
  }

  connect(done: (error?: Error) => void): void {
    let isDone = false;
    const end = (error?: Error) => {
      if (!isDone) done(error);
      isDone = true;
    };
    this.#givenUp.signal.addEventListener('abort', () => end(new Error('the pool has given up')));
    this.#connect().then(
      () => end(),
      (error: unknown) => end(toError(error)),
    );
  }

  isConnected(): boolean {
    return this.#opened !== undefined;
  }

  end(done: () => void = () => {}): void {
    this.#givenUp.abort();
    Promise.resolve(this.#opened?.close()).then(done, done);
    if (this.#opened) this.#open.delete(this.#opened);
  }

  async #connect(): Promise<void> {
    const { signal } = this.#givenUp;
    while (!signal.aborted) {
      const connection = await this.#servers.open().catch(() => undefined);
      if (!connection) await delay(RECONNECT_PAUSE_MS);
      else if (signal.aborted) await connection.close();
      else return this.#hold(connection);
    }
  }

  #hold(connection: PostgresConnection): void {
    this.#opened = connection;
    this.#open.add(connection);
    connection.onBroken = () => {
      this.#open.delete(connection);
      // The pool writes to the error, so it is not the one that callers get.
      this.emit('error', new Error('the connection is broken'));
    };
  }
}
