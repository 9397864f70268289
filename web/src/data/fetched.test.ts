import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as allSettled } from 'node:timers/promises';
import { DoormanError } from 'doorman-client';
import { Fetched } from './fetched.ts';

/** A fetched text whose requests the test answers one by one. */
function open(freshMs?: number) {
  const requests: PromiseWithResolvers<string>[] = [];
  const waits: ((until: number) => void)[] = [];
  const request = (onWait: (until: number) => void) => {
    const answer = Promise.withResolvers<string>();
    requests.push(answer);
    waits.push(onWait);
    return answer.promise;
  };
  const fetched = new Fetched(request, freshMs);
  return { fetched, requests, waits, request };
}

const UNREACHABLE = new DoormanError(0, 'unreachable', 'no answer');

test('a value is fetched once, and again when it is no longer fresh', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1_800_000_000_000 });
  const { fetched, requests } = open(60_000);
  const seen: unknown[] = [];
  fetched.subscribe(() => seen.push(fetched.getSnapshot()));
  fetched.ensure();
  fetched.ensure();
  requests[0]?.resolve('one');
  await allSettled();
  t.mock.timers.tick(60_000);
  fetched.ensure();
  assert.equal(requests.length, 1);
  assert.deepEqual(
    seen.map((state) => JSON.stringify(state)),
    ['{"isLoading":true}', '{"value":"one","isLoading":false}'],
  );
  t.mock.timers.tick(1);
  fetched.ensure();
  assert.equal(requests.length, 2);
  assert.deepEqual(fetched.getSnapshot(), { value: 'one', error: undefined, isLoading: true });
});

test('the result of a fetch that another one has overtaken is dropped, also an error and a pause', async () => {
  const { fetched, requests, waits } = open();
  fetched.refresh();
  fetched.refresh();
  fetched.refresh();
  requests[0]?.resolve('late');
  requests[1]?.reject(UNREACHABLE);
  waits[0]?.(5);
  await allSettled();
  assert.deepEqual(fetched.getSnapshot(), { value: undefined, error: undefined, isLoading: true });
  waits[2]?.(7);
  assert.equal(fetched.getSnapshot().waitsUntil, 7);
  requests[2]?.resolve('latest');
  await allSettled();
  assert.deepEqual(fetched.getSnapshot(), { value: 'latest', isLoading: false });
});

test('an error leaves the value, and what failed is repeated when the connection is back', async () => {
  const { fetched, requests, request } = open();
  fetched.retry();
  assert.equal(requests.length, 0, 'nothing has failed');
  fetched.setValue('known');
  fetched.extend(async (onWait) => `${fetched.getSnapshot().value} and ${await request(onWait)}`);
  requests[0]?.reject(UNREACHABLE);
  await allSettled();
  assert.deepEqual(fetched.getSnapshot(), { value: 'known', error: UNREACHABLE, isLoading: false });
  assert.equal(fetched.failure, 'unreachable');
  fetched.retry();
  assert.deepEqual([fetched.failure, fetched.getSnapshot().error], [undefined, UNREACHABLE]);
  requests[1]?.resolve('more');
  await allSettled();
  assert.deepEqual(fetched.getSnapshot(), { value: 'known and more', isLoading: false });
});

test('an update is unseen: it does not load, and its error is not shown', async () => {
  const { fetched, requests } = open();
  fetched.setValue('known');
  fetched.update();
  assert.deepEqual(fetched.getSnapshot(), { value: 'known', error: undefined, isLoading: false });
  requests[0]?.reject(UNREACHABLE);
  await allSettled();
  assert.deepEqual(fetched.getSnapshot(), { value: 'known', error: undefined, isLoading: false });
  fetched.update();
  requests[1]?.resolve('newer');
  await allSettled();
  assert.deepEqual(fetched.getSnapshot(), { value: 'newer', isLoading: false });
});

test('an update ends the fetch that it overtakes, also by its error', async () => {
  const { fetched, requests } = open();
  fetched.refresh();
  fetched.update();
  requests[0]?.resolve('late');
  requests[1]?.reject(UNREACHABLE);
  await allSettled();
  assert.deepEqual(fetched.getSnapshot(), { value: undefined, error: UNREACHABLE, isLoading: false });
});

test('a longer value is no fresher, a value that came in another way is', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1_800_000_000_000 });
  const { fetched, requests } = open(1_000);
  fetched.setValue('set');
  fetched.ensure();
  assert.equal(requests.length, 0);
  t.mock.timers.tick(1_001);
  fetched.extend(async () => 'longer');
  await allSettled();
  fetched.ensure();
  assert.equal(requests.length, 1);
});

test('a cleared value is fetched again, and the result of the fetch before is dropped', async () => {
  const { fetched, requests } = open(60_000);
  fetched.setValue('known');
  fetched.refresh();
  fetched.clear();
  requests[0]?.resolve('of the user before');
  await allSettled();
  assert.deepEqual(fetched.getSnapshot(), { isLoading: false });
  fetched.ensure();
  assert.equal(requests.length, 2);
});
