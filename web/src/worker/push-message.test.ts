import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText, anyUrl } from '../../../test/any-text.ts';
import { isPagePath } from '../paths.ts';
import { readPushMessage } from './push-message.ts';

const ORIGIN = 'https://chat.example.org';
const FALLBACK = {
  title: 'Doorman',
  body: 'New message',
  lang: '',
  tag: 'doorman',
  path: '/',
  badge: undefined,
  receipt: undefined,
};

test('the content that the service sends is shown', () => {
  const payload = JSON.stringify({
    web_push: 8030,
    notification: {
      title: '小明 <b>\u202eX</b>',
      lang: 'zh-CN',
      dir: 'auto',
      body: '3 条新消息\nhi & bye',
      navigate: `${ORIGIN}/chat/0199`,
      tag: 'chat-0199',
    },
    app_badge: 4,
    doorman: { receipt: 'r-1' },
  });
  assert.deepEqual(read(payload), {
    title: '小明 <b>\u202eX</b>',
    body: '3 条新消息\nhi & bye',
    lang: 'zh-CN',
    tag: 'chat-0199',
    path: '/chat/0199',
    badge: 4,
    receipt: 'r-1',
  });
});

test('a push without a usable payload is shown as a new message', () => {
  const empty = [
    undefined,
    '',
    ' ',
    '{}',
    '[]',
    'null',
    '0',
    '"text"',
    '{"notification":null}',
    '{"notification":[]}',
  ];
  const broken = ['{', '{"notification":{"title":"Alice"}', '\0', 'title=Alice', '['.repeat(5_000), '\ufffd'];
  for (const payload of [...empty, ...broken])
    assert.deepEqual(read(payload), FALLBACK, String(payload).slice(0, 50));
});

test('the default text is in the language that the push says, whatever that of the browser', () => {
  const shown = (lang: unknown, language: string) => {
    const payload = JSON.stringify({ notification: { title: 'Alice', lang } });
    const { body, ...message } = readPushMessage(payload, { origin: ORIGIN, language });
    return [body, message.lang];
  };
  assert.deepEqual(shown('zh-CN', 'en'), ['新消息', 'zh-CN']);
  assert.deepEqual(shown('en', 'zh-CN'), ['New message', 'en']);
  for (const lang of [undefined, '', 7, null, ['zh'], 'zh_CN', 'zh"', 'z'.repeat(36), '中文'])
    assert.deepEqual(shown(lang, 'en'), ['New message', ''], String(lang));
});

test('without one, the default text is in the language of the browser', () => {
  for (const [language, body] of [
    ['zh', '新消息'],
    ['zh-CN', '新消息'],
    ['zh-Hant-TW', '新消息'],
    ['en-GB', 'New message'],
    ['de', 'New message'],
    ['', 'New message'],
  ] as const)
    assert.equal(readPushMessage('', { origin: ORIGIN, language }).body, body);
});

test('a field of the wrong type is replaced alone', () => {
  for (const wrong of [0, true, null, {}, ['Mallory'], '', ' \n', '\u200b\u202e']) {
    const notification = { title: wrong, body: wrong, tag: wrong, navigate: wrong };
    assert.deepEqual(read(JSON.stringify({ notification })), FALLBACK, JSON.stringify(wrong));
  }
  const notification = { title: 'Alice', body: 7, navigate: '//evil.example', tag: 'chat-1' };
  assert.deepEqual(read(JSON.stringify({ notification, app_badge: '4', doorman: 'r' })), {
    ...FALLBACK,
    title: 'Alice',
    tag: 'chat-1',
  });
});

test('texts longer than any of ours are cut, between characters', () => {
  const { title, body } = read(
    JSON.stringify({ notification: { title: `${'a'.repeat(198)}😀bc`, body: '字'.repeat(2_000) } }),
  );
  assert.equal(title, `${'a'.repeat(198)}…`);
  assert.equal(body, `${'字'.repeat(1_499)}…`);
});

test('a payload larger than any push is not read', () => {
  const payload = JSON.stringify({ notification: { title: 'Mallory' }, more: 'x'.repeat(8_192) });
  assert.deepEqual(read(payload), FALLBACK);
});

test('a badge is a count, a receipt a text of modest length', () => {
  for (const badge of [-1, 1.5, 2 ** 53, '3', null, true, [3]])
    assert.equal(read(JSON.stringify({ app_badge: badge })).badge, undefined, String(badge));
  assert.equal(read('{"app_badge":0}').badge, 0);
  for (const receipt of ['', 'r'.repeat(501), 7, null, { a: 1 }])
    assert.equal(read(JSON.stringify({ doorman: { receipt } })).receipt, undefined);
});

test('any payload gives something to show, with a path of the page', () => {
  const field = fc.oneof(anyText(), anyUrl('http', 'https'), fc.jsonValue(), fc.constant('__proto__'));
  const shaped = fc
    .record(
      {
        web_push: field,
        notification: fc.oneof(
          field,
          fc.record(
            { title: field, body: field, lang: field, navigate: field, tag: field },
            { requiredKeys: [] },
          ),
        ),
        app_badge: field,
        doorman: fc.oneof(field, fc.record({ receipt: field }, { requiredKeys: [] })),
      },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value));
  const anything = fc.oneof(fc.constant(undefined), anyText({ maxLength: 10_000 }), fc.json(), shaped);
  fc.assert(
    fc.property(anything, (payload) => {
      const { title, body, lang, tag, path, badge, receipt } = read(payload);
      for (const text of [title, body, tag]) {
        assert.match(text, /[\p{L}\p{N}\p{P}\p{S}]/u);
        assert.ok(text.isWellFormed());
      }
      assert.match(lang, /^[\w-]{0,35}$/);
      assert.ok(title.length <= 200 && body.length <= 1_500 && tag.length <= 200);
      assert.equal(new URL(path, ORIGIN).origin, ORIGIN);
      assert.ok(isPagePath(path));
      assert.ok(badge === undefined || (Number.isSafeInteger(badge) && badge >= 0));
      assert.ok(receipt === undefined || (typeof receipt === 'string' && receipt.length <= 500));
    }),
    { numRuns: 3_000 },
  );
});

function read(payload: string | undefined) {
  return readPushMessage(payload, { origin: ORIGIN, language: 'en' });
}
