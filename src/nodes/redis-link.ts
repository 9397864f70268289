import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@redis/client';
import type { Logger } from 'pino';
import type { Link, LinkEvents } from './link.ts';
import { NODE_TIMES, type NodeTimes } from './node-times.ts';

/** More commands than a healthy Redis ever leaves waiting; further ones are refused, which bounds the memory. */
const MAX_WAITING_COMMANDS = 20_000;

type RedisClient = ReturnType<typeof createConnection>;

function createConnection(url: string) {
  return createClient({
    url,
    // With it, one connection receives messages and answers commands.
    RESP: 3,
    // Otherwise commands wait without end while Redis is away.
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_WAITING_COMMANDS,
    maintNotifications: 'disabled',
    // Redis would log that a user with few rights may not say it.
    disableClientInfo: true,
    // The link connects again itself: it also ends a connection that is open and does not answer.
    socket: { reconnectStrategy: false },
  });
}

interface Options {
  readonly url: string;
  /** Begins the name of each channel and key, so that two services may share a Redis. */
  readonly prefix: string;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly times?: Partial<NodeTimes> | undefined;
}

/** Messages and scripts through Redis or Valkey, by one connection, which is opened again when it is lost or does not answer. */
export class RedisLink extends EventEmitter<LinkEvents> implements Link {
  readonly #url: string;
  readonly #prefix: string;
  readonly #log: Options['log'];
  readonly #times: NodeTimes;
  readonly #channels = new Map<string, (bytes: Buffer) => void>();
  readonly #hashes = new Map<string, string>();
  readonly #tried = Promise.withResolvers<void>();
  /** That of the last attempt. */
  #client: RedisClient | undefined;
  #isUp = false;
  #isWarned = false;
  #isClosing = false;

  constructor({ url, prefix, log, times }: Options) {
    super();
    this.#url = url;
    this.#prefix = prefix;
    this.#log = log;
    this.#times = { ...NODE_TIMES, ...times };
    void this.#run();
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Resolves when the link came up, or an attempt failed. */
  get tried(): Promise<void> {
    return this.#tried.promise;
  }

  publish(channel: string, bytes: Buffer): void {
    if (this.#isUp) this.#client?.publish(this.#prefix + channel, bytes).catch(ignore);
  }

  subscribe(channel: string, listener: (bytes: Buffer) => void): void {
    const handle = (bytes: Buffer) => {
      try {
        listener(bytes);
      } catch (err) {
        // Thrown on, it would end the connection, with the messages behind this one.
        this.#log.warn({ err }, 'a message of another node could not be handled');
      }
    };
    this.#channels.set(this.#prefix + channel, handle);
    this.#client?.subscribe(this.#prefix + channel, handle, true).catch(ignore);
  }

  /**
   * Runs a Lua script.
   *
   * @param keys their names in this service, which the link prefixes
   * @throws at once while the link is down, and when the answer takes longer than `atMostMs`: the script may have run or not
   */
  async evaluate(
    script: string,
    keys: readonly string[],
    args: readonly string[],
    atMostMs: number,
  ): Promise<unknown> {
    const client = this.#client;
    if (!this.#isUp || !client) throw new Error('Redis is not connected');
    return inTime(this.#evaluate(client, script, keys, args), atMostMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true;
    // What was published last, such as the goodbye, is still sent.
    if (this.#client && this.#isUp) await inTime(this.#client.close(), this.#times.lateMs).catch(ignore);
    this.#client?.destroy();
    this.#isUp = false;
  }

  async #evaluate(client: RedisClient, script: string, keys: readonly string[], args: readonly string[]) {
    const rest = [String(keys.length), ...keys.map((key) => this.#prefix + key), ...args];
    const hash = this.#hashes.get(script) ?? createHash('sha1').update(script).digest('hex');
    this.#hashes.set(script, hash);
    try {
      return await client.sendCommand(['EVALSHA', hash, ...rest]);
    } catch (error) {
      // A Redis that was started or flushed since does not know the script.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return await client.sendCommand(['EVAL', script, ...rest]);
    }
  }

  async #run(): Promise<void> {
    while (!this.#isClosing) {
      await this.#connectOnce();
      await delay(this.#times.retryMs, undefined, { ref: false });
    }
  }

  /** Returns when the connection has ended. */
  async #connectOnce(): Promise<void> {
    const client = createConnection(this.#url);
    this.#client = client;
    const { promise: ended, reject } = Promise.withResolvers<never>();
    client.on('error', reject);
    client.on('end', () => reject(new Error('the connection to Redis was closed')));
    try {
      await Promise.race([ended, inTime(this.#open(client), this.#times.lateMs)]);
      this.#isUp = true;
      this.#isWarned = false;
      this.#log.info('Redis is connected');
      this.#tried.resolve();
      this.emit('up');
      await Promise.race([ended, this.#watch(client)]);
    } catch (fault) {
      if (this.#isClosing) return;
      client.destroy();
      this.#onFault(fault);
    }
  }

  async #open(client: RedisClient): Promise<void> {
    await client.connect();
    await this.#check(client);
    // Channels that are added meanwhile are among them.
    for (const [channel, listener] of this.#channels) await client.subscribe(channel, listener, true);
  }

  /** Never resolves: rejects when a check fails or is late. */
  async #watch(client: RedisClient): Promise<never> {
    for (;;) {
      await delay(this.#times.pingMs, undefined, { ref: false });
      await inTime(this.#check(client), this.#times.lateMs);
    }
  }

  /** A replica takes messages too, but passes them to no client of the primary: a write, here of nothing, tells the two apart. */
  async #check(client: RedisClient): Promise<void> {
    await client.ping();
    await client.del(`${this.#prefix}none`).catch((error: unknown) => {
      if (error instanceof Error && error.message.startsWith('READONLY')) throw error;
    });
  }

  #onFault(err: unknown): void {
    const wasUp = this.#isUp;
    this.#isUp = false;
    // Once for each time in which Redis is away.
    if (!this.#isWarned)
      this.#log.warn({ err }, 'Redis is not reachable: this node does not hear of the others until it is');
    this.#isWarned = true;
    this.#tried.resolve();
    if (wasUp) this.emit('down');
  }
}

/** @throws {Error} when the answer takes longer than `atMostMs` */
async function inTime<T>(answer: Promise<T>, atMostMs: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const late = () => reject(new Error('Redis did not answer in time'));
  // After a hold-up of this process, answers that are there already are read before the answer counts as late.
  const timer = setTimeout(() => setImmediate(late), atMostMs);
  try {
    return await Promise.race([answer, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** A command that fails is lost, as all messages may be; its connection notices by itself that it is broken. */
function ignore(): void {}
