import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLog } from '../../log.ts';
import { openSecurityLog } from './security-log.ts';

/** A log, and its lines so far without their level and time. */
function open() {
  const lines: string[] = [];
  const log = openSecurityLog(openLog('info', { write: (line: string) => void lines.push(line) }));
  const read = (): object[] =>
    lines.map((line) => JSON.parse(line)).map(({ level, time, ...fields }) => fields);
  return { log, read };
}

test('an act is one line with a word, the user and the network; several at once are one line with their number', () => {
  const { log, read } = open();
  log.write('signed_in', 'u1', '198.51.100.7');
  log.write('session_ended', 'u1', '2001:db8:1:2::/64', 3);
  log.write('link_made', 'u1');
  log.write('session_ended', 'u1', '198.51.100.7', 0);
  assert.deepEqual(read(), [
    { event: 'signed_in', userId: 'u1', network: '198.51.100.0/24', msg: 'security' },
    { event: 'session_ended', userId: 'u1', network: '2001:db8:1::/48', count: 3, msg: 'security' },
    { event: 'link_made', userId: 'u1', msg: 'security' },
  ]);
});

test('failed sign-ins and refusals are one line for each user, network and limit at a report, with their number', () => {
  const { log, read } = open();
  for (const host of [1, 2, 3]) log.failedSignIn('u1', `198.51.100.${host}`);
  log.failedSignIn(undefined, '198.51.100.1');
  log.refused({ word: 'rate_limited', limit: undefined }, 'u1', '203.0.113.1');
  log.refused({ word: 'too_many_messages', limit: undefined }, 'u1', '203.0.113.1');
  log.refused({ word: 'rate_limited', limit: undefined }, undefined, '203.0.113.1');
  log.refused({ word: 'overloaded', limit: undefined }, 'u1', '203.0.113.1');
  assert.deepEqual(read(), []);
  log.report();
  const [near, far] = [{ network: '198.51.100.0/24', msg: 'security' }, { network: '203.0.113.0/24' }];
  assert.deepEqual(read(), [
    { event: 'sign_in_failed', userId: 'u1', count: 3, ...near },
    { event: 'sign_in_failed', ...near },
    { event: 'refused', limit: 'rate_limited', userId: 'u1', ...far, msg: 'security' },
    { event: 'refused', limit: 'too_many_messages', userId: 'u1', ...far, msg: 'security' },
    { event: 'refused', limit: 'rate_limited', ...far, msg: 'security' },
  ]);
  log.report();
  assert.equal(read().length, 5);
});

test('at most 1,000 users and networks are counted in a minute; all others share one line of each word', () => {
  const { log, read } = open();
  for (let i = 0; i < 100_000; i++) log.failedSignIn(`u${i}`, `10.${(i >> 8) & 255}.${i & 255}.1`);
  for (let i = 0; i < 50; i++) log.refused({ word: 'rate_limited', limit: undefined }, `u${i}`, '192.0.2.1');
  log.failedSignIn('u7', '10.0.7.1');
  log.report();
  assert.equal(read().length, 1002);
  assert.deepEqual(read().slice(-2), [
    { event: 'sign_in_failed', count: 99_000, msg: 'security' },
    { event: 'refused', count: 50, msg: 'security' },
  ]);
  const line = read().find((fields) => 'userId' in fields && fields.userId === 'u7');
  assert.deepEqual(line, {
    event: 'sign_in_failed',
    userId: 'u7',
    network: '10.0.7.0/24',
    count: 2,
    msg: 'security',
  });
});
