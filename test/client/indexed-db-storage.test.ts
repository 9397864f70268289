import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { IndexedDbStorage } from '../../client/src/indexed-db-storage.ts';

/** A browser whose database never answers, or late; Node has none. */
function hangingDatabase(t: TestContext) {
  const request: { onsuccess?: () => void; result?: unknown } = {};
  Object.defineProperty(globalThis, 'indexedDB', { value: { open: () => request }, configurable: true });
  t.after(() => Reflect.deleteProperty(globalThis, 'indexedDB'));
  return request;
}

test('a database that never answers is done without, after ten seconds', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  hangingDatabase(t);
  const storage = new IndexedDbStorage('doorman');
  const kept = storage.set('a', 1);
  t.mock.timers.tick(9_999);
  const isDone = await Promise.race([kept.then(() => true), new Promise((resolve) => setImmediate(resolve))]);
  assert.equal(isDone, undefined);
  t.mock.timers.tick(1);
  await kept;
  assert.equal(await storage.get('a'), 1);
});

test('one that answers after that is closed, and nothing is parted between the two', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const request = hangingDatabase(t);
  const storage = new IndexedDbStorage('doorman');
  const kept = storage.set('a', 1);
  t.mock.timers.tick(10_000);
  await kept;
  let closed = 0;
  request.result = { close: () => closed++ };
  request.onsuccess?.();
  assert.equal(closed, 1);
  assert.equal(await storage.get('a'), 1);
});
