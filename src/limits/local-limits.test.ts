import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../errors.ts';
import { openReadLimits } from './local-limits.ts';

function start() {
  const clock = { now: 0 };
  const limit = openReadLimits('too_many_reads', { ofConnection: 2, ofUser: 3 }, () => clock.now);
  const isTaken = (userId: string, connection?: object) => {
    try {
      limit.take(connection, userId);
      return true;
    } catch (error) {
      assert(error instanceof ServiceError);
      assert.deepEqual([error.kind, error.word], ['rate-limited', 'too_many_reads']);
      return false;
    }
  };
  return { clock, isTaken };
}

test('each connection has a limit, and all connections of a user share one', () => {
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

test('a refused read does not count, and ten seconds later reads are allowed again', () => {
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
