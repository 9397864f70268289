import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readImportLine } from './line.ts';

const read = (line: object | string) => {
  const text = typeof line === 'string' ? line : JSON.stringify(line);
  const { kind, content } = readImportLine({ number: 7, bytes: Buffer.from(text) });
  return [kind, 'reason' in content ? content.reason : content];
};
const message = { id: 'm1', from: '42', to: '43', body: 'hi', at: 5 };
const MOMENT = 'at must be an integer from 0 to 253402300799999';

test('the field that one kind alone has says which a line is', () => {
  assert.deepEqual(read({ friends: ['42', 'auth0|x'], at: 5, other: 1 }), [
    'friends',
    { users: ['42', 'auth0|x'], at: 5 },
  ]);
  assert.deepEqual(read({ at: 5, block: { by: '42', of: '43', at: 7 } }), [
    'block',
    { by: '42', of: '43', at: 5 },
  ]);
  const { id, ...rest } = message;
  assert.deepEqual(read({ message }), ['message', { ...rest, cid: id, isRead: true }]);
  assert.deepEqual(read({ message: { ...message, read: false } }), [
    'message',
    { ...rest, cid: id, isRead: false },
  ]);
  assert.equal(read({ username: 'alice', password: 'secret' })[0], 'username');
  assert.deepEqual(read({ at: 5 }), ['username', 'username must have 2 to 32 characters']);
  assert.deepEqual(read('{"\\u0066riends":["a","b"],"at":1}'), ['friends', { users: ['a', 'b'], at: 1 }]);
});

test('a line of two kinds is refused', () => {
  assert.deepEqual(
    read({ friends: ['a', 'b'], block: { by: 'a', of: 'b' } })[1],
    'has both friends and block',
  );
  assert.deepEqual(read({ message, username: 'alice' })[1], 'has both username and message');
  assert.deepEqual(read({ message: null, friends: null })[1], 'has both friends and message');
});

test('fields of a wrong form are refused', () => {
  for (const friends of [['a'], ['a', 'b', 'c'], ['a', 7], 'ab', null, { by: 'a', of: 'b' }, [['a'], ['b']]])
    assert.equal(read({ friends })[1], 'friends is not valid', JSON.stringify(friends));
  for (const block of [['a', 'b'], 'ab', null, 7])
    assert.equal(read({ block })[1], 'block is not a JSON object', JSON.stringify(block));
  assert.equal(read({ block: { by: 'a' } })[1], 'of is missing');
  assert.equal(read({ block: { by: 7, of: 'b' } })[1], 'by must be a string');
  assert.equal(read({ message: [message] })[1], 'message is not a JSON object');
  for (const at of [-1, 1.5, 1e300, '5', null, true]) {
    assert.equal(read({ friends: ['a', 'b'], at })[1], MOMENT, String(at));
    assert.equal(read({ block: { by: 'a', of: 'b' }, at })[1], MOMENT, String(at));
    assert.equal(read({ message: { ...message, at } })[1], MOMENT, String(at));
  }
  assert.equal(read({ message: { ...message, at: undefined } })[1], 'at is missing');
  assert.equal(read({ message: { ...message, id: 'x'.repeat(65) } })[1], 'id must have 1 to 64 characters');
  assert.equal(read({ message: { ...message, id: '' } })[1], 'id must have 1 to 64 characters');
  assert.equal(read({ message: { ...message, id: 7 } })[1], 'id must be a string');
  assert.equal(read({ message: { ...message, body: '' } })[1], 'body must have 1 to 4000 characters');
  assert.equal(
    read({ message: { ...message, body: 'x'.repeat(4001) } })[1],
    'body must have 1 to 4000 characters',
  );
  assert.equal(read({ message: { ...message, read: 0 } })[1], 'read must be a boolean');
  assert.equal(read('{"message":{"body":"\\u0000"}}')[1], 'has text with U+0000 or half a surrogate pair');
});
