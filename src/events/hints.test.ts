import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Events, type Origin, type ServiceEvent } from './hints.ts';

test('every listener gets every hint, in the order of subscription, before publish returns', () => {
  const events = new Events();
  const received: string[] = [];
  const listen = (name: string) => (event: ServiceEvent, origin: Origin) =>
    received.push(`${name} ${event.type} ${origin}`);
  events.publish({ type: 'external-change' });
  events.subscribe(listen('first'));
  events.subscribe(listen('second'));
  events.publish({ type: 'user-changed', userId: 'alice' });
  assert.deepEqual(received, ['first user-changed own', 'second user-changed own']);
  events.receive({ type: 'external-change' });
  assert.deepEqual(received.slice(2), ['first external-change other', 'second external-change other']);
});

test('changes are shared when each listener has resolved; without one, or without changes, at once', async () => {
  const events = new Events();
  const ids = ['1'];
  await events.shareChanges(ids);
  const shared: (readonly string[])[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  events.onChanges((given) => void shared.push(given));
  events.onChanges(() => promise);
  await events.shareChanges([]);
  assert.deepEqual(shared, []);
  let isAnswered = false;
  const answered = events.shareChanges(ids).then(() => {
    isAnswered = true;
  });
  await setImmediate();
  assert.deepEqual([shared, isAnswered], [[ids], false]);
  resolve();
  await answered;
});
