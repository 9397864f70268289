import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Events, type ServiceEvent } from './hints.ts';

test('every listener hears of every event, in the order in which they came, before publish returns', () => {
  const events = new Events();
  const heard: string[] = [];
  const listen = (name: string) => (event: ServiceEvent) => heard.push(`${name} ${event.type}`);
  events.publish({ type: 'external-change' });
  events.subscribe(listen('first'));
  events.subscribe(listen('second'));
  events.publish({ type: 'user-changed', userId: 'alice' });
  assert.deepEqual(heard, ['first user-changed', 'second user-changed']);
  events.publish({ type: 'external-change' });
  assert.deepEqual(heard.slice(2), ['first external-change', 'second external-change']);
});
