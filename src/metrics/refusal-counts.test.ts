import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusals } from '../http/refusals.ts';
import { openLog } from '../log.ts';
import { RefusalCounts } from './refusal-counts.ts';

test('refusals count by the name of their limit, by their word, or as others', () => {
  const named = new Refusals(openLog('silent'));
  const counts = new RefusalCounts(named);
  named.count('api', '192.0.2.1');
  named.count('account', '192.0.2.1');
  // The limit of changed passwords has the word of the settings' limits, but is none of them.
  for (const word of ['rate_limited', 'rate_limited', 'too_many_logins', 'too_many_messages', 'a_new_word'])
    counts.count(word);
  named.report();
  const { api, auth, account, too_many_messages: messages, overloaded, other } = counts.read();
  assert.deepEqual(
    { api, auth, account, messages, overloaded, other },
    {
      api: 1,
      auth: 0,
      account: 1,
      messages: 1,
      overloaded: 0,
      other: 2,
    },
  );
});
