import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderMail, userText } from './mail-message.ts';

test('a mail has the same paragraphs as text and as HTML, and ends with the host', () => {
  const mail = {
    to: 'alice@example.org',
    subject: 'Set a <new> password',
    paragraphs: [
      'First & "foremost"',
      { text: 'Open this link:', link: 'https://chat.example.org/#a&b' },
      '',
    ],
  };
  const { text, html } = renderMail(mail, 'chat.example.org');
  assert.equal(
    text,
    'First & "foremost"\n\nOpen this link:\nhttps://chat.example.org/#a&b\n\n\n\nchat.example.org\n',
  );
  assert.match(html, /<title>Set a &#60;new&#62; password<\/title>/);
  assert.match(html, /<p>First &#38; &#34;foremost&#34;<\/p>/);
  const url = 'https://chat.example.org/#a&#38;b';
  assert.ok(html.includes(`<p>Open this link:<br>\n<a href="${url}">${url}</a></p>`), html);
  assert.match(html, />chat\.example\.org<\/p>\s*<\/body>/);
  assert.doesNotMatch(html, /<img|src=|url\(/);
});

test('a user’s markup is text in a mail', () => {
  const paragraphs = [`The account ${userText(`<b onclick='x'>&amp;</b>`)}`];
  const { html } = renderMail({ to: 'a@x.org', subject: '', paragraphs }, 'x.org');
  assert.ok(!html.includes('<b ') && !html.includes("'x'"), html);
});

test('a user’s text is one line of 64 characters that no mail program makes a link of', () => {
  assert.equal(userText('alice'), 'alice');
  assert.equal(userText('evil.example/x'), 'evil.\u2060example/\u2060x');
  assert.equal(userText('https://evil.example'), 'https:/\u2060/\u2060evil.\u2060example');
  assert.equal(userText(' a\r\nBcc:\u2028b\u00a0\u0000c '), 'a Bcc: b c');
  assert.equal(userText('\u202egnp.exe\u2066'), 'gnp.\u2060exe');
  assert.equal(userText('👋'.repeat(64)), '👋'.repeat(64));
  assert.equal(userText('👋'.repeat(65)), `${'👋'.repeat(63)}…`);
});
