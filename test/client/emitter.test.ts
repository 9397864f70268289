import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Emitter } from '../../client/src/emitter.ts';

interface Events {
  typing: { from: string };
  block: { userId: string };
}

test('a listener is called until it is removed, also one that was added twice', () => {
  const emitter = new Emitter<Events>();
  const calls: string[] = [];
  const listener = ({ from }: { from: string }) => calls.push(from);
  const removeFirst = emitter.on('typing', listener);
  emitter.on('typing', listener);
  emitter.emit('typing', { from: 'a' });
  removeFirst();
  removeFirst();
  emitter.emit('typing', { from: 'b' });
  emitter.emit('block', { userId: 'c' });
  assert.deepEqual(calls, ['a', 'a', 'b']);
});

test('the error of a listener is reported, and does not stop other listeners', (t) => {
  const emitter = new Emitter<Events>();
  const reported: unknown[] = [];
  const calls: string[] = [];
  const error = new Error('mine');
  emitter.on('typing', () => {
    throw error;
  });
  emitter.on('typing', ({ from }) => calls.push(from));

  Object.assign(globalThis, { reportError: (what: unknown) => reported.push(what) });
  t.after(() => Reflect.deleteProperty(globalThis, 'reportError'));
  emitter.emit('typing', { from: 'a' });
  assert.deepEqual([calls, reported], [['a'], [error]]);
});

test('without reportError the error is thrown uncaught', (t) => {
  const queued: (() => void)[] = [];
  t.mock.method(globalThis, 'queueMicrotask', (task: () => void) => void queued.push(task));
  const emitter = new Emitter<Events>();
  emitter.on('typing', () => {
    throw new Error('mine');
  });
  emitter.emit('typing', { from: 'a' });
  assert.equal(queued.length, 1);
  assert.throws(() => queued[0]?.(), /mine/);
});

test('a listener that is added during an event is called from the next event on', () => {
  const emitter = new Emitter<Events>();
  const calls: string[] = [];
  emitter.on('typing', () => {
    emitter.on('typing', () => calls.push('late'));
    calls.push('first');
  });
  emitter.on('typing', () => calls.push('second'));
  emitter.emit('typing', { from: 'a' });
  assert.deepEqual(calls, ['first', 'second']);
});
