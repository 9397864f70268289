import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@redis/client';
import type { LinkTimes } from './link.ts';

/** More commands than a healthy Redis ever leaves waiting; further ones are refused, which bounds the memory. */
const MAX_WAITING_COMMANDS = 20_000;
const CLOSE_MS = 500;

export type RedisClient = ReturnType<typeof create>;
type Step = (client: RedisClient) => Promise<unknown>;

function create(url: string) {
  return createClient({
    url,
    // Otherwise commands wait without end while Redis is away.
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_WAITING_COMMANDS,
    maintNotifications: 'disabled',
    // Redis would log that a user with few rights may not say it.
    disableClientInfo: true,
    // The loop below connects again: it also ends a connection that is open and does not answer.
    socket: { reconnectStrategy: false },
  });
}

/** One connection to Redis, opened again whenever it is lost or does not answer. */
export class RedisConnection implements AsyncDisposable {
  readonly #url: string;
  readonly #times: LinkTimes;
  readonly #setUp: Step;
  readonly #check: Step;
  readonly #onChange: (fault?: unknown) => void;
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;
  #client: RedisClient | undefined;
  #isClosing = false;

  /**
   * @param options.check runs on each new connection, and then every second; one that fails it, or is late, is ended
   * @param options.setUp runs after the first check; the connection counts as up once it has ended
   * @param options.onChange called when the connection came up, and with the fault when it was lost or could not be opened
   */
  constructor(
    url: string,
    times: LinkTimes,
    options: { setUp?: Step; check?: Step; onChange: (fault?: unknown) => void },
  ) {
    const { setUp = async () => {}, check = (client) => client.ping(), onChange } = options;
    this.#url = url;
    this.#times = times;
    this.#setUp = setUp;
    this.#check = check;
    this.#onChange = onChange;
    this.#running = this.#run();
  }

  /** `undefined` while the connection is down. */
  get client(): RedisClient | undefined {
    return this.#client;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const client = this.#client;
    this.#isClosing = true;
    this.#client = undefined;
    // What was published last, such as the goodbye, is still sent.
    if (client) await Promise.race([client.close(), delay(CLOSE_MS, undefined, { ref: false })]);
    this.#ending.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending;
    while (!this.#isClosing) {
      await this.#connectOnce(signal);
      await delay(this.#times.retryMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** Returns when the connection has ended. */
  async #connectOnce(signal: AbortSignal): Promise<void> {
    const client = create(this.#url);
    const { promise: ended, reject } = Promise.withResolvers<never>();
    const abort = () => reject(signal.reason);
    client.on('error', reject);
    client.on('end', () => reject(new Error('the connection to Redis was closed')));
    signal.addEventListener('abort', abort);
    ended.catch(() => {});
    try {
      await Promise.race([ended, this.#inTime(this.#open(client))]);
      this.#client = client;
      this.#onChange();
      await Promise.race([ended, this.#watch(client)]);
    } catch (fault) {
      this.#client = undefined;
      if (!this.#isClosing) this.#onChange(fault);
    } finally {
      signal.removeEventListener('abort', abort);
      client.destroy();
    }
  }

  async #open(client: RedisClient): Promise<void> {
    await client.connect();
    await this.#check(client);
    await this.#setUp(client);
  }

  /** Never resolves: rejects when a check fails or is late. */
  async #watch(client: RedisClient): Promise<never> {
    for (;;) {
      await delay(this.#times.pingMs, undefined, { signal: this.#ending.signal, ref: false });
      await this.#inTime(this.#check(client));
    }
  }

  async #inTime(answer: Promise<unknown>): Promise<void> {
    answer.catch(() => {});
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error('Redis does not answer')), this.#times.lateMs);
    timer.unref();
    await Promise.race([answer, promise]).finally(() => clearTimeout(timer));
  }
}
