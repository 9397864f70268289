import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as allSettled } from 'node:timers/promises';
import { DoormanError } from 'doorman-client';
import { RequestQueue } from './request-queue.ts';

function tooMany(retryAfterMs: number): DoormanError {
  return new DoormanError(429, 'rate_limited', 'too many', { retryAfterMs });
}

test('a call that gets a 429 is repeated when the service says, and all other calls wait until then', async (t) => {
  const startedAt = 1_800_000_000_000;
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: startedAt });
  const queue = new RequestQueue();
  let calls = 0;
  const waits: number[] = [];
  const first = queue.run(
    async () => {
      if (++calls === 1) throw tooMany(300);
      return 'first';
    },
    { onWait: (until) => waits.push(until - startedAt) },
  );
  await allSettled();
  const second = queue.run(async () => {
    calls++;
    return 'second';
  });
  t.mock.timers.tick(299);
  await allSettled();
  assert.deepEqual([calls, waits], [1, [300]]);
  t.mock.timers.tick(1);
  assert.deepEqual(await Promise.all([first, second]), ['first', 'second']);
  assert.deepEqual([calls, waits], [3, [300]]);
});

test('any other refusal rejects at once', async () => {
  const queue = new RequestQueue();
  const refuse = async () => {
    throw new DoormanError(404, 'user_not_found', 'no such user');
  };
  await assert.rejects(queue.run(refuse), /user_not_found/);
  await assert.rejects(
    queue.runNow(async () => {
      throw tooMany(50);
    }),
    /rate_limited/,
  );
});

test('cancelling rejects calls that are in progress, calls that wait, and calls in the background queue', async () => {
  const queue = new RequestQueue();
  let answer = (_: string) => {};
  const inProgress = queue.run(
    () =>
      new Promise<string>((resolve) => {
        answer = resolve;
      }),
  );
  const waiting = queue.run(async () => {
    throw tooMany(60_000);
  });
  await allSettled();
  const background = Array.from({ length: 9 }, () =>
    queue.run(async () => 'background', { isBackground: true }),
  );
  const results = Promise.allSettled([inProgress, waiting, ...background]);
  queue.cancelAll();
  answer('too late');
  for (const result of await results) {
    assert.equal(result.status, 'rejected');
    assert.equal(result.reason.error, 'signed_out');
  }
  assert.equal(await queue.run(async () => 'the next one'), 'the next one');
  assert.equal(await queue.run(async () => 'is served', { isBackground: true }), 'is served');
});
