import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/clocks.ts';
import { onEachDatabase, onPostgres } from '../../test/databases.ts';
import { names } from '../../test/directory.ts';
import { addUser } from '../../test/people.ts';
import { restoreUser } from '../accounts/account-status.ts';
import { createClock } from '../clock.ts';
import type { Db } from '../db/db.ts';
import { newId } from '../db/ids.ts';
import { Events } from '../events/hints.ts';
import { deleteUser } from '../leaving/remove-user.ts';
import { updateProfile } from '../profiles/profiles.ts';
import { updatePrivacy } from '../settings/privacy.ts';
import { type KeyedUser, nameKeys, namesOf } from './name-keys.ts';
import { mendNameKeys, userJobs } from './name-walk.ts';
import { getUser, writeProfile } from './users.ts';

const HOUR_MS = 3_600_000;

/** All keys, each as `<key> of <id>`, that are stored, and that should be. */
async function keysIn(db: Db) {
  const rows = await db.all<{ key: string; user_id: string }>`select key, user_id from name_keys`;
  const users = await db.all<
    KeyedUser & { id: string }
  >`select id, username, nickname, status, is_listed from users`;
  return {
    stored: rows.map(({ key, user_id }) => `${key} of ${user_id}`).sort(),
    wanted: users.flatMap((user) => [...nameKeys(namesOf(user))].map((key) => `${key} of ${user.id}`)).sort(),
  };
}

async function assertKeyed(db: Db): Promise<void> {
  const { stored, wanted } = await keysIn(db);
  assert.deepEqual(stored, wanted);
}

/** Users as the version before the migration left them. */
async function addUnkeyed(db: Db, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await addUser(db, `user${n}`, { nickname: `Anna Nr ${n}` });
  await db.run`delete from name_keys`;
  await db.run`update users set keyed_names = ''`;
}

/** The same database, in which something else happens first when a transaction is to begin. */
function before(db: Db, happens: () => Promise<unknown>): Db {
  return new Proxy(db, {
    get: (target, name) => {
      if (name === 'transaction') return (body: never) => happens().then(() => target.transaction(body));
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

onEachDatabase('the keys of names', (database) => {
  test('follow the names at each change, of listed users alone', async (t) => {
    const db = await database.open(t);
    const inboxes = { db, events: new Events() };
    const anna = await addUser(db, 'anna', { nickname: 'Anna Smith' });
    const bob = await addUser(db, 'bob', { is_listed: 0 });
    await addUser(db, 'carl', { status: 'suspended' });
    const found = async (q: string) => (await names(db, { q })).join();
    const { stored } = await keysIn(db);
    assert.deepEqual(
      stored.filter((key) => key.endsWith(anna)),
      [`anna of ${anna}`, `anna smith of ${anna}`, `smith anna of ${anna}`],
    );
    assert.ok(!stored.some((key) => key.endsWith(bob)));
    await assertKeyed(db);
    await updateProfile(inboxes, anna, { nickname: 'Anna Berg' }, 1);
    assert.deepEqual([await found('berg'), await found('smith')], ['anna', '']);
    await assertKeyed(db);
    await updateProfile(inboxes, anna, { nickname: '' }, 1);
    await assertKeyed(db);
    await updatePrivacy(inboxes, anna, { listed: false }, 1);
    assert.equal(await found('ann'), '');
    await assertKeyed(db);
    await updatePrivacy(inboxes, anna, { listed: true }, 1);
    await updatePrivacy(inboxes, bob, { listed: true }, 1);
    assert.deepEqual([await found('ann'), await found('bo')], ['anna', 'bob']);
    await assertKeyed(db);
    await db.transaction((tx) => deleteUser(tx, anna));
    const left = await keysIn(db);
    assert.ok(!left.stored.some((key) => key.endsWith(anna)));
    assert.equal((await db.get<{ n: string }>`select keyed_names as n from users where id = ${anna}`)?.n, '');
    // As a version before deleted, without removing what was stored.
    await db.run`update users set status = 'deleted' where id = ${bob}`;
    await mendNameKeys(db);
    await assertKeyed(db);
    await db.transaction((tx) => restoreUser(tx, bob));
    assert.equal(await found('bo'), 'bob');
    await assertKeyed(db);
  });

  test('a change of the names that fails leaves the keys as they were', async (t) => {
    const db = await database.open(t);
    const anna = await addUser(db, 'anna');
    const change = db.transaction(async (tx) => {
      await writeProfile(tx, { ...(await getUser(tx, anna)), nickname: 'other' });
      throw new Error('fails');
    });
    await assert.rejects(change, /fails/);
    await assertKeyed(db);
  });

  test('a walk that is stopped half way has mended those before, and the next one mends the others', async (t) => {
    const db = await database.open(t);
    await addUnkeyed(db, 450);
    const stopping = new AbortController();
    await mendNameKeys(
      before(db, async () => stopping.abort()),
      stopping.signal,
    );
    const keyed = async () =>
      (await db.get<{ n: number }>`select count(*) as n from users where keyed_names <> ''`)?.n;
    assert.equal(await keyed(), 200);
    assert.equal((await names(db, { q: 'nr' })).length, 200);
    assert.deepEqual(await names(db, { q: 'user449' }), ['user449'], 'a whole username is found meanwhile');
    const { stored, wanted } = await keysIn(db);
    assert.deepEqual(
      stored,
      wanted.filter((key) => stored.includes(key)),
    );
    await mendNameKeys(db, new AbortController().signal);
    await assertKeyed(db);
    assert.equal((await names(db, { q: 'nr' })).length, 450);
    await mendNameKeys(before(db, async () => assert.fail('a walk with nothing to mend writes')));
  });

  test('several walks at once, and what nodes of the version before write, leave the keys of the present names', async (t) => {
    const db = await database.open(t);
    await addUnkeyed(db, 250);
    await Promise.all([mendNameKeys(db), mendNameKeys(db), mendNameKeys(db)]);
    await assertKeyed(db);
    const id = newId(1);
    await db.run`
      insert into users (id, username, username_key, password_hash, nickname, nickname_key, created_at)
      values (${id}, 'eve', 'eve', '!', 'Eve New', 'eve new', 1)`;
    await db.run`update users set nickname = 'Renamed' where username = 'user7'`;
    await db.run`update users set status = 'deleted', password_hash = '' where username = 'user8'`;
    await db.run`update users set is_listed = 0 where username = 'user9'`;
    await mendNameKeys(db);
    await assertKeyed(db);
  });

  test('names that change between the look and the lock of a walk keep the keys that they got', async (t) => {
    const db = await database.open(t);
    await addUnkeyed(db, 3);
    const [user] = await db.all<{ id: string }>`select id from users order by id limit 1`;
    const inboxes = { db, events: new Events() };
    await mendNameKeys(before(db, () => updateProfile(inboxes, user?.id ?? '', { nickname: 'Zoe' }, 1)));
    await assertKeyed(db);
    assert.deepEqual(await names(db, { q: 'zo' }), ['user0']);
  });

  test('a profile that was read before a walk mended its keys removes these keys', async (t) => {
    const db = await database.open(t);
    await addUnkeyed(db, 1);
    const [{ id } = { id: '' }] = await db.all<{ id: string }>`select id from users`;
    const user = await getUser(db, id);
    await mendNameKeys(db);
    await db.transaction((tx) => writeProfile(tx, { ...user, nickname: 'Zoe' }));
    await assertKeyed(db);
  });

  test('a walk runs at the start and every hour for a day, and a minute after one that failed', async (t) => {
    const db = await database.open(t);
    const clock = new ManualClock();
    let fails = true;
    const failing = before(db, async () => {
      if (fails) throw new Error('too busy');
    });
    const [job] = userJobs(failing, createClock(clock.world));
    assert.equal(job?.everyMs, 60_000);
    /** Whether it walks when a user has no keys. */
    const walksAfter = async (ms: number) => {
      clock.add(ms);
      await db.run`delete from name_keys`;
      await db.run`update users set keyed_names = ''`;
      await job.run();
      return (await keysIn(db)).stored.length > 0;
    };
    await addUnkeyed(db, 1);
    await assert.rejects(job.run(), /too busy/);
    fails = false;
    assert.equal(await walksAfter(60_000), true);
    assert.equal(await walksAfter(HOUR_MS - 1), false);
    assert.equal(await walksAfter(1), true);
    assert.equal(await walksAfter(22 * HOUR_MS), true);
    assert.equal(await walksAfter(HOUR_MS), false, 'a day is over');
  });
});

onPostgres('the keys of names, of users whose rows others have locked', (database) => {
  test('a walk waits for a change of names that is not committed, and leaves the keys of its names', async (t) => {
    const db = await database.open(t);
    await addUnkeyed(db, 2);
    const [{ id } = { id: '' }] = await db.all<{ id: string }>`select id from users`;
    const user = await getUser(db, id);
    const written = Promise.withResolvers<void>();
    const change = db.transaction(async (tx) => {
      await writeProfile(tx, { ...user, nickname: 'Zoe' });
      written.resolve();
      while ((await tx.all`select 1 as n from pg_locks where not granted`).length === 0);
    });
    await written.promise;
    await Promise.all([change, mendNameKeys(db)]);
    await assertKeyed(db);
    assert.deepEqual(await names(db, { q: 'zo' }), [user.username]);
  });
});
