import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { Link, LinkTimes, Scripts } from './link.ts';
import { type RedisClient, RedisConnection } from './redis-connection.ts';

const TIMES: LinkTimes = { pingMs: 1_000, lateMs: 2_000, retryMs: 500 };

interface Options {
  readonly url: string;
  /** Begins the name of each channel and key, so that two services may share a Redis. */
  readonly prefix: string;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly times?: Partial<LinkTimes> | undefined;
}

/** Messages and scripts through Redis or Valkey: one connection publishes and runs scripts, a second one receives. */
export class RedisLink implements Link, Scripts {
  readonly #prefix: string;
  readonly #log: Options['log'];
  readonly #channels = new Map<string, (bytes: Buffer) => void>();
  readonly #hashes = new Map<string, string>();
  readonly #upListeners: (() => void)[] = [];
  readonly #downListeners: (() => void)[] = [];
  readonly #publisher: RedisConnection;
  readonly #subscriber: RedisConnection;
  /** Resolves when the link came up, or an attempt failed. */
  readonly tried: Promise<void>;
  #isUp = false;
  #isWarned = false;

  constructor({ url, prefix, log, times }: Options) {
    this.#prefix = prefix;
    this.#log = log;
    const allTimes = { ...TIMES, ...times };
    const tried = Promise.withResolvers<void>();
    this.tried = tried.promise;
    const onChange = (fault?: unknown) => {
      this.#check(fault);
      if (this.#isUp || fault !== undefined) tried.resolve();
    };
    const check = (client: RedisClient) => checkWritable(client, `${prefix}none`);
    this.#publisher = new RedisConnection(url, allTimes, { check, onChange });
    const setUp = async (client: RedisClient) => {
      // Channels that are added meanwhile are among them.
      for (const [channel, listener] of this.#channels) await client.subscribe(channel, listener, true);
    };
    this.#subscriber = new RedisConnection(url, allTimes, { setUp, onChange });
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  onUp(listener: () => void): void {
    this.#upListeners.push(listener);
  }

  onDown(listener: () => void): void {
    this.#downListeners.push(listener);
  }

  publish(channel: string, bytes: Buffer): void {
    if (this.#isUp) this.#publisher.client?.publish(this.#prefix + channel, bytes).catch(ignore);
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
    this.#subscriber.client?.subscribe(this.#prefix + channel, handle, true).catch(ignore);
  }

  unsubscribe(channel: string): void {
    this.#channels.delete(this.#prefix + channel);
    this.#subscriber.client?.unsubscribe(this.#prefix + channel).catch(ignore);
  }

  async evaluate(
    script: string,
    keys: readonly string[],
    args: readonly string[],
    atMostMs: number,
  ): Promise<unknown> {
    const client = this.#publisher.client;
    if (!this.#isUp || !client) throw new Error('Redis is not connected');
    const { promise, reject } = Promise.withResolvers<never>();
    const late = () => reject(new Error('Redis did not answer in time'));
    // After a hold-up of this process, answers that are there already are read before the answer counts as late.
    const timer = setTimeout(() => setImmediate(late), atMostMs);
    try {
      return await Promise.race([this.#run(client, script, keys, args), promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#publisher[Symbol.asyncDispose](), this.#subscriber[Symbol.asyncDispose]()]);
    this.#isUp = false;
  }

  async #run(client: RedisClient, script: string, keys: readonly string[], args: readonly string[]) {
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

  #check(fault: unknown): void {
    const isUp = this.#publisher?.client !== undefined && this.#subscriber?.client !== undefined;
    if (isUp === this.#isUp) {
      if (fault !== undefined && !this.#isWarned) this.#warn(fault);
      return;
    }
    this.#isUp = isUp;
    if (isUp) {
      this.#isWarned = false;
      this.#log.info('Redis is connected');
    } else this.#warn(fault);
    for (const listener of isUp ? this.#upListeners : this.#downListeners) listener();
  }

  /** Once for each time in which Redis is away. */
  #warn(err: unknown): void {
    this.#isWarned = true;
    this.#log.warn({ err }, 'Redis is not reachable: this node does not hear of the others until it is');
  }
}

/** A replica takes messages too, but passes them to no client of the primary: a write, here of nothing, tells the two apart. */
async function checkWritable(client: RedisClient, unusedKey: string): Promise<void> {
  await client.ping();
  await client.del(unusedKey).catch((error: unknown) => {
    if (error instanceof Error && error.message.startsWith('READONLY')) throw error;
  });
}

/** A command that fails is lost, as all messages may be; its connection notices by itself that it is broken. */
function ignore(): void {}
