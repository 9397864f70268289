import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, readCompared, readToPage, readToWorker } from './messages.ts';

test('a page understands its worker', () => {
  assert.deepEqual(readToPage({ doorman: 'open', path: '/chat/1' }), { doorman: 'open', path: '/chat/1' });
  assert.deepEqual(readToPage({ doorman: 'push-changed' }), { doorman: 'push-changed' });
});

test('a page opens no paths but its own', () => {
  for (const path of ['//evil.example/', 'https://evil.example/', '/api/logout', 7, undefined])
    assert.equal(readToPage({ doorman: 'open', path }), undefined);
});

test('the worker understands its pages', () => {
  assert.deepEqual(readToWorker({ doorman: 'take-over' }), { doorman: 'take-over' });
  const compare = { doorman: 'compare', files: ['/assets/a.js'] };
  assert.deepEqual(readToWorker(compare), compare);
});

test('messages of others are ignored', () => {
  for (const data of [undefined, null, 'open', 7, [], {}, { doorman: 'x' }, { type: 'open', path: '/' }]) {
    assert.equal(readToPage(data), undefined);
    assert.equal(readToWorker(data), undefined);
  }
  assert.equal(readToWorker({ doorman: 'compare', files: 'all' }), undefined);
});

test('an empty answer means another build', () => {
  assert.deepEqual(readCompared({ same: true, alone: true }), { same: true, alone: true });
  for (const data of [undefined, {}, { same: 1, alone: 'yes' }])
    assert.deepEqual(readCompared(data), { same: false, alone: false });
});

test('an answer comes on the port, and a missing one ends with the timeout', async () => {
  const message = { doorman: 'open', path: '/' } as const;
  const answering = { postMessage: (_: unknown, [port]: MessagePort[]) => port?.postMessage('shown') };
  assert.equal(await ask(answering, message, 60_000), 'shown');
  assert.equal(await ask({ postMessage: () => {} }, message, 1), undefined);
});
