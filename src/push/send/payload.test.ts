import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../test/any-text.ts';
import {
  cutText,
  genericPayload,
  type MessageNotification,
  messagePayload,
  shortPayload,
  testPayload,
  topicOf,
} from './payload.ts';

const publicUrl = 'https://chat.example.org';
const receipt = 'r'.repeat(43);
const unreadMessages: MessageNotification = {
  language: 'en',
  push_preview: 'sender',
  peer_id: 'p1',
  sender: 'Alice',
  unread: 1,
  text: 'hi there',
  badge: 4,
};

function read(payload: Buffer) {
  return JSON.parse(payload.toString());
}

test('a payload is a declarative push message that leads to the conversation', () => {
  assert.deepEqual(read(messagePayload(publicUrl, unreadMessages, receipt)), {
    web_push: 8030,
    notification: {
      title: 'Alice',
      lang: 'en',
      dir: 'auto',
      body: 'New message',
      navigate: 'https://chat.example.org/chat/p1',
      tag: 'chat-p1',
    },
    app_badge: 4,
    doorman: { receipt },
  });
});

test('preview full shows the text, sender the name, none neither', () => {
  const shown = (changes: Partial<MessageNotification>) => {
    const { notification } = read(messagePayload(publicUrl, { ...unreadMessages, ...changes }, receipt));
    return [notification.title, notification.body];
  };
  assert.deepEqual(shown({ push_preview: 'full' }), ['Alice', 'hi there']);
  assert.deepEqual(shown({ push_preview: 'full', unread: 10 }), ['Alice', '10 new messages\nhi there']);
  assert.deepEqual(shown({ push_preview: 'full', text: undefined }), ['Alice', 'New message']);
  assert.deepEqual(shown({ push_preview: 'sender', unread: 10 }), ['Alice', '10 new messages']);
  assert.deepEqual(shown({ push_preview: 'none', unread: 10 }), ['Doorman', '10 new messages']);
});

test('our own words are in the language of the device, and in no other', () => {
  const inEnglish = /^[ \n!-~]*$/;
  const inChinese = /^[\d \n\p{Script=Han}]*$/u;
  const payloads = (language: string) => [
    messagePayload(publicUrl, { ...unreadMessages, language }, receipt),
    messagePayload(
      publicUrl,
      { ...unreadMessages, language, push_preview: 'full', text: undefined },
      receipt,
    ),
    messagePayload(publicUrl, { ...unreadMessages, language, push_preview: 'none', unread: 3 }, receipt),
    shortPayload(publicUrl, { language, peer_id: 'p1' }, receipt),
    genericPayload(publicUrl, language),
    testPayload(publicUrl, language, receipt),
  ];
  for (const [language, lang, only] of [
    ['en', 'en', inEnglish],
    ['zh', 'zh-CN', inChinese],
    ['', 'en', inEnglish],
  ] as const)
    for (const { notification } of payloads(language).map(read)) {
      assert.deepEqual([notification.lang, notification.dir], [lang, 'auto']);
      assert.match(notification.body, only);
    }
  const counted = (unread: number) =>
    read(
      messagePayload(publicUrl, { ...unreadMessages, language: 'zh', push_preview: 'full', unread }, receipt),
    ).notification.body;
  assert.deepEqual([counted(1), counted(2)], ['hi there', '2 条新消息\nhi there']);
});

test('a payload is below 3,000 bytes whatever was written, and still well-formed', () => {
  const anything = fc.oneof(fc.string({ unit: 'grapheme' }), anyText());
  const language = fc.constantFrom('en', 'zh', '');
  fc.assert(
    fc.property(
      anything,
      anything,
      fc.integer({ min: 1, max: 4_000 }),
      language,
      (name, piece, times, language) => {
        const text = [...piece.repeat(times)].slice(0, 4_000).join('');
        const sender = [...name.repeat(9)].slice(0, 64).join('');
        const changes = { language, push_preview: 'full', unread: 1e6, badge: 1e9, sender, text } as const;
        const payload = messagePayload(publicUrl, { ...unreadMessages, ...changes }, receipt);
        assert(payload.length < 3_000, `${payload.length} bytes`);
        assert(read(payload).notification.body.isWellFormed());
      },
    ),
  );
  for (const unit of ['\u0001', '"', '语', '👨‍👩‍👧‍👦', 'e\u0301', '\u{1f468}'])
    assert(
      messagePayload(
        publicUrl,
        { ...unreadMessages, language: 'zh', push_preview: 'full', text: unit.repeat(4_000) },
        receipt,
      ).length < 3_000,
    );
});

test('a text is cut between graphemes', () => {
  const family = '👨‍👩‍👧‍👦';
  assert.equal(cutText('abc', 3), 'abc');
  assert.equal(cutText('abcdef', 5), 'ab…');
  assert.equal(cutText(family.repeat(3), 60), `${family.repeat(2)}…`);
  assert.equal(cutText('语言文字', 9), '语言…');
  assert.equal(cutText(`a${'\u0301'.repeat(50)}`, 10), `a${'\u0301'.repeat(3)}…`);
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 200 }),
      fc.integer({ min: 10, max: 100 }),
      (text, most) => {
        const cut = cutText(text, most);
        assert(Buffer.byteLength(JSON.stringify(cut)) - 2 <= most);
        assert(cut === text || text.startsWith(cut.slice(0, -1)));
      },
    ),
  );
});

test('the short and the generic payload reveal nothing', () => {
  assert.deepEqual(read(shortPayload(publicUrl, unreadMessages, receipt)), {
    web_push: 8030,
    notification: {
      title: 'Doorman',
      lang: 'en',
      dir: 'auto',
      body: 'New messages',
      navigate: 'https://chat.example.org/chat/p1',
      tag: 'chat-p1',
    },
    doorman: { receipt },
  });
  assert.deepEqual(read(genericPayload(publicUrl, 'en')), {
    web_push: 8030,
    notification: {
      title: 'Doorman',
      lang: 'en',
      dir: 'auto',
      body: 'New messages',
      navigate: 'https://chat.example.org/',
      tag: 'doorman',
    },
  });
});

test('a test payload has fixed words, and a receipt for a confirmed device', () => {
  const notification = {
    title: 'Doorman',
    lang: 'en',
    dir: 'auto',
    body: 'Test notification',
    navigate: 'https://chat.example.org/',
    tag: 'doorman-test',
  };
  assert.deepEqual(read(testPayload(publicUrl, 'en', receipt)), {
    web_push: 8030,
    notification,
    doorman: { receipt },
  });
  assert.deepEqual(read(testPayload(publicUrl, 'en', undefined)), { web_push: 8030, notification });
});

test('a topic is the same for the same conversation and device, and fits the header (RFC 8030 5.4)', () => {
  const topic = topicOf('secret', 'bob', 'alice');
  assert.match(topic, /^[\w-]{32}$/);
  assert.equal(topicOf('secret', 'bob', 'alice'), topic);
  for (const other of [
    topicOf('secret', 'bob', 'carol'),
    topicOf('secret', 'alice', 'bob'),
    topicOf('s', 'bob', 'alice'),
  ])
    assert.notEqual(other, topic);
});
