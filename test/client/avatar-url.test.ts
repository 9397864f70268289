import assert from 'node:assert/strict';
import { test } from 'node:test';
import { avatarUrl } from 'doorman-client';

const SERVICE = 'https://chat.example.org';

test('a picture comes from http(s), or from the service itself by an address relative to its root', () => {
  const elsewhere = 'https://pictures.example.org/a.png';
  assert.equal(avatarUrl(elsewhere, SERVICE), elsewhere);
  assert.equal(avatarUrl('http://pictures.example.org/a.png', SERVICE), 'http://pictures.example.org/a.png');
  assert.equal(avatarUrl('//pictures.example.org/a.png', SERVICE), elsewhere);
  for (const avatar of ['avatars/a.png', '/avatars/a.png', './avatars/a.png', '../avatars/a.png'])
    assert.equal(avatarUrl(avatar, SERVICE), 'https://chat.example.org/avatars/a.png', avatar);
  assert.equal(avatarUrl('a.png', 'https://example.org/chat/'), 'https://example.org/chat/a.png');
  assert.equal(avatarUrl('a.png', 'https://example.org/chat'), 'https://example.org/chat/a.png');
});

for (const avatar of [
  '',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\tscript:alert(1)',
  ' javascript:alert(1)',
  'data:image/svg+xml,<svg onload="alert(1)"/>',
  'blob:https://chat.example.org/1',
  'file:///etc/passwd',
  'https://ada:secret@example.org/a.png',
  'https://exa mple.org/a.png',
  'https://',
])
  test(`no picture from ${JSON.stringify(avatar)}`, () => {
    assert.equal(avatarUrl(avatar, SERVICE), undefined);
  });
