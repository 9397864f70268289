import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Gender, type OwnUser, PROFILE_FIELDS } from 'doorman-client';
import { readFields } from '../../../../src/http/validation.ts';
import { ProfileBody } from '../../../../src/profiles/schemas.ts';
import { changedFields, findInvalid, shownProfile } from './profile-fields.ts';

const SERVICE = 'https://chat.example.org';
const EMPTY = Object.fromEntries(
  Object.keys(PROFILE_FIELDS).map((name) => [name, '']),
) as Required<ProfileBody>;
const ADA: OwnUser = {
  id: '0199',
  username: 'ada',
  ...EMPTY,
  nickname: 'Ada',
  gender: 'female',
  bio: 'Counts.',
  push_enabled: 1,
  dnd_enabled: 0,
};

test('only changed fields are sent', () => {
  assert.deepEqual(changedFields(ADA, {}), {});
  assert.deepEqual(changedFields(ADA, { nickname: 'Ada', bio: 'Counts.', gender: 'female' }), {});
  assert.deepEqual(changedFields(ADA, { nickname: 'Ada L.', bio: 'Counts.' }), { nickname: 'Ada L.' });
  assert.deepEqual(changedFields(ADA, { gender: '', bio: '' }), { gender: '', bio: '' });
});

test('spaces around a line are removed, but not in the bio', () => {
  const edits = { nickname: ' Ada ', avatar: ' /a.png ', phone: ' 1 ', email: ' a@b.c ', bio: ' x \n' };
  assert.deepEqual(changedFields(ADA, edits), { avatar: '/a.png', phone: '1', email: 'a@b.c', bio: ' x \n' });
});

test('an empty nickname becomes the username', () => {
  assert.deepEqual(changedFields(ADA, { nickname: '  ' }), { nickname: 'ada' });
});

test('changes of another device are shown, except in fields that are edited here', () => {
  const edits = { nickname: 'A.' };
  assert.equal(shownProfile({ ...ADA, bio: 'Computes.', nickname: 'Ada L.' }, edits).bio, 'Computes.');
  assert.equal(shownProfile({ ...ADA, nickname: 'Ada L.' }, edits).nickname, 'A.');
  const newer = 'of a newer service' as Gender; // a later version may add values
  assert.equal(shownProfile({ ...ADA, gender: newer }, {}).gender, '');
});

/** Whether the service accepts it. */
function isAccepted(body: ProfileBody): boolean {
  try {
    readFields(ProfileBody, body);
    return true;
  } catch (error) {
    assert.ok(error instanceof Error && 'word' in error);
    return false;
  }
}

const VALUES: Record<'nickname' | 'avatar' | 'bio' | 'phone' | 'email', string[]> = {
  nickname: ['A', '😀'.repeat(64), '😀'.repeat(65)],
  avatar: [
    '',
    '/icons/icon.svg',
    'a.png',
    'https://example.org/a.png',
    'http://example.org',
    'ftp://example.org/a.png',
    'javascript:alert(1)',
    'data:image/png;base64,AA',
    'https://a:b@example.org/a.png',
    'https://exa mple.org',
    'https://',
    `https://example.org/${'x'.repeat(2_028)}`,
    `https://example.org/${'x'.repeat(2_029)}`,
  ],
  bio: ['', '😀'.repeat(1_000), '😀'.repeat(1_001)],
  phone: ['', '+49 (30) 123-45.67', '1'.repeat(32), '1'.repeat(33), 'call me', '１２'],
  email: ['', 'a@b', 'a b@c', 'a@@b', 'ab', '张@例.公司', `${'x'.repeat(252)}@b`, `${'x'.repeat(253)}@b`],
};

for (const [field, values] of Object.entries(VALUES))
  test(`the page checks the ${field} as the service does`, () => {
    for (const value of values) {
      assert.deepEqual(
        findInvalid({ [field]: value }, SERVICE),
        isAccepted({ [field]: value }) ? [] : [field],
        value.slice(0, 40),
      );
    }
  });
