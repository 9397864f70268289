import { createClient } from '@redis/client';

/** What was published on a channel. */
export interface Published {
  readonly channel: string;
  readonly bytes: Buffer;
}

/** A program that reaches the Redis of a service: it reads all that passes and publishes what it likes. */
export interface RedisPeer extends AsyncDisposable {
  /** Everything that was published since it connected. */
  readonly recorded: readonly Published[];
  publish(channel: string, message: Buffer | string): Promise<unknown>;
  /** The names of all keys. */
  keys(): Promise<readonly string[]>;
}

export async function connectRedisPeer(url: string): Promise<RedisPeer> {
  const publisher = createClient({ url });
  const reader = publisher.duplicate();
  await Promise.all([publisher.connect(), reader.connect()]);
  const recorded: Published[] = [];
  const record = (bytes: Buffer, channel: Buffer) =>
    void recorded.push({ channel: channel.toString(), bytes: Buffer.from(bytes) });
  await reader.pSubscribe('*', record, true);
  return {
    recorded,
    publish: (channel, message) => publisher.publish(channel, message),
    keys: () => publisher.keys('*'),
    async [Symbol.asyncDispose]() {
      await Promise.all([publisher.close(), reader.close()]);
    },
  };
}
