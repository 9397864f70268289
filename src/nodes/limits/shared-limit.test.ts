import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { type TestNodes, withRedis } from '../../../test/limits.ts';
import type { Verdict } from '../../http/rate-limits.ts';
import { SharedLimit } from './shared-limit.ts';

const MINUTE_MS = 60_000;
const LIMIT = { limit: 60, windowMs: MINUTE_MS };

withRedis('A limit over nodes', (startNodes) => {
  function start(count: number, limit = LIMIT) {
    const world: TestNodes = startNodes(count);
    const { clock } = world;
    const logs = world.nodes.map((limits) => limits.openRateLimit('api', limit));
    const admittedAt: number[] = [];
    let waited = 0;
    const take = async (node: number, key = 'alice'): Promise<Verdict> => {
      const now = clock.ms;
      const answer = logs[node % count]?.take(key, now);
      assert.ok(answer);
      if (answer instanceof Promise) waited++;
      const verdict = await answer;
      if (verdict.allowed) admittedAt.push(now);
      return verdict;
    };
    /** The answer to a later script comes after those to all exchanges. */
    const settle = async () => {
      await nextTurn();
      await world.redis.evaluate("return redis.call('TIME')", [], []);
    };
    return { ...world, take, settle, admittedAt, waited: () => waited };
  }

  /** The most calls in any window. */
  function worstWindow(times: readonly number[]): number {
    const sorted = [...times].sort((a, b) => a - b);
    let first = 0;
    return sorted.reduce((worst, at, last) => {
      while (at - (sorted[first] ?? at) >= MINUTE_MS) first++;
      return Math.max(worst, last - first + 1);
    }, 0);
  }

  const SCENARIOS = [
    { name: '2 a second', everyMs: 500, atOnce: 1 },
    { name: '20 a second', everyMs: 50, atOnce: 1 },
    { name: '500 a second', everyMs: 20, atOnce: 10 },
    { name: 'bursts of 500', everyMs: 10_000, atOnce: 500 },
  ];
  for (const { name, everyMs, atOnce } of SCENARIOS)
    test(`over 3 nodes ${name} are never more than 66 in a minute, and 60 where there is use`, async (t) => {
      const { clock, take, admittedAt, redis, waited } = start(3);
      let calls = 0;
      for (let passed = 0; passed < 2.5 * MINUTE_MS; passed += everyMs) {
        await Promise.all(Array.from({ length: atOnce }, () => take(calls++ % 3)));
        clock.ms += everyMs;
      }
      const worst = worstWindow(admittedAt);
      assert.ok(worst >= 58 && worst <= 66, `${worst} in a minute`);
      t.diagnostic(`${worst} at worst, ${waited()} of ${calls} calls waited, ${redis.evaluated} exchanges`);
    });

  test('whatever the nodes, the limit and the times, no window has more than the limit and a tenth', async () => {
    const calls = fc.array(
      fc.record({
        node: fc.nat(9),
        atOnce: fc.oneof(fc.constant(1), fc.nat(30)),
        afterMs: fc.oneof(fc.constant(0), fc.nat(2_000), fc.nat(40_000)),
        isAwaited: fc.boolean(),
      }),
      { maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 60 }),
        calls,
        async (count, limit, calls) => {
          const { clock, take, admittedAt } = start(count, { limit, windowMs: MINUTE_MS });
          const running: Promise<unknown>[] = [];
          for (const { node, atOnce, afterMs, isAwaited } of calls) {
            await nextTurn(); // time stands still within a turn
            clock.ms += afterMs;
            for (let i = 0; i < atOnce; i++) running.push(take(node + i));
            if (isAwaited) await Promise.all(running);
          }
          await Promise.all(running);
          const worst = worstWindow(admittedAt);
          assert.ok(worst <= limit * 1.1, `${worst} of ${limit} over ${count} nodes`);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('one call after the other waits for no answer while there is room', async () => {
    const { clock, settle, waited, take } = start(3);
    for (let i = 0; i < 40; i++) {
      assert.equal((await take(i)).allowed, true);
      clock.ms += 250;
      await settle();
    }
    assert.equal(waited(), 0);
  });

  test('a node that makes all the calls may make exactly as many as in memory', async () => {
    for (const count of [1, 2, 3, 9]) {
      const { clock, take, settle } = start(count, { limit: 40, windowMs: MINUTE_MS });
      for (let left = 39; left >= 0; left--) {
        const { allowed, remaining } = await take(0);
        assert.deepEqual([allowed, remaining], [true, left], `${count} nodes`);
        clock.ms += 1_000;
        await settle();
      }
      const retryAfterSeconds = 20;
      assert.deepEqual(await take(0), { allowed: false, remaining: 0, resetSeconds: 20, retryAfterSeconds });
    }
  });

  test('a call counts from when it was made, however late it is exchanged', async () => {
    const { clock, take, settle } = start(3, { limit: 60, windowMs: MINUTE_MS });
    await take(0);
    clock.ms += 40_000;
    await take(0);
    await settle();
    for (const left of [57, 56]) assert.equal((await take(1)).remaining, left + 2, 'its own calls');
    await settle();
    assert.equal((await take(1)).remaining, 55);
    await settle();
    clock.ms += 20_000;
    for (let i = 0; i < 2; i++) await take(2);
    await settle();
    assert.equal((await take(2)).remaining, 60 - 1 - 3 - 3, 'without the first, a minute later');
  });

  test('a key that is full is refused without asking, and a call after the time of the refusal is admitted', async () => {
    const { clock, redis, take } = start(3, { limit: 10, windowMs: MINUTE_MS });
    for (let i = 0; i < 20; i++) await take(i % 2);
    const before = redis.evaluated;
    for (let i = 0; i < 100; i++) assert.equal((await take(1)).allowed, false);
    assert.equal(redis.evaluated, before);
    clock.ms += 20_500;
    const { allowed, retryAfterSeconds } = await take(2);
    assert.deepEqual([allowed, retryAfterSeconds], [false, 40]);
    clock.ms += retryAfterSeconds * 1000;
    for (const node of [0, 1, 2]) assert.equal((await take(node)).allowed, true);
  });

  test('while Redis is down each node counts alone, and shares what it admitted afterwards', async () => {
    const { redis, take, waited } = start(3);
    redis.isUp = false;
    const takeMany = async (node: number) => {
      let allowed = 0;
      for (let i = 0; i < 70; i++) if ((await take(node)).allowed) allowed++;
      return allowed;
    };
    assert.equal(await takeMany(0), 60);
    for (let i = 0; i < 20; i++) await take(1);
    assert.equal(waited(), 0);
    redis.isUp = true;
    assert.equal((await take(1)).remaining, 39);
    assert.equal((await take(0)).allowed, false);
    // The second node knows what the third has seen: 21 calls of its own, and none of the first, which asks no more.
    assert.equal((await take(2)).remaining, 59);
  });

  test('after Redis lost its data a node still knows its own calls', async () => {
    const { redis, take } = start(1);
    for (let i = 0; i < 50; i++) await take(0);
    await redis.forget();
    let allowed = 0;
    for (let i = 0; i < 50; i++) if ((await take(0)).allowed) allowed++;
    assert.equal(allowed, 10);
  });

  test('after a late answer the calls of a second wait for none, then one asks again', async () => {
    const { clock, redis, nodes, lines } = startNodes(1);
    const logs = ['logins', 'devices'].map((name) => nodes[0]?.openStrictLimit(name, LIMIT));
    const take = async () => {
      for (const log of logs) assert.equal((await log?.take('alice', clock.ms))?.allowed, true);
      return redis.evaluated;
    };
    assert.equal(await take(), 2);
    redis.isLate = true;
    assert.equal(await take(), 3, 'the second limit knows it from the first');
    clock.ms += 999;
    assert.equal(await take(), 3);
    clock.ms += 1;
    assert.equal(await take(), 4);
    assert.equal(await take(), 4);
    redis.isLate = false;
    clock.ms += 1_000;
    assert.equal(await take(), 6);
    const levels = () => lines.map((line) => JSON.parse(line).level);
    assert.deepEqual(levels(), [40, 30]);
    redis.isLate = true;
    assert.equal(await take(), 7);
    redis.isLate = false;
    redis.reconnect();
    assert.equal(await take(), 9, 'a new connection is asked at once');
    assert.deepEqual(levels(), [40, 30, 40, 30]);
  });

  test('calls whose exchange had no answer are judged by the own log, and shared later', async () => {
    for (const open of ['openStrictLimit', 'openRateLimit'] as const) {
      const { redis, clock, nodes } = startNodes(2);
      const logs = nodes.map((limits) => limits[open]('api', { limit: 20, windowMs: MINUTE_MS }));
      redis.isLate = true;
      for (let i = 0; i < 15; i++) assert.equal((await logs[0]?.take('alice', clock.ms))?.allowed, true);
      redis.isLate = false;
      clock.ms += 1_000;
      assert.equal((await logs[0]?.take('alice', clock.ms))?.remaining, 4);
      for (let i = 0; i < 4; i++) assert.equal((await logs[1]?.take('alice', clock.ms))?.allowed, true);
      assert.equal((await logs[1]?.take('alice', clock.ms))?.allowed, false);
    }
  });

  test('an answer that no script gives counts as none', async () => {
    for (const answer of [null, 'OK', [1, 'many', 0], [1, Number.NaN, 0], { 0: 1 }]) {
      const { redis, take } = start(7, { limit: 20, windowMs: MINUTE_MS });
      redis.answer = answer;
      for (let i = 0; i < 20; i++) assert.equal((await take(0)).allowed, true);
      assert.equal((await take(0)).allowed, false);
    }
  });

  test('Redis holds no more entries of a key than its limit, until they expire, and not the key itself', async () => {
    const { redis, take } = start(3, { limit: 30, windowMs: MINUTE_MS });
    redis.isUp = false;
    for (let i = 0; i < 75; i++) await take(i, '192.0.2.1');
    redis.isUp = true;
    for (let i = 0; i < 75; i++) await take(i, '192.0.2.1');
    const [key, entries, expiresMs] = (await redis.evaluate(
      `local t, key = redis.call('TIME'), redis.call('KEYS', ARGV[1] .. 'limit:*')[1]
       return { key, redis.call('ZCARD', key), redis.call('PTTL', key) }`,
      [],
      [redis.prefix],
    )) as [string, number, number];
    assert.match(key, /^test-[-0-9a-f]{36}:limit:api:[-\w]{22}$/);
    assert.equal(entries, 30);
    assert.ok(expiresMs > 0 && expiresMs <= MINUTE_MS, String(expiresMs));
  });

  test('after the clock of Redis was set back by more than a window, calls from before count no longer', async () => {
    const { clock, take } = start(7);
    for (let i = 0; i < 60; i++) await take(0);
    clock.ms -= MINUTE_MS - 1;
    assert.equal((await take(1)).allowed, false);
    clock.ms -= 1;
    assert.equal((await take(2)).remaining, 59);
  });

  test('exchanges are kept for a window, and of the latest keys', async () => {
    const { clock, counts } = startNodes(0);
    const log = new SharedLimit('api', { ...LIMIT, maxKeys: 10 }, counts, () => 0);
    for (let i = 0; i < 30; i++) assert.equal((await log.take(`key ${i}`, clock.ms)).allowed, true);
    assert.equal(log.exchangedKeys, 10);
    assert.equal((await log.take('key 29', clock.ms)).remaining, 58);
    clock.ms += MINUTE_MS;
    for (let i = 0; i < 6; i++) await log.take('alice', clock.ms);
    assert.equal(log.exchangedKeys, 1);
  });
});
