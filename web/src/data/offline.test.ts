import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Offline } from './offline.ts';

test('a connection that is back soon is not reported as lost, and one that stays away is, until it is live', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const offline = new Offline();
  offline.onConnection('live');
  offline.onConnection('connecting');
  t.mock.timers.tick(1_000);
  offline.onConnection('live');
  t.mock.timers.tick(10_000);
  assert.equal(offline.getSnapshot(), false);
  offline.onConnection('waiting');
  t.mock.timers.tick(1_000);
  offline.onConnection('connecting');
  t.mock.timers.tick(1_000);
  assert.equal(offline.getSnapshot(), true, 'the tries in between count as one outage');
  offline.onConnection('waiting');
  offline.onConnection('connecting');
  assert.equal(offline.getSnapshot(), true);
  offline.onConnection('live');
  assert.equal(offline.getSnapshot(), false);
});

test('without a network, and after the service ended the connection, it is so at once', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const offline = new Offline();
  offline.onConnection('live');
  offline.onNetwork(false);
  assert.equal(offline.getSnapshot(), true, 'while the socket still counts as live');
  offline.onConnection('waiting');
  offline.onNetwork(true);
  assert.equal(offline.getSnapshot(), true, 'a network is no connection yet');
  offline.onConnection('live');
  assert.equal(offline.getSnapshot(), false);
  offline.onConnection('stopped');
  assert.equal(offline.getSnapshot(), true);
  offline.onConnection('off');
  assert.equal(offline.getSnapshot(), false, 'a user who is signed out needs no connection');
});
