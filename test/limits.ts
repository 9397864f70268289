import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, describe } from 'node:test';
import { createClient } from '@redis/client';
import { Limits } from '../src/limits/limits.ts';
import { SharedCounts } from '../src/limits/shared-counts.ts';
import { openLog } from '../src/log.ts';

/** A Redis whose scripts read the test's clock instead of the server's. */
export interface TestRedis {
  readonly prefix: string;
  isUp: boolean;
  /** Whether each answer is too late. */
  isLate: boolean;
  /** What its scripts wait for, such as a slow network. */
  hold: Promise<void> | null;
  /** What it answers instead, such as a server that is not the one of the service. */
  answer: unknown;
  /** Scripts that were run. */
  evaluated: number;
  evaluate(script: string, keys: readonly string[], args: readonly string[]): Promise<unknown>;
  on(event: 'up', listener: () => void): void;
  /** As after a new connection. */
  reconnect(): void;
  /** Deletes what the nodes have stored. */
  forget(): Promise<unknown>;
}

/** The limits of some nodes, with the clock that they and Redis share. */
export interface TestNodes {
  readonly clock: { ms: number };
  readonly nodes: readonly Limits[];
  readonly redis: TestRedis;
  readonly lines: string[];
}

/** Registers tests over a running Redis; skipped where there is none, which fails with `CI=true`. */
export function withRedis(name: string, register: (startNodes: (count: number) => TestNodes) => void): void {
  const url = process.env.TEST_REDIS_URL;
  const isLeftOut = process.env.TEST_DATABASES === 'sqlite';
  if (!url && !isLeftOut && process.env.CI === 'true')
    throw new Error('TEST_REDIS_URL is missing: no Redis to test with');
  describe(`${name} (Redis)`, { skip: url ? false : 'no Redis; npm test starts one' }, () => {
    const client = createClient({ ...(url && { url }) });
    before(() => client.connect());
    after(() => client.close());
    register((count) => {
      const prefix = `test-${randomUUID()}:`;
      const clock = { ms: 1_000_000 };
      const upListeners: (() => void)[] = [];
      const redis: TestRedis = {
        prefix,
        isUp: true,
        isLate: false,
        hold: null,
        answer: undefined,
        evaluated: 0,
        evaluate: async (script, keys, args) => {
          redis.evaluated++;
          await redis.hold;
          if (redis.isLate) throw new Error('no answer');
          if (redis.answer !== undefined) return redis.answer;
          const time = `redis.call('HMGET', '${prefix}clock', 's', 'us')`;
          const text = script.replace("redis.call('TIME')", time);
          if (text === script) throw new Error('the script does not read the clock of Redis');
          const us = Math.floor(clock.ms * 1000);
          void client.hSet(`${prefix}clock`, { s: Math.floor(us / 1e6), us: us % 1e6 });
          return client.eval(text, { keys: keys.map((key) => prefix + key), arguments: [...args] });
        },
        on: (_event, listener) => void upListeners.push(listener),
        reconnect: () => {
          for (const listener of upListeners) listener();
        },
        forget: async () => client.del(await client.keys(`${prefix}limit:*`)),
      };
      const lines: string[] = [];
      const secret = randomBytes(32);
      const log = openLog('info', { write: (line: string) => void lines.push(line) });
      const monotonicMs = () => clock.ms;
      const nodes = Array.from({ length: count }, () => {
        const counts = new SharedCounts({ redis, secret, log, monotonicMs, nodes: () => count });
        return new Limits(monotonicMs, counts);
      });
      return { clock, redis, lines, nodes };
    });
  });
}

/** Registers the same tests for limits in memory and for limits over three nodes that take turns. */
export function onEachLimits(
  name: string,
  register: (
    start: () => { clock: { ms: number }; next: <T>(open: (limits: Limits) => T) => () => T },
  ) => void,
): void {
  describe(`${name} (memory)`, () =>
    register(() => {
      const clock = { ms: 1_000_000 };
      return { clock, next: (open) => taking(open, [new Limits(() => clock.ms)]) };
    }));
  withRedis(name, (startNodes) =>
    register(() => {
      const { clock, nodes } = startNodes(3);
      return { clock, next: (open) => taking(open, nodes) };
    }),
  );
}

/** Opens a limit on each node. @returns the next node's at each call */
function taking<T>(open: (limits: Limits) => T, nodes: readonly Limits[]): () => T {
  const opened = nodes.map(open);
  let at = 0;
  // There is at least one.
  return () => opened[at++ % opened.length] as T;
}
