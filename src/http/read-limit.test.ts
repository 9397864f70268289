import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../errors.ts';
import { ReadLimit } from './read-limit.ts';

function start() {
  const clock = { now: 0 };
  const limit = new ReadLimit({ ofConnection: 2, ofUser: 3 }, 'too_many_reads', () => clock.now);
  const isTaken = (userId: string, connection?: object) => {
    try {
      limit.take(userId, connection);
      return true;
    } catch (error) {
      assert(error instanceof ServiceError);
      assert.deepEqual([error.kind, error.word], ['rate-limited', 'too_many_reads']);
      return false;
    }
  };
  return { clock, isTaken };
}

test('a connection has its own limit, and all connections of a user have one together', () => {
  const { isTaken } = start();
  const [one, two] = [{}, {}];
  assert.deepEqual(
    [1, 2, 3].map(() => isTaken('alice', one)),
    [true, true, false],
  );
  assert.deepEqual(
    [1, 2].map(() => isTaken('alice', two)),
    [true, false],
  );
  assert.equal(isTaken('alice'), false);
  assert.equal(isTaken('bob', {}), true);
});

test('what was refused does not count, and after ten seconds there is room again', () => {
  const { clock, isTaken } = start();
  const one = {};
  assert.deepEqual(
    [1, 2, 3, 4].map(() => isTaken('alice', one)),
    [true, true, false, false],
  );
  clock.now = 9_999;
  assert.equal(isTaken('alice', one), false);
  clock.now = 10_000;
  assert.deepEqual(
    [1, 2, 3].map(() => isTaken('alice', one)),
    [true, true, false],
  );
});
