import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import { addUser } from '../../test/people.ts';
import { ServiceError } from '../errors.ts';
import { Events } from '../events/hints.ts';
import { getPublicUser, updateProfile } from './profiles.ts';

function refusedAs(word: string) {
  return (error: unknown) => error instanceof ServiceError && error.word === word;
}

/** Without subscribers. */
const events = new Events();

onEachDatabase('profiles', (database) => {
  test('the public profile is seven fields, the phone masked', async (t) => {
    const db = await database.open(t);
    const fields = { avatar: '/a.png', nickname: 'Al', gender: 'male' as const, bio: 'b' };
    const id = await addUser(db, 'alice', { ...fields, phone: '13812345678', email: 'a@example.com' });
    assert.deepEqual((await getPublicUser(db, id)).user, {
      id,
      username: 'alice',
      ...fields,
      phone: '138****5678',
    });
  });

  test('a suspended account still has a profile, a deleted or unknown one has none', async (t) => {
    const db = await database.open(t);
    const sam = await addUser(db, 'sam', { status: 'suspended' });
    const dora = await addUser(db, 'dora', { status: 'deleted' });
    assert.equal((await getPublicUser(db, sam)).user.username, 'sam');
    for (const id of [dora, 'unknown', ''])
      await assert.rejects(getPublicUser(db, id), refusedAs('user_not_found'));
    await assert.rejects(
      updateProfile({ db, events }, dora, { bio: 'b' }, 1_000),
      refusedAs('user_not_found'),
    );
  });

  test('only the fields that were sent change, and only those of this user', async (t) => {
    const db = await database.open(t);
    const [alice, bob] = [await addUser(db, 'alice'), await addUser(db, 'bob')];
    const before = await db.get`select * from users where id = ${bob}`;
    assert.equal((await updateProfile({ db, events }, alice, { bio: 'b', phone: '123' }, 1_000)).bio, 'b');
    const row = await updateProfile({ db, events }, alice, { gender: 'male', phone: '' }, 1_000);
    assert.deepEqual([row.bio, row.phone, row.gender, row.nickname], ['b', '', 'male', 'alice']);
    assert.deepEqual(await updateProfile({ db, events }, alice, {}, 1_000), row);
    assert.deepEqual(await db.get`select * from users where id = ${bob}`, before);
  });

  test('concurrent updates of different fields are all stored', async (t) => {
    const db = await database.open(t);
    const alice = await addUser(db, 'alice');
    const parts = [
      { bio: 'b' },
      { phone: '123' },
      { gender: 'male' },
      { email: 'a@b' },
      { avatar: '/a' },
    ] as const;
    await Promise.all(parts.map((part) => updateProfile({ db, events }, alice, part, 1_000)));
    const { bio, phone, gender, email, avatar } = await updateProfile({ db, events }, alice, {}, 1_000);
    assert.deepEqual({ bio, phone, gender, email, avatar }, Object.assign({}, ...parts));
  });

  test('a new nickname is found by its start, the old one no longer', async (t) => {
    const db = await database.open(t);
    const alice = await addUser(db, 'alice');
    const key = async () =>
      (await db.get<{ nickname_key: string }>`select nickname_key from users where id = ${alice}`)
        ?.nickname_key;
    assert.equal(await key(), '');
    await updateProfile({ db, events }, alice, { nickname: 'ＷＯＮＤＥＲ' }, 1_000);
    assert.equal(await key(), 'wonder');
    await updateProfile({ db, events }, alice, { bio: 'b' }, 1_000);
    assert.equal(await key(), 'wonder');
    await updateProfile({ db, events }, alice, { nickname: 'ALICE' }, 1_000);
    assert.equal(await key(), '');
  });
});
