import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { type KeyedLimit, SlidingLog, type Verdict } from './sliding-log.ts';

const minute = 60_000;

/** A log whose clock is set at each call. */
function openLog(limit: KeyedLimit) {
  let clock = 0;
  const log = new SlidingLog(limit, () => clock);
  const at = (now: number) => {
    clock = now;
    return log;
  };
  return {
    take: (key: string, now: number) => at(now).take(key),
    peek: (key: string, now: number) => at(now).peek(key),
  };
}

/** Takes `count` calls at `now`. @returns how many of them were allowed */
function takeMany(log: ReturnType<typeof openLog>, key: string, now: number, count: number): number {
  let allowed = 0;
  for (let i = 0; i < count; i++) if (log.take(key, now).allowed) allowed++;
  return allowed;
}

test('of 60 a minute, 60 calls at once are allowed and the 61st is refused (8)', () => {
  const log = openLog({ limit: 60, windowMs: minute });
  const verdicts = Array.from({ length: 61 }, () => log.take('alice', 0));
  assert.deepEqual(verdicts[0], { allowed: true, remaining: 59, resetSeconds: 60 });
  assert.deepEqual(verdicts[58], { allowed: true, remaining: 1, resetSeconds: 60 });
  assert.deepEqual(verdicts[59], { allowed: true, remaining: 0, resetSeconds: 60 });
  assert.deepEqual(verdicts[60], { allowed: false, remaining: 0, resetSeconds: 60 });
});

test('the edge of two windows does not allow both limits: 59 late in one minute leave 1 for the next', () => {
  const log = openLog({ limit: 60, windowMs: minute });
  assert.equal(takeMany(log, 'alice', 1_000, 1), 1);
  assert.equal(takeMany(log, 'alice', 59_900, 70), 59);
  assert.equal(takeMany(log, 'alice', 60_100, 70), 0);
  assert.equal(takeMany(log, 'alice', 60_999, 70), 0);
  assert.equal(takeMany(log, 'alice', 61_000, 70), 1);
  assert.equal(takeMany(log, 'alice', 119_899, 70), 0);
  assert.equal(takeMany(log, 'alice', 119_900, 70), 59);
});

test('refused calls do not count: a caller that retries is allowed as early as one that waits', () => {
  const log = openLog({ limit: 3, windowMs: minute });
  takeMany(log, 'alice', 0, 3);
  for (let now = 1_000; now < minute; now += 1_000) assert.equal(log.take('alice', now).allowed, false);
  assert.equal(takeMany(log, 'alice', minute, 5), 3);
});

test('each key is counted by itself', () => {
  const log = openLog({ limit: 2, windowMs: minute });
  assert.equal(takeMany(log, 'alice', 0, 5), 2);
  assert.equal(takeMany(log, 'bob', 0, 5), 2);
  assert.equal(takeMany(log, '', 0, 5), 2);
});

test('a refusal gives in whole seconds, rounded up, when the next call is allowed', () => {
  const log = openLog({ limit: 2, windowMs: minute });
  log.take('alice', 0);
  log.take('alice', 30_500);
  assert.equal(log.take('alice', 30_501).resetSeconds, 30);
  assert.equal(log.take('alice', 59_999).resetSeconds, 1);
  assert.deepEqual(log.take('alice', 60_000), {
    allowed: true,
    remaining: 0,
    resetSeconds: 31,
  });
});

test('the calls of a key that called slowly and then often expire one by one, in their order', () => {
  const log = openLog({ limit: 8, windowMs: 1_000 });
  for (const now of [0, 600, 1_000, 1_100, 1_200, 1_590]) log.take('alice', now);
  const freed = [1_599, 1_600, 1_999, 2_000, 2_100, 2_199, 2_200, 2_590].map(
    (now) => log.peek('alice', now).remaining,
  );
  assert.deepEqual(freed, [3, 4, 4, 5, 6, 6, 7, 8]);
});

test('the calls of a key that stays at its limit expire one by one too', () => {
  const log = openLog({ limit: 3, windowMs: minute });
  for (const now of [0, 20_000, 40_000, 60_000, 80_000]) assert.equal(log.take('alice', now).allowed, true);
  assert.equal(log.take('alice', 99_999).allowed, false);
  assert.deepEqual(log.peek('alice', 100_000), {
    allowed: true,
    remaining: 1,
    resetSeconds: 20,
  });
  assert.equal(log.peek('alice', 120_000).remaining, 2);
});

test('peeking counts nothing and says whether a call would be allowed', () => {
  const log = openLog({ limit: 10, windowMs: 15 * minute });
  assert.deepEqual(log.peek('alice', 0), {
    allowed: true,
    remaining: 10,
    resetSeconds: 900,
  });
  takeMany(log, 'alice', 0, 9);
  for (let i = 0; i < 20; i++) log.peek('alice', 1_000);
  assert.deepEqual(log.peek('alice', 1_000), {
    allowed: true,
    remaining: 1,
    resetSeconds: 899,
  });
  log.take('alice', 2_000);
  assert.deepEqual(log.peek('alice', 3_000), {
    allowed: false,
    remaining: 0,
    resetSeconds: 897,
  });
  assert.deepEqual(log.peek('alice', 900_000), {
    allowed: true,
    remaining: 9,
    resetSeconds: 2,
  });
  assert.deepEqual(log.peek('alice', 902_000), {
    allowed: true,
    remaining: 10,
    resetSeconds: 900,
  });
});

test('a clock that runs backwards allows no further calls', () => {
  const log = openLog({ limit: 2, windowMs: minute });
  assert.equal(takeMany(log, 'alice', 100_000, 2), 2);
  for (const now of [99_999, 0, -1e9, Number.NaN]) assert.equal(log.take('alice', now).allowed, false);
  assert.equal(log.take('alice', 0).resetSeconds, 60);
  assert.equal(log.take('alice', 160_000).allowed, true);
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
      const log = openLog({ limit, windowMs });
      const allowedAt = new Map<string, number[]>();
      let clock = 0;
      let now = Number.NEGATIVE_INFINITY;
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
        const log = openLog({ limit, windowMs });
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

test('no number of keys below their limit evicts one at its limit before its time', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.nat(200), { maxLength: 100 }),
      (maxKeys, pauses) => {
        const log = openLog({ limit: 3, windowMs: 1_000, maxKeys });
        takeMany(log, 'attacker', 0, 3);
        let now = 0;
        for (const [i, pause] of pauses.entries()) {
          now += pause;
          log.take(`other ${i}`, now);
          assert.equal(log.peek('attacker', now).allowed, now >= 1_000);
        }
      },
    ),
  );
});

test('of many keys the ones that called first are forgotten, and a refused or peeked call does not keep one', () => {
  const log = openLog({ limit: 3, windowMs: minute, maxKeys: 4 });
  for (const [now, key] of ['alice', 'bob', 'carol', 'alice', 'dave', 'erin'].entries()) {
    log.take(key, now);
    log.peek('bob', now);
  }
  assert.equal(log.peek('alice', 10).remaining, 1);
  assert.equal(log.peek('bob', 10).remaining, 3);
  for (const key of ['carol', 'dave', 'erin']) assert.equal(log.peek(key, 10).remaining, 2, key);
});

test('of many keys at their limit the ones that called first are forgotten', () => {
  const log = openLog({ limit: 1, windowMs: minute, maxKeys: 2 });
  for (const [now, key] of ['alice', 'bob', 'carol'].entries()) log.take(key, now);
  for (const key of ['bob', 'carol']) assert.equal(log.take(key, 10).allowed, false);
  assert.equal(log.take('alice', 10).allowed, true);
});

test('a key that falls below its limit and comes back to it keeps all its calls', () => {
  const log = openLog({ limit: 2, windowMs: 1_000, maxKeys: 2 });
  for (const now of [0, 900, 1_000, 1_900]) assert.equal(log.take('alice', now).allowed, true);
  log.take('bob', 1_950);
  log.take('carol', 1_960);
  assert.equal(log.take('alice', 1_999).allowed, false);
  assert.equal(log.take('alice', 2_000).allowed, true);
});

for (const { keys, maxKeys, mostMb } of [
  { keys: 1_000_000, maxKeys: 1_000_000, mostMb: 200 },
  { keys: 300_000, maxKeys: 100_000, mostMb: 20 },
])
  test(`${keys} keys with one call each, with room for ${maxKeys}, take less than ${mostMb} MB`, async (t) => {
    const script = `
      const { SlidingLog } = await import(${JSON.stringify(new URL('./sliding-log.ts', import.meta.url).href)});
      const used = () => { gc(); const { heapUsed, external } = process.memoryUsage(); return heapUsed + external; };
      const before = used();
      let now = 0;
      const log = new SlidingLog({ limit: 60, windowMs: 60_000, maxKeys: ${maxKeys} }, () => now);
      const nameOf = (i) => '019c0000-' + i.toString(16).padStart(27, '0');
      for (let i = 0; i < ${keys}; i++) { now += 0.001; log.take(nameOf(i)); }
      const megabytes = (used() - before) / 1e6;
      const known = [0, ${keys - maxKeys / 2}, ${keys} - 1].map((i) => log.peek(nameOf(i)).remaining === 59);
      console.log(JSON.stringify({ megabytes, known }));`;
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--expose-gc',
      '--input-type=module',
      '-e',
      script,
    ]);
    const { known, megabytes } = JSON.parse(stdout);
    assert.deepEqual(known, [keys === maxKeys, true, true]);
    assert.ok(megabytes < mostMb && megabytes > mostMb / 4, `${megabytes} MB`);
    t.diagnostic(`${megabytes.toFixed(0)} MB`);
  });
