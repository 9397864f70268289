import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DoormanError } from 'doorman-client';
import { TEXTS } from '../../test/texts.ts';
import { entrySentence, errorSentence, errorWordSentence } from './error-sentence.ts';

const root = join(import.meta.dirname, '../../..');

/** Refusals that only a program with a wrong use of the protocol gets, never a user of the page. */
const NEVER_HERE = new Set([
  'hello_first',
  'hello_twice',
  'other_session',
  'unknown_frame',
  'origin',
  'bad_cursor',
  // The list of people shows that no one is found.
  'bad_query',
  'route_not_found',
  'subscription_confirmed',
  'page_not_built',
  'report_self',
  'nothing_to_change',
  // The dialog and the bar of a request have sentences of their own.
  'too_many_reports',
  'no_request',
  // The sign-in asks whether to keep the account.
  'account_leaving',
  // Of a download, which the browser reports.
  'export_not_found',
  // The form of quiet hours looks at the windows itself, and sends the browser's own time zone.
  'window_invalid',
  'time_zone_unknown',
  // Only a backend is refused with these, by its API key.
  'user_deleted',
  'username_fixed',
]);

test('there is a sentence for each word that the service refuses a user with', () => {
  const words = globSync('src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] }).flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return [
      ...text.matchAll(/new ServiceError\(\s*'[\w-]+',\s*'(\w+)'/g),
      ...text.matchAll(/: Refusal = \['(\w+)'/g),
      ...text.matchAll(/ok: false, word: '(\w+)'/g),
    ].map(([, word = '']) => word);
  });
  assert.ok(
    words.includes('username_taken') && words.includes('not_accepting') && words.includes('endpoint_private'),
  );
  const other = TEXTS.en.errorTexts.other;
  const missing = [...new Set(words)].filter(
    (word) => !NEVER_HERE.has(word) && errorWordSentence(word, 'en') === other,
  );
  assert.deepEqual(missing, []);
});

test('there is a sentence for each word that the kit refuses with', () => {
  // What was discarded shows no error, no message of the composer fills a frame, and the page has no `getToken`.
  const neverHere = ['discarded', 'frame_too_large', 'no_token'];
  const words = globSync('client/src/**/*.ts', { cwd: root }).flatMap((file) =>
    [
      ...readFileSync(join(root, file), 'utf8').matchAll(
        /new DoormanError\(\d+, '(\w+)'|export const [A-Z_]+_REJECTED = '(\w+)'/g,
      ),
    ].map(([, word = '', named = '']) => word || named),
  );
  for (const word of ['cid_used', 'bad_text', 'frame_rejected']) assert.ok(words.includes(word), word);
  for (const language of ['en', 'zh'] as const) {
    const { other } = TEXTS[language].errorTexts;
    const missing = words.filter((word) => errorWordSentence(word, language) === other);
    assert.deepEqual(
      missing.filter((word) => !neverHere.includes(word)),
      [],
    );
  }
});

test('the sentence says how long to wait', () => {
  const limited = (retryAfterMs?: number) =>
    new DoormanError(429, 'rate_limited', '请求过于频繁', {
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
  assert.equal(errorSentence(limited(1_000), 'en'), 'Too many attempts. Try again in 1 second.');
  assert.equal(errorSentence(limited(29_400), 'en'), 'Too many attempts. Try again in 30 seconds.');
  assert.equal(errorSentence(limited(600_000), 'en'), 'Too many attempts. Try again in 10 minutes.');
  assert.equal(errorSentence(limited(29_400), 'zh'), '操作太频繁，请在 30 秒后再试。');
  assert.equal(errorSentence(limited(), 'en'), 'Too many attempts. Wait a moment and try again.');
});

test('for registrations and logins, a limit names the network, and when to try again', () => {
  const limited = (more: { retryAfterMs?: number }) =>
    new DoormanError(429, 'rate_limited', '请求过于频繁', more);
  assert.equal(
    entrySentence(limited({ retryAfterMs: 700_000 }), 'en'),
    'Too many sign-ins and new accounts from this network. Try again in 12 minutes.',
  );
  assert.equal(
    entrySentence(limited({ retryAfterMs: 700_000 }), 'zh'),
    '此网络的登录和注册次数过多，请在 12 分钟后再试。',
  );
  assert.equal(
    entrySentence(limited({}), 'en'),
    'Too many sign-ins and new accounts from this network. Wait a moment and try again.',
  );
  assert.equal(entrySentence(limited({}), 'zh'), '此网络的登录和注册次数过多，请稍后再试。');
  const wrong = new DoormanError(400, 'wrong_password', '密码错误');
  assert.equal(entrySentence(wrong, 'en'), errorSentence(wrong, 'en'));
});

test('of a suspension the sentence has the end and the reason, as far as the operator gave them', () => {
  const until = new Date(2026, 11, 24, 18).getTime();
  const suspended = (reason: string, until: number) =>
    new DoormanError(403, 'account_suspended', '账号已停用', { suspension: { reason, until } });
  const plain = 'This account has been suspended. Contact the administrator.';
  assert.equal(entrySentence(suspended('', 0), 'en'), plain);
  assert.equal(entrySentence(suspended('spam', 0), 'en'), `${plain} Reason: spam`);
  const end = 'This account is suspended until 24 Dec 2026, 18:00.';
  assert.equal(entrySentence(suspended('', until), 'en'), end);
  assert.equal(entrySentence(suspended('spam', until), 'en'), `${end} Reason: spam`);
  assert.equal(
    entrySentence(suspended('垃圾信息', until), 'zh'),
    '该账号已被停用，将于 2026年12月24日 18:00 恢复。原因：垃圾信息',
  );
});

test('an unknown error has a sentence of its own, without technical words', () => {
  const other = 'Something went wrong. Please try again.';
  assert.equal(errorSentence(new DoormanError(400, 'toString', 'x'), 'en'), other);
  assert.equal(errorSentence(new TypeError('undefined is not a function'), 'en'), other);
  assert.equal(errorSentence('nothing', 'en'), other);
});
