import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { onEachLimits } from '../../test/limits.ts';
import type { Attempt } from './failure-limit.ts';
import type { KeyedLimit, Verdict } from './sliding-log.ts';

const MINUTE_MS = 60_000;

onEachLimits('A limit of calls', (start) => {
  function open(limit: KeyedLimit) {
    const { clock, next } = start();
    const logs = next((limits) => limits.open('calls', limit, 'exact'));
    const take = async (key: string) => logs().take(key);
    const takeMany = async (key: string, count: number) =>
      (await Promise.all(Array.from({ length: count }, () => take(key)))).filter(({ allowed }) => allowed)
        .length;
    return { clock, take, takeMany };
  }

  test('of 60 a minute, 60 calls at once are allowed and the 61st is refused (8)', async () => {
    const { take } = open({ limit: 60, windowMs: MINUTE_MS });
    // Several nodes that are called at once are asked in any order.
    const verdicts = (await Promise.all(Array.from({ length: 61 }, () => take('alice')))).sort(
      (one, other) => other.remaining - one.remaining || Number(other.allowed) - Number(one.allowed),
    );
    assert.deepEqual(verdicts[0], { allowed: true, remaining: 59, resetSeconds: 60 });
    assert.deepEqual(verdicts[59], { allowed: true, remaining: 0, resetSeconds: 60 });
    assert.deepEqual(verdicts[60], { allowed: false, remaining: 0, resetSeconds: 60 });
  });

  test('the edge of two windows does not allow both limits', async () => {
    const { clock, takeMany } = open({ limit: 60, windowMs: MINUTE_MS });
    const begin = clock.ms;
    assert.equal(await takeMany('alice', 1), 1);
    clock.ms = begin + 58_900;
    assert.equal(await takeMany('alice', 70), 59);
    clock.ms = begin + 59_999;
    assert.equal(await takeMany('alice', 70), 0);
    clock.ms = begin + 60_000;
    assert.equal(await takeMany('alice', 70), 1);
    clock.ms = begin + 118_899;
    assert.equal(await takeMany('alice', 70), 0);
    clock.ms = begin + 118_900;
    assert.equal(await takeMany('alice', 70), 59);
  });

  test('refused calls do not count, and each key is counted by itself', async () => {
    const { clock, take, takeMany } = open({ limit: 3, windowMs: MINUTE_MS });
    assert.equal(await takeMany('alice', 3), 3);
    for (let i = 0; i < 59; i++) {
      clock.ms += 1_000;
      assert.equal((await take('alice')).allowed, false);
    }
    assert.equal(await takeMany('bob', 5), 3);
    clock.ms += 1_000;
    assert.equal(await takeMany('alice', 5), 3);
  });

  test('at random times every verdict is that of a plain list of all allowed calls', async () => {
    const calls = fc.array(
      fc.record({
        key: fc.constantFrom('alice', 'alice', 'bob'),
        afterMs: fc.oneof(fc.nat(5), fc.nat(70_000)),
      }),
      { maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 9 }), calls, async (limit, calls) => {
        const { clock, take } = open({ limit, windowMs: MINUTE_MS });
        const allowedAt = new Map<string, number[]>();
        for (const { key, afterMs } of calls) {
          clock.ms += afterMs;
          const counted = (allowedAt.get(key) ?? []).filter((at) => clock.ms - at < MINUTE_MS);
          const allowed = counted.length < limit;
          if (allowed) counted.push(clock.ms);
          allowedAt.set(key, counted);
          const resetSeconds = Math.ceil((MINUTE_MS - (clock.ms - (counted[0] ?? clock.ms))) / 1000);
          const remaining = limit - counted.length;
          const expected: Verdict = { allowed, remaining, resetSeconds };
          assert.deepEqual(await take(key), expected);
        }
      }),
      { numRuns: 30 },
    );
  });
});

onEachLimits('A limit of failures', (start) => {
  function open(limit: number) {
    const { clock, next } = start();
    const logs = next((limits) => limits.openFailures('failures', { limit, windowMs: MINUTE_MS }));
    const begin = async (key = 'alice') => logs().begin(key);
    const beginMany = (count: number) => Promise.all(Array.from({ length: count }, () => begin()));
    const end = (attempts: readonly Attempt[], isFailure: boolean) => {
      for (const attempt of attempts) attempt.end?.(isFailure);
    };
    /** Whether an attempt would be refused. */
    const isFull = async (key = 'alice') => {
      const attempt = await begin(key);
      attempt.end?.(false);
      return !attempt.end;
    };
    return { clock, begin, beginMany, end, isFull };
  }

  test('running attempts fill a key, without a time to wait for', async () => {
    const { begin, beginMany, isFull } = open(10);
    assert.equal((await beginMany(50)).filter(({ end }) => end).length, 10);
    assert.deepEqual(await begin(), { end: null, retryAfterSeconds: 0 });
    assert.equal(await isFull(), true);
    assert.equal(await isFull('bob'), false);
  });

  test('attempts that succeed no longer count', async () => {
    const { beginMany, end } = open(10);
    for (let i = 0; i < 3; i++) {
      const attempts = await beginMany(10);
      assert.ok(attempts.every(({ end }) => end));
      end(attempts, false);
    }
  });

  test('failed attempts count for a window from their end on', async () => {
    const { clock, begin, beginMany, end, isFull } = open(2);
    const attempts = await beginMany(2);
    clock.ms += 10_500;
    end(attempts, true);
    assert.deepEqual(await begin(), { end: null, retryAfterSeconds: 60 });
    clock.ms += 59_999;
    assert.deepEqual(await begin(), { end: null, retryAfterSeconds: 1 });
    assert.equal(await isFull(), true);
    clock.ms += 1;
    assert.equal(await isFull(), false);
    assert.ok((await begin()).end);
  });

  test('failures and running attempts fill a key together', async () => {
    const { begin, beginMany, end } = open(3);
    end(await beginMany(2), true);
    assert.ok((await begin()).end);
    assert.deepEqual(await begin(), { end: null, retryAfterSeconds: 0 });
  });
});
