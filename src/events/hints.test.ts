import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type Change, Events, type Origin, type ServiceEvent } from './hints.ts';

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

test('changes are announced until each announcer has resolved; without one, or without changes, at once', async () => {
  const events = new Events();
  const changes: Change[] = [{ id: '1', kind: 'user-changed', subject: 'alice' }];
  await events.announce(changes);
  const announced: (readonly Change[])[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  events.onAnnounce((given) => void announced.push(given));
  events.onAnnounce(() => promise);
  await events.announce([]);
  assert.deepEqual(announced, []);
  let isAnswered = false;
  const answered = events.announce(changes).then(() => {
    isAnswered = true;
  });
  await setImmediate();
  assert.deepEqual([announced, isAnswered], [[changes], false]);
  resolve();
  await answered;
});
