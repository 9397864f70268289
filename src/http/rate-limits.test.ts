import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { openRateLimit, type SlidingLog, type Verdict } from './rate-limits.ts';

const minute = 60_000;

/** Takes `count` calls at `now`. @returns how many of them were allowed */
function takeMany(log: SlidingLog, key: string, now: number, count: number): number {
  let allowed = 0;
  for (let i = 0; i < count; i++) if (log.take(key, now).allowed) allowed++;
  return allowed;
}

test('of 60 a minute, 60 calls at once are allowed and the 61st is refused (8)', () => {
  const log = openRateLimit({ limit: 60, windowMs: minute });
  const verdicts = Array.from({ length: 61 }, () => log.take('alice', 0));
  assert.deepEqual(verdicts[0], { allowed: true, remaining: 59, resetSeconds: 60, retryAfterSeconds: 0 });
  assert.deepEqual(verdicts[58], { allowed: true, remaining: 1, resetSeconds: 60, retryAfterSeconds: 0 });
  assert.deepEqual(verdicts[59], { allowed: true, remaining: 0, resetSeconds: 60, retryAfterSeconds: 60 });
  assert.deepEqual(verdicts[60], { allowed: false, remaining: 0, resetSeconds: 60, retryAfterSeconds: 60 });
});

test('the edge of two windows does not allow both limits: 59 late in one minute leave 1 for the next', () => {
  const log = openRateLimit({ limit: 60, windowMs: minute });
  assert.equal(takeMany(log, 'alice', 1_000, 1), 1);
  assert.equal(takeMany(log, 'alice', 59_900, 70), 59);
  assert.equal(takeMany(log, 'alice', 60_100, 70), 0);
  assert.equal(takeMany(log, 'alice', 60_999, 70), 0);
  assert.equal(takeMany(log, 'alice', 61_000, 70), 1);
  assert.equal(takeMany(log, 'alice', 119_899, 70), 0);
  assert.equal(takeMany(log, 'alice', 119_900, 70), 59);
});

test('refused calls do not count: a caller that retries is allowed as early as one that waits', () => {
  const log = openRateLimit({ limit: 3, windowMs: minute });
  takeMany(log, 'alice', 0, 3);
  for (let now = 1_000; now < minute; now += 1_000) assert.equal(log.take('alice', now).allowed, false);
  assert.equal(takeMany(log, 'alice', minute, 5), 3);
});

test('each key is counted by itself', () => {
  const log = openRateLimit({ limit: 2, windowMs: minute });
  assert.equal(takeMany(log, 'alice', 0, 5), 2);
  assert.equal(takeMany(log, 'bob', 0, 5), 2);
  assert.equal(takeMany(log, '', 0, 5), 2);
});

test('a refusal gives in whole seconds, rounded up, when the next call is allowed', () => {
  const log = openRateLimit({ limit: 2, windowMs: minute });
  log.take('alice', 0);
  log.take('alice', 30_500);
  assert.equal(log.take('alice', 30_501).retryAfterSeconds, 30);
  assert.equal(log.take('alice', 59_999).retryAfterSeconds, 1);
  assert.deepEqual(log.take('alice', 60_000), {
    allowed: true,
    remaining: 0,
    resetSeconds: 31,
    retryAfterSeconds: 31,
  });
});

test('the calls of a key that called slowly and then often expire one by one, in their order', () => {
  const log = openRateLimit({ limit: 8, windowMs: 1_000 });
  for (const now of [0, 600, 1_000, 1_100, 1_200, 1_590]) log.take('alice', now);
  const freed = [1_599, 1_600, 1_999, 2_000, 2_100, 2_199, 2_200, 2_590].map(
    (now) => log.peek('alice', now).remaining,
  );
  assert.deepEqual(freed, [3, 4, 4, 5, 6, 6, 7, 8]);
});

test('the calls of a key that stays at its limit expire one by one too', () => {
  const log = openRateLimit({ limit: 3, windowMs: minute });
  for (const now of [0, 20_000, 40_000, 60_000, 80_000]) assert.equal(log.take('alice', now).allowed, true);
  assert.equal(log.take('alice', 99_999).allowed, false);
  assert.deepEqual(log.peek('alice', 100_000), {
    allowed: true,
    remaining: 1,
    resetSeconds: 20,
    retryAfterSeconds: 0,
  });
  assert.equal(log.peek('alice', 120_000).remaining, 2);
});

test('peeking counts nothing and says whether a call would be allowed', () => {
  const log = openRateLimit({ limit: 10, windowMs: 15 * minute });
  assert.deepEqual(log.peek('alice', 0), {
    allowed: true,
    remaining: 10,
    resetSeconds: 900,
    retryAfterSeconds: 0,
  });
  assert.equal(log.size, 0);
  takeMany(log, 'alice', 0, 9);
  for (let i = 0; i < 20; i++) log.peek('alice', 1_000);
  assert.deepEqual(log.peek('alice', 1_000), {
    allowed: true,
    remaining: 1,
    resetSeconds: 899,
    retryAfterSeconds: 0,
  });
  log.take('alice', 2_000);
  assert.deepEqual(log.peek('alice', 3_000), {
    allowed: false,
    remaining: 0,
    resetSeconds: 897,
    retryAfterSeconds: 897,
  });
  assert.deepEqual(log.peek('alice', 900_000), {
    allowed: true,
    remaining: 9,
    resetSeconds: 2,
    retryAfterSeconds: 0,
  });
  assert.deepEqual(log.peek('alice', 902_000), {
    allowed: true,
    remaining: 10,
    resetSeconds: 900,
    retryAfterSeconds: 0,
  });
});

test('a clock that runs backwards allows no further calls', () => {
  const log = openRateLimit({ limit: 2, windowMs: minute });
  assert.equal(takeMany(log, 'alice', 100_000, 2), 2);
  for (const now of [99_999, 0, -1e9, Number.NaN]) assert.equal(log.take('alice', now).allowed, false);
  assert.equal(log.take('alice', 0).retryAfterSeconds, 60);
  assert.equal(log.take('alice', 160_000).allowed, true);
});

test('the times of the counted calls are given in their order, also after older ones expired', () => {
  const log = openRateLimit({ limit: 3, windowMs: 1_000 });
  assert.deepEqual(log.times('alice', 0), []);
  log.take('alice', 100);
  assert.deepEqual(log.times('alice', 200), [100]);
  for (const now of [300, 500, 1_150, 1_400]) log.take('alice', now);
  assert.deepEqual(log.times('alice', 1_400), [500, 1_150, 1_400]);
  assert.deepEqual(log.times('alice', 2_300), [1_400]);
  assert.deepEqual(log.times('alice', 2_400), []);
});

test('numbers out of bounds are refused', () => {
  for (const limit of [0, -1, 1.5, Number.NaN])
    assert.throws(() => openRateLimit({ limit, windowMs: 1 }), RangeError);
  for (const windowMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
    assert.throws(() => openRateLimit({ limit: 1, windowMs }), RangeError);
  assert.throws(() => openRateLimit({ limit: 1, windowMs: 1, maxKeys: 0 }), RangeError);
});

const calls = fc.array(
  fc.record({
    key: fc.constantFrom('alice', 'alice', 'alice', 'bob'),
    afterMs: fc.oneof(
      fc.constant(0),
      fc.nat(3),
      fc.nat(1_200),
      fc.double({ min: -20, max: 50, noNaN: true }),
    ),
    peek: fc.boolean(),
  }),
  { maxLength: 300 },
);

test('at random times every verdict is that of a plain list of all allowed calls', () => {
  const windowMs = 1_000;
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), calls, (limit, calls) => {
      const log = openRateLimit({ limit, windowMs });
      const allowedAt = new Map<string, number[]>();
      let clock = 0;
      let now = 0;
      for (const { key, afterMs, peek } of calls) {
        clock += afterMs;
        now = Math.max(now, clock);
        const all = allowedAt.get(key) ?? [];
        const allowed = all.filter((at) => now - at < windowMs).length < limit;
        if (allowed && !peek) allowedAt.set(key, [...all, now]);
        const counted = (allowedAt.get(key) ?? []).filter((at) => now - at < windowMs);
        const resetSeconds = Math.ceil((windowMs - (now - (counted[0] ?? now))) / 1000);
        const remaining = limit - counted.length;
        const expected: Verdict = {
          allowed,
          remaining,
          resetSeconds,
          retryAfterSeconds: remaining > 0 ? 0 : resetSeconds,
        };
        assert.deepEqual(peek ? log.peek(key, clock) : log.take(key, clock), expected);
      }
    }),
  );
});

test('never more than the limit in any window, wherever it begins', () => {
  const windowMs = 1_000;
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.array(fc.nat(300), { maxLength: 500 }),
      (limit, pauses) => {
        const log = openRateLimit({ limit, windowMs });
        const allowedAt: number[] = [];
        let now = 0;
        for (const pause of pauses) {
          now += pause;
          if (log.take('alice', now).allowed) allowedAt.push(now);
        }
        for (const [i, first] of allowedAt.entries()) {
          const next = allowedAt[i + limit];
          assert.ok(
            next === undefined || next - first >= windowMs,
            `${limit + 1} calls from ${first} to ${next}`,
          );
        }
      },
    ),
  );
});

test('no number of other keys evicts a key at its limit before its time', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.nat(200), { maxLength: 100 }),
      (maxKeys, pauses) => {
        const log = openRateLimit({ limit: 3, windowMs: 1_000, maxKeys });
        takeMany(log, 'attacker', 0, 3);
        let now = 0;
        for (const [i, pause] of pauses.entries()) {
          now += pause;
          // With room for one key alone, the attacker's is the only one that can be evicted.
          if (maxKeys > 1) log.take(`other ${i}`, now);
          assert.equal(log.peek('attacker', now).allowed, now >= 1_000);
          assert.ok(log.size <= maxKeys);
        }
      },
    ),
  );
});

test('at `maxKeys` the key whose last call is the oldest is evicted first, and one at its limit stays', () => {
  const log = openRateLimit({ limit: 2, windowMs: minute, maxKeys: 3 });
  takeMany(log, 'attacker', 0, 2);
  log.take('alice', 1);
  log.take('bob', 2);
  log.take('carol', 3);
  assert.equal(log.size, 3);
  assert.equal(log.peek('alice', 3).remaining, 2, 'alice was the oldest below the limit');
  assert.equal(log.peek('bob', 3).remaining, 1);
  for (let i = 0; i < 1_000; i++) log.take(`other ${i}`, 4 + i);
  assert.equal(log.size, 3);
  assert.equal(log.peek('bob', 2_000).remaining, 2);
  assert.equal(log.take('attacker', 2_000).allowed, false);
});

test('a call makes a key the most recent, a refused or peeked one does not', () => {
  const log = openRateLimit({ limit: 3, windowMs: minute, maxKeys: 2 });
  log.take('alice', 0);
  log.take('bob', 1);
  log.take('alice', 2);
  log.peek('bob', 3);
  log.take('carol', 4);
  assert.equal(log.peek('bob', 5).remaining, 3);
  assert.equal(log.peek('alice', 5).remaining, 1);
});

test('a key that is no longer at its limit is evicted in order', () => {
  const log = openRateLimit({ limit: 2, windowMs: minute, maxKeys: 3 });
  log.take('earlier', 0);
  log.take('earlier', 40_000);
  takeMany(log, 'attacker', 45_000, 2);
  log.take('alice', 50_000);
  log.take('bob', 60_000);
  assert.equal(log.peek('earlier', 60_000).remaining, 2, 'its first call had left the window');
  assert.equal(log.peek('attacker', 60_000).remaining, 0);
  assert.equal(log.peek('alice', 60_000).remaining, 1);
});

test('a key that is no longer at its limit is not evicted before an older one', () => {
  const log = openRateLimit({ limit: 2, windowMs: minute, maxKeys: 2 });
  log.take('released', 0);
  log.take('alice', 30_000);
  log.take('released', 40_000);
  log.take('bob', 60_000);
  assert.equal(log.peek('alice', 60_000).remaining, 2);
  assert.equal(log.peek('released', 60_000).remaining, 1);
});

test('if all keys are at their limit, the oldest is evicted', () => {
  const log = openRateLimit({ limit: 1, windowMs: minute, maxKeys: 2 });
  for (const [now, key] of ['alice', 'bob', 'carol'].entries()) log.take(key, now);
  assert.equal(log.size, 2);
  assert.equal(log.take('bob', 10).allowed, false);
  assert.equal(log.take('carol', 10).allowed, false);
  assert.equal(log.take('alice', 10).allowed, true);
});

test('keys that are idle for a window are removed, a few with each later call', () => {
  const log = openRateLimit({ limit: 5, windowMs: minute });
  for (let i = 0; i < 1_000; i++) log.take(`once ${i}`, 0);
  for (let i = 0; i < 100; i++) takeMany(log, `often ${i}`, 1_000, 5);
  assert.equal(log.size, 1_100);
  log.take('alice', 59_999);
  assert.equal(log.size, 1_101);
  log.take('alice', 60_000);
  assert.equal(log.size, 1_099);
  for (let i = 0; i < 600; i++) log.take('alice', 61_000 + i);
  assert.equal(log.size, 1);
});

test('freed slots are reused and start without calls', () => {
  const log = openRateLimit({ limit: 4, windowMs: 100, maxKeys: 8 });
  for (let now = 0; now < 5_000; now += 7) {
    const key = `key ${Math.floor(now / 50)}`;
    const before = log.peek(key, now).remaining;
    const verdict = log.take(key, now);
    assert.equal(verdict.remaining, verdict.allowed ? before - 1 : 0);
    assert.ok(log.size <= 8);
  }
});

test('a million keys with one call each take less than 200 MB', async (t) => {
  const script = `
    const { openRateLimit } = await import(${JSON.stringify(new URL('./rate-limits.ts', import.meta.url).href)});
    const used = () => { gc(); const { heapUsed, external } = process.memoryUsage(); return heapUsed + external; };
    const before = used();
    const log = openRateLimit({ limit: 60, windowMs: 60_000 });
    for (let i = 0; i < 1_000_000; i++) log.take('019c0000-' + i.toString(16).padStart(27, '0'), i / 1000);
    const megabytes = (used() - before) / 1e6;
    console.log(JSON.stringify({ megabytes, keys: log.size }));`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    '--input-type=module',
    '-e',
    script,
  ]);
  const { keys, megabytes } = JSON.parse(stdout);
  assert.equal(keys, 1_000_000);
  assert.ok(megabytes < 200 && megabytes > 50, `${megabytes} MB`);
  t.diagnostic(`${megabytes.toFixed(0)} MB`);
});
