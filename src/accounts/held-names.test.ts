import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { makeKey } from '../../test/api-key.ts';
import { onEachDeployment, type TestDatabase } from '../../test/databases.ts';
import { type Person, startService } from '../../test/harness.ts';
import { addUser } from '../../test/people.ts';
import { importBatch } from '../commands/users-file/import-batch.ts';
import { readUserLine, type UserToImport } from '../commands/users-file/user-line.ts';
import { deleteUser } from '../leaving/remove-user.ts';
import { nameKey } from '../users/names.ts';
import { findUsersByNameOrId } from './account-status.ts';

async function start(t: TestContext, database: TestDatabase) {
  const service = await startService(t, database);
  const { db } = service.services;
  const [alice, bob] = [await service.join('alice'), await service.join('bob')];
  return {
    service,
    db,
    alice,
    bob,
    erase: (id: string) => db.transaction((tx) => deleteUser(tx, id)),
    keyOf: async ({ id }: Person) =>
      (await db.get<{ key: string }>`select username_key as key from users where id = ${id}`)?.key ?? '',
  };
}

onEachDeployment('Names of erased users', (database) => {
  test('the name of an erased user stays taken, without being stored', async (t) => {
    const { service, db, alice, bob, erase, keyOf } = await start(t, database);
    await erase(alice.id);
    const held = await keyOf(alice);
    assert.match(held, /^HELD:[\w-]{43}$/);
    assert.notEqual(nameKey(held), held, 'no name has such a key');
    for (const username of ['alice', 'ALICE', 'ａｌｉｃｅ']) {
      const { body } = await service.post('/api/register', { username, password: 'a password' });
      assert.equal(body.error, 'username_taken', username);
    }
    const key = await makeKey(service);
    const put = (id: string) => service.post('/api/admin/users', { id, username: 'Alice' }, key);
    assert.equal((await put('new-one')).body.error, 'username_taken');
    assert.equal((await put(alice.id)).body.error, 'user_deleted');
    const listed = (await service.get('/api/admin/users', key)).body.data;
    const { username, nickname, status } = listed.find(({ id }: Person) => id === alice.id);
    assert.deepEqual([username, nickname, status], ['', '', 'deleted']);
    const { passwords } = service.services.accounts;
    const lines = [
      { username: 'alice' },
      { id: alice.id, username: 'alice' },
      { id: alice.id, username: 'other' },
    ];
    const users = lines.map((line) => readUserLine({ ...line, password_hash: '!' }) as UserToImport); // valid lines
    assert.deepEqual(await importBatch({ db, passwords, seen: null }, users), [
      { kind: 'refused', reason: 'username is taken by a deleted user' },
      { kind: 'refused', reason: 'username is taken by a deleted user' },
      { kind: 'refused', reason: 'id is taken by a deleted user' },
    ]);
    const found = await findUsersByNameOrId(db, 'Alice');
    assert.deepEqual(
      found.map(({ id }) => id),
      [alice.id],
      'the operator finds them by their name',
    );
    const keys = await db.all`select username_key from users where username_key = 'alice'`;
    assert.deepEqual([keys, await keyOf(bob)], [[], 'bob']);
  });

  test('a held name that a node of the version before gave to another user is held for both', async (t) => {
    const { service, db, alice, erase } = await start(t, database);
    const found = async () => (await findUsersByNameOrId(db, 'Alice')).map(({ id }) => id);
    await erase(alice.id);
    const again = await addUser(db, 'alice');
    assert.deepEqual(await found(), [again], 'theirs as long as they are there');
    await erase(again);
    const rows = await db.all<{ key: string }>`
      select username_key as key from users where username = '' order by length(username_key)`;
    const [held = '', other] = rows.map(({ key }) => key);
    assert.deepEqual([held.length, other], [48, `${held} ${again}`]);
    const { body } = await service.post('/api/register', alice);
    assert.equal(body.error, 'username_taken');
    await erase(again);
  });
});
