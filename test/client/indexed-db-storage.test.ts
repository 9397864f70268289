import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createDoorman, openStorage } from 'doorman-client';

/** A browser with this `indexedDB.open`; Node has none. */
function browserWith(t: TestContext, open: () => object): void {
  Object.defineProperty(globalThis, 'indexedDB', { value: { open }, configurable: true });
  t.after(() => Reflect.deleteProperty(globalThis, 'indexedDB'));
}

test('a kit on a database that never opens continues in memory', async (t) => {
  browserWith(t, () => ({}));
  const doorman = createDoorman({ baseUrl: 'http://localhost' }, { storageMs: 50 });
  const states: unknown[] = [];
  doorman.on('storage', (event) => states.push(event));
  assert.equal(await doorman.restore(), undefined);
  await doorman.storage.set('program/a', 1);
  assert.equal(await doorman.storage.get('program/a'), 1);
  assert.deepEqual(states, [{ state: 'memory' }]);
});

test('a kit on a database that the browser refuses continues in memory', async (t) => {
  const error = new DOMException('not here', 'SecurityError');
  browserWith(t, () => {
    throw error;
  });
  const doorman = createDoorman({ baseUrl: 'http://localhost' });
  const states: unknown[] = [];
  doorman.on('storage', (event) => states.push(event));
  await doorman.storage.set('program/a', 1);
  assert.equal(await doorman.storage.get('program/a'), 1);
  assert.deepEqual(states, [{ state: 'memory', error }]);
});

test('a database that the browser refused once is opened at the next operation', async (t) => {
  const requests: { onerror?: () => void; error?: Error }[] = [];
  browserWith(t, () => {
    requests.push({ error: new Error('not now') });
    return requests.at(-1) ?? {};
  });
  const storage = openStorage();
  const first = storage.get('a');
  requests[0]?.onerror?.();
  await assert.rejects(first, /not now/);
  const second = storage.get('a');
  requests[1]?.onerror?.();
  await assert.rejects(second, /not now/);
  assert.equal(requests.length, 2);
});
