import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { type TestNodes, withRedis } from '../../test/limits.ts';
import type { Verdict } from './sliding-log.ts';

const MINUTE_MS = 60_000;
const LIMIT = { limit: 60, windowMs: MINUTE_MS };

withRedis('A limit over nodes', (startNodes) => {
  function start(count: number, limit = LIMIT) {
    const world: TestNodes = startNodes(count);
    const { clock } = world;
    const logs = world.nodes.map((limits) => limits.open('api', limit, 'bounded'));
    const admittedAt: number[] = [];
    let waited = 0;
    const take = async (node: number, key = 'alice'): Promise<Verdict> => {
      const answer = logs[node % count]?.take(key);
      assert.ok(answer);
      if (answer instanceof Promise) waited++;
      const verdict = await answer;
      if (verdict.allowed) admittedAt.push(clock.ms);
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
    test(`over 3 nodes ${name} are never more than 75 in a minute, and 60 where there is use`, async (t) => {
      const { clock, take, admittedAt, redis, waited } = start(3);
      let calls = 0;
      for (let passed = 0; passed < 2.5 * MINUTE_MS; passed += everyMs) {
        await Promise.all(Array.from({ length: atOnce }, () => take(calls++ % 3)));
        clock.ms += everyMs;
      }
      const worst = worstWindow(admittedAt);
      assert.ok(worst >= 60 && worst <= 75, `${worst} in a minute`);
      t.diagnostic(`${worst} at worst, ${waited()} of ${calls} calls waited, ${redis.evaluated} exchanges`);
    });

  test('whatever the nodes, the limit, the times and the network, no window has more than a quarter above the limit', async (t) => {
    const SLICE_MS = MINUTE_MS / 10;
    const calls = fc.array(
      fc.record({
        node: fc.nat(9),
        atOnce: fc.oneof(fc.constant(1), fc.nat(30)),
        // Also to the last and the first millisecond of a slice of Redis, one or ten slices later.
        afterMs: fc.oneof(
          fc.nat(2_000),
          fc.nat(40_000),
          fc
            .record({ slices: fc.constantFrom(1, 9, 10, 11), off: fc.constantFrom(-1, 0, 1) })
            .map(
              (edge) => (ms: number) => (Math.floor(ms / SLICE_MS) + edge.slices) * SLICE_MS + edge.off - ms,
            ),
        ),
        /** How long their exchanges are on their way to Redis. */
        lagMs: fc.oneof(fc.constant(0), fc.nat(100), fc.nat(SLICE_MS)),
      }),
      { maxLength: 60 },
    );
    let worst = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 60 }),
        calls,
        async (count, limit, calls) => {
          const { clock, redis, take, admittedAt } = start(count, { limit, windowMs: MINUTE_MS });
          for (const { node, atOnce, afterMs, lagMs } of calls) {
            clock.ms += typeof afterMs === 'number' ? afterMs : Math.max(0, afterMs(clock.ms));
            const hold = Promise.withResolvers<void>();
            if (lagMs > 0) redis.hold = hold.promise;
            const running = Array.from({ length: atOnce }, (_, i) => take(node + i));
            await nextTurn(); // time stands still within a turn
            clock.ms += lagMs;
            redis.hold = null;
            // These overtake what is on its way.
            for (let i = 0; lagMs > 0 && i < 9; i++) running.push(take(i));
            await nextTurn();
            hold.resolve();
            await Promise.all(running);
          }
          const admitted = worstWindow(admittedAt);
          worst = Math.max(worst, admitted / limit);
          assert.ok(admitted <= limit * 1.25, `${admitted} of ${limit} over ${count} nodes`);
        },
      ),
      { numRuns: 60 },
    );
    t.diagnostic(`${worst.toFixed(2)} of a limit at worst`);
  });

  test('two bursts at the edges of slices are no more together than the limit and a tenth', async () => {
    const { clock, take, settle, admittedAt } = start(3, { limit: 60, windowMs: MINUTE_MS });
    const sliceMs = MINUTE_MS / 10;
    clock.ms = Math.ceil(clock.ms / sliceMs) * sliceMs;
    await take(0);
    clock.ms += sliceMs - 1;
    for (let i = 0; i < 90; i++) await take(i);
    await settle();
    // The first call has left the window, the others of its slice have not.
    clock.ms += MINUTE_MS - sliceMs + 1;
    for (let i = 0; i < 90; i++) await take(i);
    const worst = worstWindow(admittedAt);
    assert.ok(worst >= 60 && worst <= 75, String(worst));
    clock.ms += sliceMs - 1;
    assert.equal((await take(0)).allowed, true, 'a window after the burst');
  });

  test('calls at an even pace within the limit are never refused, whichever nodes they reach', async () => {
    const { clock, take } = start(3, { limit: 60, windowMs: MINUTE_MS });
    for (let i = 0; i < 200; i++) {
      assert.equal((await take(i)).allowed, true, `call ${i}`);
      clock.ms += 1_000;
    }
  });

  test('a burst of as many calls as the limit allows is admitted once more exactly a window later', async () => {
    const { clock, settle, take } = start(3, { limit: 30, windowMs: MINUTE_MS });
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 30; i++) assert.equal((await take(i)).allowed, true);
      await settle();
      clock.ms += MINUTE_MS;
    }
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
      assert.deepEqual(await take(0), { allowed: false, remaining: 0, resetSeconds: 20 });
    }
  });

  test('a call counts from when it was made, however late it is exchanged', async () => {
    const { clock, take, settle } = start(3, { limit: 60, windowMs: MINUTE_MS });
    await take(0);
    clock.ms += 40_000;
    for (let i = 0; i < 2; i++) await take(0);
    await settle();
    for (const left of [59, 58, 57]) assert.equal((await take(1)).remaining, left, 'its own calls');
    await settle();
    assert.equal((await take(1)).remaining, 60 - 3 - 3 - 1);
    clock.ms += 20_000;
    for (let i = 0; i < 3; i++) await take(2);
    await settle();
    assert.equal((await take(2)).remaining, 60 - 2 - 3 - 3 - 1, 'without the first, a minute later');
  });

  test('a key that is full is refused without asking, and a call after the time of the refusal is admitted', async () => {
    const { clock, redis, take } = start(3, { limit: 10, windowMs: MINUTE_MS });
    for (let i = 0; i < 20; i++) await take(i % 2);
    const before = redis.evaluated;
    for (let i = 0; i < 100; i++) assert.equal((await take(1)).allowed, false);
    assert.equal(redis.evaluated, before);
    clock.ms += 20_500;
    const { allowed, resetSeconds } = await take(2);
    assert.deepEqual([allowed, resetSeconds], [false, 40]);
    clock.ms += resetSeconds * 1000;
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
    const logs = ['logins', 'devices'].map((name) => nodes[0]?.open(name, LIMIT, 'exact'));
    const take = async () => {
      for (const log of logs) assert.equal((await log?.take('alice'))?.allowed, true);
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
    for (const how of ['exact', 'bounded'] as const) {
      const { redis, clock, nodes } = startNodes(2);
      const logs = nodes.map((limits) => limits.open('api', { limit: 20, windowMs: MINUTE_MS }, how));
      redis.isLate = true;
      for (let i = 0; i < 15; i++) assert.equal((await logs[0]?.take('alice'))?.allowed, true);
      // The first of these finds that Redis is silent still.
      for (const remaining of [4, 3]) {
        clock.ms += 1_000;
        assert.equal((await logs[0]?.take('alice'))?.remaining, remaining);
        redis.isLate = false;
      }
      let admitted = 17;
      for (let i = 0; i < 20; i++) if ((await logs[1]?.take('alice'))?.allowed) admitted++;
      if (how === 'exact') assert.equal(admitted, 20);
      else assert.ok(admitted >= 20 && admitted <= 25, String(admitted));
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

  test('Redis holds a few slices of a key, of an exact limit no more entries than the limit, and not the key itself', async () => {
    const { clock, redis, nodes } = startNodes(3);
    const [sliced, exact] = (['bounded', 'exact'] as const).map((how) =>
      nodes.map((limits) => limits.open(how, { limit: 30, windowMs: MINUTE_MS }, how)),
    );
    for (const isUp of [false, true])
      for (let i = 0; i < 150; i++) {
        redis.isUp = isUp;
        for (const logs of [sliced, exact]) await logs?.[i % 3]?.take('192.0.2.1');
        clock.ms += 500;
      }
    const entriesOf = async (name: string) => {
      const [key, entries, expiresMs] = (await redis.evaluate(
        `local t, key = redis.call('TIME'), redis.call('KEYS', ARGV[1])[1]
         return { key, redis.call('ZCARD', key), redis.call('PTTL', key) }`,
        [],
        [`${redis.prefix}limit:calls:${name}:*`],
      )) as [string, number, number];
      assert.match(key, /^test-[-0-9a-f]{36}:limit:calls:\w+:[-\w]{22}$/);
      assert.ok(expiresMs > 0 && expiresMs <= MINUTE_MS, String(expiresMs));
      return entries;
    };
    assert.equal(await entriesOf('exact'), 30);
    const slices = await entriesOf('bounded');
    assert.ok(slices >= 2 && slices <= 11, String(slices));
  });

  test('after the clock of Redis was set back by more than a window, calls from before count no longer', async () => {
    const { clock, nodes } = startNodes(3);
    const logs = nodes.map((limits) => limits.open('logins', LIMIT, 'exact'));
    const take = async (node: number) => (await logs[node]?.take('alice')) ?? assert.fail();
    for (let i = 0; i < 60; i++) await take(0);
    clock.ms -= MINUTE_MS - 1;
    assert.equal((await take(1)).allowed, false);
    clock.ms -= 1;
    assert.equal((await take(2)).remaining, 59);
  });
});
