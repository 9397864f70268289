import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../errors.ts';
import { openSecurityLog } from '../http/log/security-log.ts';
import { openLog } from '../log.ts';
import { refusalsByLimit } from './refusal-counts.ts';

test('refusals count by the name of their limit, by their word, or as others', () => {
  const log = openSecurityLog(openLog('silent'));
  // The limit of changed passwords has the word of the settings' limits, but is none of them.
  for (const [word, limit] of [
    ['rate_limited', 'api'],
    ['rate_limited'],
    ['too_many_logins'],
    ['too_many_messages'],
    ['a_new_word'],
  ] as const)
    log.refused(new ServiceError('rate-limited', word, '', { ...(limit && { limit }) }), 'u1', '192.0.2.1');
  log.report();
  const counts = refusalsByLimit(log.refusals);
  const { api, auth, account, too_many_messages: messages, overloaded, other } = counts;
  assert.deepEqual(
    { api, auth, account, messages, overloaded, other },
    { api: 1, auth: 0, account: 1, messages: 1, overloaded: 0, other: 2 },
  );
});
