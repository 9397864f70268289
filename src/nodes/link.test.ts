import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, describe, type TestContext, test } from 'node:test';
import { queryObjects } from 'node:v8';
import { disposeAfter } from '../../test/dispose-after.ts';
import { eventually } from '../../test/eventually.ts';
import { MemoryHub } from '../../test/memory-link.ts';
import { findRedis, type RedisServer, startRedis } from '../../test/redis-server.ts';
import type { Link } from './link.ts';
import { RedisLink } from './redis-link.ts';

const TIMES = { pingMs: 20, lateMs: 500, retryMs: 20 };

const publish = (link: Link, channel: string, text: string) => link.publish(channel, Buffer.from(text));
const subscribe = (link: Link, channel: string, listener: (text: string) => void) =>
  link.subscribe(channel, (bytes) => listener(bytes.toString()));

/** Two links of one service, which a test cuts off together. */
interface Pair {
  readonly links: readonly [Link, Link];
  /** Cuts both off while `meanwhile` runs. */
  cut(meanwhile: () => Promise<void>): Promise<void>;
}

function describeLinks(name: string, skip: string | false, open: (t: TestContext) => Promise<Pair>): void {
  describe(name, { skip }, () => {
    test('a message reaches all links that have its channel, the sender too, in order over all channels', async (t) => {
      const [first, second] = (await open(t)).links;
      const received: string[] = [];
      for (const [at, link] of [first, second].entries())
        for (const channel of ['one', 'two'])
          subscribe(link, channel, (text) => received.push(`${at} ${channel} ${text}`));
      // Subscribing takes a round trip.
      await eventually(() => {
        publish(first, 'two', 'ready');
        return received.includes('0 two ready') && received.includes('1 two ready');
      });
      for (let i = 0; i < 3; i++) publish(first, i % 2 === 0 ? 'one' : 'two', String(i));
      publish(first, 'three', 'lost');
      const of = (at: number) => received.filter((line) => line.startsWith(`${at} `) && !/ready/.test(line));
      await eventually(() => of(0).length >= 3 && of(1).length >= 3);
      for (const at of [0, 1]) assert.deepEqual(of(at), [`${at} one 0`, `${at} two 1`, `${at} one 2`]);
    });

    test('while it is down messages are lost without a wait; then its channels are subscribed again', async (t) => {
      const pair = await open(t);
      const [first, second] = pair.links;
      const received: string[] = [];
      const changes: string[] = [];
      subscribe(second, 'one', (text) => received.push(text));
      first.on('down', () => changes.push('down'));
      first.on('up', () => changes.push('up'));
      await pair.cut(async () => {
        await eventually(() => !first.isUp && !second.isUp);
        publish(first, 'one', 'lost');
        subscribe(second, 'two', (text) => received.push(`two ${text}`));
      });
      await eventually(() => first.isUp && second.isUp);
      assert.deepEqual(changes, ['down', 'up']);
      publish(first, 'one', 'after');
      publish(first, 'two', 'after');
      await eventually(() => received.length === 2);
      assert.deepEqual(received, ['after', 'two after']);
    });
  });
}

describeLinks('links in memory', false, async () => {
  const hub = new MemoryHub();
  const [first, second] = [hub.connect(), hub.connect()];
  return {
    links: [first, second],
    async cut(meanwhile) {
      for (const link of [first, second]) link.isUp = false;
      await meanwhile();
      for (const link of [first, second]) link.isUp = true;
    },
  };
});

const noRedis = !findRedis() && process.env.CI !== 'true' && 'Redis is not installed';

describe('links over Redis', { skip: noRedis }, () => {
  let redis: RedisServer;
  let logged: string[] = [];
  const record = (_fields: unknown, text = '') => void logged.push(text);

  before(async () => {
    redis = await startRedis();
  });
  after(() => redis?.[Symbol.asyncDispose]());

  async function openLink(t: TestContext, prefix = 'test:', times = TIMES): Promise<RedisLink> {
    const log = { warn: record, info: (text: unknown) => record(null, String(text)) };
    const link = new RedisLink({ url: redis.url, prefix, log, times });
    disposeAfter(t, link);
    await link.tried;
    assert(link.isUp);
    return link;
  }

  describeLinks('as in memory', false, async (t) => ({
    links: [await openLink(t), await openLink(t)],
    cut: (meanwhile) => redis.restart(meanwhile),
  }));

  test('another service on the same Redis has channels and keys of its own', async (t) => {
    const [own, other] = [await openLink(t, 'one:'), await openLink(t, 'two:')];
    const received: string[] = [];
    for (const link of [own, other]) subscribe(link, 'all', (text) => received.push(text));
    publish(own, 'all', 'own');
    publish(other, 'all', 'other');
    const SET = "redis.call('set', KEYS[1], ARGV[1]) return KEYS[1]";
    assert.equal(await own.evaluate(SET, ['key'], ['1'], 1_000), 'one:key');
    assert.equal(await other.evaluate("return redis.call('exists', KEYS[1])", ['key'], [], 1_000), 0);
    await eventually(() => {
      publish(own, 'all', 'last');
      return received.includes('last');
    });
    assert(received.filter((text) => text === 'own').length <= 1);
  });

  test('what was published last is sent before a link closes, and closing it is no fault', async (t) => {
    // A link that answers late on a busy machine would be opened again, and lose what is sent meanwhile.
    const times = { ...TIMES, lateMs: 60_000 };
    const [first, second] = [await openLink(t, 'test:', times), await openLink(t, 'test:', times)];
    const received: string[] = [];
    subscribe(second, 'one', (text) => received.push(text));
    await eventually(() => {
      publish(first, 'one', 'ready');
      return received.length > 0;
    });
    logged = [];
    publish(first, 'one', 'goodbye');
    await first[Symbol.asyncDispose]();
    await eventually(() => received.at(-1) === 'goodbye');
    assert.deepEqual(logged, []);
  });

  test('a message that this node cannot handle costs neither the others nor the link', async (t) => {
    const link = await openLink(t);
    logged = [];
    const received: string[] = [];
    subscribe(link, 'all', (text) => received.push(JSON.parse(text).is));
    await eventually(() => {
      publish(link, 'all', '{"is":"ready"}');
      return received.includes('ready');
    });
    for (const text of ['null', '{"is":"good"}']) publish(link, 'all', text);
    await eventually(() => received.includes('good'));
    assert.deepEqual(logged, ['a message of another node could not be handled']);
  });

  test('a Redis that has become a replica counts as down, as its messages do not reach the others', async (t) => {
    const link = await openLink(t);
    logged = [];
    await redis.command('REPLICAOF 127.0.0.1 1');
    await eventually(() => !link.isUp);
    await redis.command('REPLICAOF NO ONE');
    await eventually(() => link.isUp);
    assert.deepEqual(
      logged.map((text) => text.slice(0, 21)),
      ['Redis is not reachabl', 'Redis is connected'],
    );
  });

  test('a script runs also after Redis has forgotten it; an error of the script is thrown', async (t) => {
    const link = await openLink(t);
    const evaluate = () => link.evaluate('return {#KEYS, ARGV[1]}', ['a', 'b'], ['x'], 1_000);
    assert.deepEqual(await evaluate(), [2, 'x']);
    await redis.command('SCRIPT FLUSH');
    assert.deepEqual(await evaluate(), [2, 'x']);
    await assert.rejects(link.evaluate("return redis.error_reply('MINE')", [], [], 1_000), /MINE/);
  });

  test('an answer that came while this process was held up is not late', async (t) => {
    const link = await openLink(t);
    const evaluate = (atMostMs: number) => link.evaluate('return 1', [], [], atMostMs);
    await evaluate(5_000);
    const answer = evaluate(300);
    // It is written at the end of this turn.
    await new Promise(setImmediate);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
    assert.equal(await answer, 1);
  });

  test('a Redis that accepts connections and does not answer counts as down; a script is late before', async (t) => {
    const link = await openLink(t);
    logged = [];
    await redis.command('CLIENT PAUSE 1500 ALL');
    await assert.rejects(link.evaluate('return 1', [], [], 50), /in time/);
    await eventually(() => !link.isUp);
    await assert.rejects(link.evaluate('return 1', [], [], 50), /not connected/);
    await eventually(() => link.isUp);
    assert.deepEqual(
      logged.map((text) => text.slice(0, 21)),
      ['Redis is not reachabl', 'Redis is connected'],
    );
  });
});

test('without a Redis the link is down, warns once, and goes on trying', { skip: noRedis }, async (t) => {
  await using redis = await startRedis();
  const logged: string[] = [];
  await redis.restart(async () => {
    const log = { warn: (_: unknown, text = '') => void logged.push(text), info: () => {} };
    const link = new RedisLink({ url: redis.url, prefix: 'test:', log, times: TIMES });
    disposeAfter(t, link);
    await link.tried;
    assert(!link.isUp);
    assert.equal(logged.length, 1);
  });
  assert.equal(logged.length, 1);
});

test('while Redis is away, attempts to connect leave nothing in memory', { skip: noRedis }, async (t) => {
  let attempts = 0;
  const server = createServer((socket) => {
    attempts++;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const log = { warn: () => {}, info: () => {} };
  const times = { ...TIMES, retryMs: 1 };
  disposeAfter(t, new RedisLink({ url: `redis://127.0.0.1:${port}`, prefix: 'test:', log, times }));
  await eventually(() => attempts > 20);
  const emitters = () => queryObjects(EventEmitter, { format: 'count' });
  const before = emitters();
  const counted = attempts;
  await eventually(() => attempts > counted + 100);
  assert(emitters() - before < 50);
});
