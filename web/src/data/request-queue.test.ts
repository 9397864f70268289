import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as allSettled } from 'node:timers/promises';
import { DoormanError } from 'doorman-client';
import { Errands } from './request-queue.ts';

function tooMany(retryAfterMs: number): DoormanError {
  return new DoormanError(429, 'rate_limited', 'too many', { retryAfterMs });
}

test('what is refused for too many calls goes again when the service says, and all others wait as long', async (t) => {
  const startedAt = 1_800_000_000_000;
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: startedAt });
  const errands = new Errands();
  let calls = 0;
  const waits: number[] = [];
  const first = errands.run(
    async () => {
      if (++calls === 1) throw tooMany(300);
      return 'first';
    },
    { onWait: (until) => waits.push(until - startedAt) },
  );
  await allSettled();
  const second = errands.run(async () => {
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

test('any other refusal is told at once', async () => {
  const errands = new Errands();
  const refuse = async () => {
    throw new DoormanError(404, 'user_not_found', 'nobody');
  };
  await assert.rejects(errands.run(refuse), /user_not_found/);
  await assert.rejects(
    errands.act(async () => {
      throw tooMany(50);
    }),
    /rate_limited/,
  );
});

test('whoever leaves gets no answer: neither what is under way, nor what waits, nor what stands in line', async () => {
  const errands = new Errands();
  let answer = (_: string) => {};
  const underWay = errands.run(
    () =>
      new Promise<string>((resolve) => {
        answer = resolve;
      }),
  );
  const waiting = errands.run(async () => {
    throw tooMany(60_000);
  });
  await allSettled();
  const background = Array.from({ length: 9 }, () =>
    errands.run(async () => 'background', { isBackground: true }),
  );
  const outcomes = Promise.allSettled([underWay, waiting, ...background]);
  errands.leave();
  answer('too late');
  for (const outcome of await outcomes) {
    assert.equal(outcome.status, 'rejected');
    assert.equal(outcome.reason.error, 'signed_out');
  }
  assert.equal(await errands.run(async () => 'the next one'), 'the next one');
  assert.equal(await errands.run(async () => 'is served', { isBackground: true }), 'is served');
});
