import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDoorman } from 'doorman-client';
import { FailingStorage } from '../../../test/client/failing-storage.ts';
import { waitForStorage } from './storage.ts';

const SESSION = { userId: 'alice', username: 'alice', token: 'a.b.c', renewAt: Number.MAX_SAFE_INTEGER };

test('a storage that opens slowly is waited for, longer than the kit waits for an operation', async () => {
  const storage = new FailingStorage();
  await storage.disk.set('session', SESSION);
  storage.fail('hangs', 'get');
  const restore = () => createDoorman({ baseUrl: 'http://localhost', storage }, { storageMs: 50 }).restore();
  const patient = waitForStorage(storage).then(restore);
  assert.equal(await restore(), undefined, 'the kit alone goes on without the session');
  storage.recover();
  assert.equal((await patient)?.userId, 'alice');
});

test('a storage that rejects or throws is not waited for', async () => {
  for (const failure of ['rejects', 'throws'] as const) {
    const storage = new FailingStorage();
    storage.fail(failure, 'get');
    await waitForStorage(storage);
  }
});

test('a storage that never answers is waited for until the time limit', async () => {
  const storage = new FailingStorage();
  storage.fail('hangs', 'get');
  await waitForStorage(storage, 50);
  assert.equal(storage.failed, 1);
});
