import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Events, type ServiceEvent } from './hints.ts';

test('every listener gets every hint, in the order of subscription, before publish returns', () => {
  const events = new Events();
  const received: string[] = [];
  const listen = (name: string) => (event: ServiceEvent) => received.push(`${name} ${event.type}`);
  events.publish({ type: 'external-change' });
  events.subscribe(listen('first'));
  events.subscribe(listen('second'));
  events.publish({ type: 'user-changed', userId: 'alice' });
  assert.deepEqual(received, ['first user-changed', 'second user-changed']);
  events.publish({ type: 'external-change' });
  assert.deepEqual(received.slice(2), ['first external-change', 'second external-change']);
});
