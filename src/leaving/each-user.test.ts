import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachUser } from './each-user.ts';

/** Ids of users with work, of which `find` finds the first. */
function openWork(ids: readonly string[]) {
  const open = new Set(ids);
  return {
    open,
    find: async (limit: number) => [...open].slice(0, limit).map((user_id) => ({ user_id })),
  };
}

const FIFTY = Array.from({ length: 50 }, (_, i) => `user${i}`);

test('users are worked for in rounds, until none is found', async () => {
  const { open, find } = openWork(FIFTY);
  const limits: number[] = [];
  await eachUser(
    (limit) => {
      limits.push(limit);
      return find(limit);
    },
    async (userId) => void open.delete(userId),
  );
  assert.deepEqual(limits, [20, 20, 20, 20]);
  assert.equal(open.size, 0);
});

test('work that fails holds up no one, and is reported at the end', async () => {
  const { open, find } = openWork(FIFTY);
  const failing = ['user0', 'user1', 'user30'];
  const working = eachUser(find, async (userId) => {
    if (failing.includes(userId)) throw new Error(userId);
    open.delete(userId);
  });
  await assert.rejects(working, (error: AggregateError) => {
    assert.deepEqual(
      error.errors.map(({ message }) => message),
      failing,
    );
    return true;
  });
  assert.deepEqual([...open], failing);
});

test('a stop ends it after the work that runs', async () => {
  const { open, find } = openWork(FIFTY);
  const stopping = new AbortController();
  await eachUser(
    find,
    async (userId) => {
      open.delete(userId);
      if (userId === 'user24') stopping.abort();
    },
    stopping.signal,
  );
  assert.equal(open.size, 25);
});
