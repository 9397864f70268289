import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Listeners } from '../../client/src/emitter.ts';

test('a listener hears until it is ended, also one that was added twice', () => {
  const listeners = new Listeners();
  const heard: string[] = [];
  const hear = ({ from }: { from: string }) => heard.push(from);
  const endFirst = listeners.on('typing', hear);
  listeners.on('typing', hear);
  listeners.tell('typing', { from: 'a' });
  endFirst();
  endFirst();
  listeners.tell('typing', { from: 'b' });
  listeners.tell('block', { userId: 'c', seq: 1 });
  assert.deepEqual(heard, ['a', 'a', 'b']);
});

test('one that throws harms no other, and is reported', (t) => {
  const listeners = new Listeners();
  const reported: unknown[] = [];
  const heard: string[] = [];
  const error = new Error('mine');
  listeners.on('typing', () => {
    throw error;
  });
  listeners.on('typing', ({ from }) => heard.push(from));

  Object.assign(globalThis, { reportError: (what: unknown) => reported.push(what) });
  t.after(() => Reflect.deleteProperty(globalThis, 'reportError'));
  listeners.tell('typing', { from: 'a' });
  assert.deepEqual([heard, reported], [['a'], [error]]);
});

test('where there is no reportError, it is an error that nobody caught', (t) => {
  const queued: (() => void)[] = [];
  t.mock.method(globalThis, 'queueMicrotask', (task: () => void) => void queued.push(task));
  const listeners = new Listeners();
  listeners.on('typing', () => {
    throw new Error('mine');
  });
  listeners.tell('typing', { from: 'a' });
  assert.equal(queued.length, 1);
  assert.throws(() => queued[0]?.(), /mine/);
});

test('one that ends another while it is told does not take it from the others', () => {
  const listeners = new Listeners();
  const heard: string[] = [];
  listeners.on('typing', () => {
    listeners.on('typing', () => heard.push('late'));
    heard.push('first');
  });
  listeners.on('typing', () => heard.push('second'));
  listeners.tell('typing', { from: 'a' });
  assert.deepEqual(heard, ['first', 'second']);
});
