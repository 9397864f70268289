import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountLogEntry } from 'doorman-client';
import { TEXTS } from '../../../../test/texts.ts';
import { actSentence } from './act-sentence.ts';

type Detail = AccountLogEntry['detail'];

function sentence(language: 'en' | 'zh', what: string, detail: Detail = {}): string {
  const entry = { id: '1', at: 0, session: '', device: '', address: '', what, detail } as AccountLogEntry; // also of a newer service
  const { acts } = TEXTS[language].settings;
  return actSentence(entry, { texts: acts, device: (agent) => `<${agent}>`, time: (at) => `at ${at}` });
}

/** Each act with what the service says of it. */
const ACTS: Record<AccountLogEntry['what'], [detail: Detail, english: string][]> = {
  signed_up: [[{}, 'You created this account']],
  signed_in: [
    [{}, 'Signed in'],
    [{ notice: 'new_sign_in' }, 'Signed in from a new device and network'],
  ],
  sign_in_failed: [
    [{ n: 1 }, 'A sign-in failed: wrong password'],
    [{ n: 12 }, '12 sign-ins failed: wrong password'],
  ],
  signed_out: [[{}, 'Signed out']],
  session_ended: [
    [{ device: 'curl' }, '<curl> was signed out from another device'],
    [{ by: 'idle', device: 'curl' }, '<curl> was signed out, as it hadn’t been used for long'],
    [{ device: '' }, 'a device was signed out from another device'],
  ],
  sessions_ended: [
    [{ n: 1 }, 'One other device was signed out'],
    [{ n: 3 }, '3 other devices were signed out'],
    [{ by: 'surplus', n: 2 }, '2 devices were signed out, as too many were signed in'],
  ],
  password_changed: [[{ ended: 2 }, 'Password changed']],
  password_reset: [[{ ended: 2 }, 'New password set by a link']],
  link_made: [[{ by: 'operator' }, 'The administrator made a link to set a new password']],
  email_verified: [[{}, 'Recovery address confirmed']],
  email_changed: [[{}, 'Recovery address changed']],
  email_removed: [[{}, 'Recovery address removed']],
  blocked: [[{ user: '1', username: 'bob' }, 'You blocked bob']],
  unblocked: [[{}, 'You unblocked a person']],
  suspended: [
    [{ by: 'operator' }, 'Account suspended'],
    [{ until: 7 }, 'Account suspended until at 7'],
  ],
  restored: [[{ by: 'time' }, 'Account restored']],
  deletion_asked: [[{ until: 7 }, 'Account set to be deleted']],
  deletion_undone: [[{}, 'Account kept']],
  export_made: [[{}, 'Data downloaded']],
  mail: [
    [{ kind: 'forgot', job: '1' }, 'Email sent: link to set a new password'],
    [{ kind: 'of a newer service' }, 'Email sent'],
  ],
};

test('each act has a sentence in both languages, and one of a newer service a general one', () => {
  for (const [what, cases] of Object.entries(ACTS))
    for (const [detail, english] of cases) {
      assert.equal(sentence('en', what, detail), english);
      assert.notEqual(sentence('zh', what, detail), sentence('zh', 'of a newer service'), what);
    }
  assert.equal(sentence('en', 'of a newer service'), 'Something else happened');
});
