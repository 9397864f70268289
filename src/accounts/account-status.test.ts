import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import { deleteUser } from '../commands/delete-user.ts';
import type { SchemaDb } from '../db/db.ts';
import { findUserByNameOrId, restoreUser, suspendUser } from './account-status.ts';
import { insertUser } from './accounts.ts';
import { openSession } from './sessions.ts';

const now = 1_700_000_000_000;

async function addUser(db: SchemaDb, id: string, username: string): Promise<string> {
  await db.transaction((tx) => insertUser(tx, { id, username, password_hash: 'x', created_at: now }));
  return (await openSession(db, id, 'x', 'phone', now)) ?? '';
}

async function countSessions(db: SchemaDb, userId: string): Promise<number | undefined> {
  return (await db.get<{ n: number }>`select count(*) as n from sessions where user_id = ${userId}`)?.n;
}

onEachDatabase('account status', (database) => {
  test('suspending and deleting end all sessions of a user, and restoring reopens none', async (t) => {
    const db = await database.open(t);
    const sessions = [await addUser(db, 'a', 'alice'), (await openSession(db, 'a', 'x', 'desk', now)) ?? ''];
    await addUser(db, 'b', 'bob');

    assert.deepEqual((await db.transaction((tx) => suspendUser(tx, 'a'))).sort(), sessions.sort());
    assert.deepEqual(await db.transaction((tx) => suspendUser(tx, 'a')), []);
    assert.equal((await findUserByNameOrId(db, 'a'))?.status, 'suspended');
    assert.equal(await openSession(db, 'a', 'x', 'phone', now), undefined);
    await db.transaction((tx) => restoreUser(tx, 'a'));
    assert.equal((await findUserByNameOrId(db, 'ALICE'))?.status, 'active');
    assert.equal(await countSessions(db, 'a'), 0);

    const again = await openSession(db, 'a', 'x', 'phone', now);
    assert.deepEqual(await db.transaction((tx) => deleteUser(tx, 'a')), [again]);
    assert.equal((await findUserByNameOrId(db, 'Alice'))?.status, 'deleted');
    assert.equal(await countSessions(db, 'b'), 1);
  });

  test('a deleted user cannot be suspended, and an unknown id is refused', async (t) => {
    const db = await database.open(t);
    await addUser(db, 'a', 'alice');
    await db.transaction((tx) => deleteUser(tx, 'a'));
    const notFound = { name: 'ServiceError', kind: 'not-found', word: 'user_not_found' };
    await assert.rejects(
      db.transaction((tx) => suspendUser(tx, 'a')),
      notFound,
    );
    assert.equal((await findUserByNameOrId(db, 'a'))?.status, 'deleted');
    for (const act of [suspendUser, deleteUser, restoreUser])
      await assert.rejects(
        db.transaction<unknown>((tx) => act(tx, 'unknown')),
        notFound,
      );
    assert.equal(await findUserByNameOrId(db, 'unknown'), undefined);
  });
});
