import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_IDS, OWN_IDS } from '../../../test/ids.ts';
import { readImportLine } from './line.ts';
import { ERASED_LINE, readUserLine } from './user-line.ts';

const hash = 'a'.repeat(64);

function reasonOf(line: string | Buffer | object): string {
  const bytes = typeof line === 'string' || Buffer.isBuffer(line) ? line : JSON.stringify(line);
  const { content } = readImportLine({ number: 1, bytes: Buffer.from(bytes) });
  assert.ok('reason' in content, 'the line should be refused');
  return content.reason;
}

/** A valid line with one field replaced. */
const alice = (field: object) => ({ username: 'alice', password_hash: hash, ...field });

test('a line with every field is read, and unknown fields are left out', () => {
  const fields = {
    id: 'auth0|7:eu.a@b~c',
    username: 'Алиса',
    nickname: '',
    email: 'a@example.org',
    avatar: '/a.png',
    gender: 'secret',
    bio: 'zwei\nZeilen',
    phone: '+49 (30) 1234',
    push_enabled: 0,
    dnd_enabled: 1,
    push_preview: 'none',
    who_messages: 'requests',
    who_friend_requests: 'nobody',
    who_presence: 'friends',
    shows_read: 0,
    is_listed: 0,
    created_at: 0,
    status: 'suspended',
  };
  const line = JSON.stringify({ ...fields, password_hash: hash, isOnline: 1 });
  assert.deepEqual(readUserLine(JSON.parse(line)), {
    fields,
    address: undefined,
    password: undefined,
    passwordHash: hash,
    deleteAt: undefined,
  });
  assert.deepEqual(readUserLine({ username: 'bo', password: 'secret' }), {
    fields: { username: 'bo' },
    address: undefined,
    password: 'secret',
    passwordHash: '',
    deleteAt: undefined,
  });
});

test('a deleted user has a password, for the case that they come back, and may have a time at which they are erased', () => {
  const leaving = { status: 'deleted', verified_email: 'a@example.org', delete_at: 9 };
  const read = readUserLine(alice(leaving));
  assert.ok('deleteAt' in read);
  assert.deepEqual([read.deleteAt, read.address, read.passwordHash], [9, 'a@example.org', hash]);
  assert.equal(
    reasonOf(alice({ ...leaving, delete_at: undefined })),
    'verified_email is that of a deleted user',
  );
  assert.equal(
    reasonOf(alice({ ...leaving, status: 'suspended' })),
    'delete_at is that of a user who is not deleted',
  );
  for (const password_hash of [undefined, ''])
    assert.equal(readUserLine({ username: 'al', status: 'deleted', password_hash }), ERASED_LINE);
});

test('a line that is no JSON object in valid UTF-8 is refused', () => {
  assert.equal(reasonOf('{"username":"alice"'), 'is not valid JSON');
  assert.equal(reasonOf('["alice"]'), 'is not a JSON object');
  assert.equal(reasonOf(Buffer.from('{"username":"al\xffice"}', 'latin1')), 'is not valid UTF-8');
  assert.equal(reasonOf('{"username":"al\\u0000ice"}'), 'has text with U+0000 or half a surrogate pair');
  assert.equal(reasonOf('{"bio":"\\ud800"}'), 'has text with U+0000 or half a surrogate pair');
  assert.equal(reasonOf(`{"x":${'['.repeat(32)}${']'.repeat(32)}}`), 'is nested too deeply');
  const { content } = readImportLine({ number: 1, bytes: null });
  assert.deepEqual(content, { reason: 'is longer than 65536 bytes' });
});

test('names, passwords and profiles follow the rules of registration and of the profile', () => {
  assert.equal(reasonOf({ password_hash: hash }), 'username must have 2 to 32 characters');
  assert.equal(reasonOf(alice({ username: 'a' })), 'username must have 2 to 32 characters');
  assert.equal(reasonOf(alice({ username: 7 })), 'username must have 2 to 32 characters');
  assert.equal(
    reasonOf(alice({ username: ' alice' })),
    'username has characters that cannot be read, or white space at an end',
  );
  assert.equal(
    reasonOf({ username: 'alice', password: '12345' }),
    'password must have at least 6 characters',
  );
  assert.equal(
    reasonOf({ username: 'alice', password: 'x'.repeat(129) }),
    'password must have at most 128 characters',
  );
  assert.equal(reasonOf(alice({ nickname: 'x'.repeat(65) })), 'nickname must have 0 to 64 characters');
  assert.equal(
    reasonOf(alice({ nickname: 'alice\u3164' })),
    'nickname has characters that cannot be seen, or white space at an end',
  );
  assert.equal(reasonOf(alice({ bio: null })), 'bio must be a string');
  assert.equal(reasonOf(alice({ email: 'alice' })), 'email is not valid');
  assert.equal(reasonOf(alice({ phone: 'call me' })), 'phone is not valid');
  assert.equal(reasonOf(alice({ gender: 'other' })), 'gender is not valid');
  assert.equal(reasonOf(alice({ push_enabled: true })), 'push_enabled is not valid');
  assert.equal(reasonOf(alice({ who_presence: 'all' })), 'who_presence is not valid');
  assert.equal(reasonOf(alice({ is_listed: true })), 'is_listed is not valid');
  assert.equal(
    reasonOf(alice({ created_at: '2020-01-01' })),
    'created_at must be an integer from 0 to 253402300799999',
  );
  assert.equal(
    reasonOf(alice({ created_at: -1 })),
    'created_at must be an integer from 0 to 253402300799999',
  );
  assert.equal(reasonOf(alice({ status: 'gone' })), 'status is not valid');
  assert.equal(
    reasonOf(alice({ avatar: 'javascript:alert(1)' })),
    'avatar must be an http or https address without credentials, or relative',
  );
});

test('an id is kept as it is, and must be one', () => {
  for (const id of OWN_IDS) {
    const read = readUserLine(alice({ id }));
    assert.equal('fields' in read && read.fields.id, id);
  }
  const reason = 'id must be a text: a letter or digit, then up to 63 of A-Z a-z 0-9 . _ : @ | ~ -';
  for (const id of [...NO_IDS.filter((one) => one !== 'a\0'), 7, null, ['7'], { id: '7' }])
    assert.equal(reasonOf(alice({ id })), reason, JSON.stringify(id));
  assert.equal(reasonOf(alice({ id: 'a\0' })), 'has text with U+0000 or half a surrogate pair');
});

test('a line has either a password or a hash in a known format', () => {
  assert.equal(reasonOf({ username: 'alice' }), 'password_hash or password is missing');
  assert.equal(
    reasonOf(alice({ password: 'secret' })),
    'password_hash and password are both there: keep one',
  );
  assert.equal(reasonOf(alice({ password_hash: '' })), 'password_hash has an unknown format');
  assert.equal(
    reasonOf(alice({ password_hash: 'md5$0cc175b9c0f1b6a831c399e269772661' })),
    'password_hash has an unknown format',
  );
});
