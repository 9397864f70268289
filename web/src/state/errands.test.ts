import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DoormanError } from '../../../client/src/errors.ts';
import { Errands } from './errands.ts';

function tooMany(retryAfterMs: number): DoormanError {
  return new DoormanError(429, 'rate_limited', 'too many', { retryAfterMs });
}

test('what is refused for too many calls goes again when the service says, and all others wait as long', async () => {
  const errands = new Errands();
  const startedAt = Date.now();
  let calls = 0;
  const waits: number[] = [];
  const first = errands.run(
    async () => {
      if (++calls === 1) throw tooMany(300);
      return 'first';
    },
    { onWait: (until) => waits.push(until - startedAt) },
  );
  await new Promise((resolve) => setTimeout(resolve, 20));
  let secondAt = 0;
  const second = errands.run(async () => {
    secondAt = Date.now() - startedAt;
    return 'second';
  });
  assert.deepEqual(await Promise.all([first, second]), ['first', 'second']);
  assert.equal(calls, 2);
  assert.ok(secondAt >= 290 && Date.now() - startedAt < 1_000, `${secondAt} ms`);
  assert.ok(waits.length === 1 && Math.abs((waits[0] ?? 0) - 300) < 50);
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
  await new Promise((resolve) => setTimeout(resolve, 10));
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
