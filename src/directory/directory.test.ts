import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import { names, pages } from '../../test/directory.ts';
import { OWN_IDS } from '../../test/ids.ts';
import { addCrowd, addUser } from '../../test/people.ts';
import { PRESENT } from '../../test/present.ts';
import { ServiceError } from '../errors.ts';
import { OnlineUsers } from '../presence/online-users.ts';
import { listPage } from './directory.ts';

const presence = new OnlineUsers();

onEachDatabase('the directory by pages', (database) => {
  test('an entry has the seven fields', async (t) => {
    const db = await database.open(t);
    const own = new OnlineUsers();
    const fields = { avatar: '/a.png', nickname: 'Al', gender: 'male' as const, bio: 'b' };
    const id = await addUser(db, 'alice', { ...fields, phone: '1', email: 'a@b' });
    own.add(id, PRESENT);
    assert.deepEqual(await listPage(db, own, {}), {
      entries: [{ id, username: 'alice', ...fields, isOnline: 1 }],
    });
  });

  test('users come by id, page by page, and the last page has no next', async (t) => {
    const db = await database.open(t);
    for (const name of ['zoe', 'adam', 'mia', 'bob', 'eve']) await addUser(db, name);
    await addUser(db, 'gone', { status: 'deleted' });
    assert.deepEqual(await pages(db, { limit: 2 }), [['zoe', 'adam'], ['mia', 'bob'], ['eve']]);
    assert.deepEqual(await pages(db, { limit: 5 }), [['zoe', 'adam', 'mia', 'bob', 'eve']]);
    assert.deepEqual(await pages(db, { limit: 1 }), [['zoe'], ['adam'], ['mia'], ['bob'], ['eve']]);
  });

  test('users with ids of every form are on one page each, in a list and in each search', async (t) => {
    const db = await database.open(t);
    const own = new OnlineUsers();
    // Of one nickname, which has a colon: the cursors of the search differ in the id alone.
    for (const [at, id] of OWN_IDS.entries()) {
      await addUser(db, `own ${at}`, { id, nickname: 'n: 4:2' });
      own.add(id, PRESENT);
    }
    const byId = OWN_IDS.toSorted().map((id) => `own ${OWN_IDS.indexOf(id)}`);
    const byName = byId.toSorted();
    for (const online of [0, 1] as const)
      for (const limit of [1, 7]) {
        assert.deepEqual((await pages(db, { online, limit }, own)).flat(), byId);
        assert.deepEqual((await pages(db, { online, limit, q: 'n: 4' }, own)).flat(), byId);
        assert.deepEqual((await pages(db, { online, limit, q: 'own' }, own)).flat(), byName);
      }
    // Many are online, so that the search reads them in the order of names.
    for (let i = 0; i < 1_001; i++) own.add(`elsewhere${i}`, PRESENT);
    assert.deepEqual((await pages(db, { online: 1, limit: 1, q: 'n' }, own)).flat(), byId);
  });

  test('a page has 1000 users without a limit', async (t) => {
    const db = await database.open(t);
    await addCrowd(db, 2001);
    assert.deepEqual(
      (await pages(db, { online: 0 })).map((page) => page.length),
      [1000, 1000, 1],
    );
    const searched = await pages(db, { q: 'crowd', limit: 1000 });
    assert.deepEqual(
      searched.map((page) => page.length),
      [1000, 1000, 1],
    );
    assert.equal(new Set(searched.flat()).size, 2001);
  });

  test('a user who registers between two pages is on the last page, and no user is on two pages', async (t) => {
    const db = await database.open(t);
    for (const name of ['a1', 'a2', 'a3']) await addUser(db, name);
    const first = await listPage(db, presence, { limit: 2 });
    await addUser(db, 'a4');
    await db.run`update users set status = 'deleted' where username = 'a2'`;
    assert.deepEqual(await names(db, { limit: 5, after: first.next ?? '' }), ['a3', 'a4']);
  });

  test('online=1 lists online users, with and without q', async (t) => {
    const db = await database.open(t);
    const own = new OnlineUsers();
    const ids = [];
    for (const name of ['anna', 'bob', 'alan', 'carl', 'adam']) ids.push(await addUser(db, name));
    for (const i of [4, 2, 1]) own.add(ids[i] ?? '', PRESENT);
    assert.deepEqual(await pages(db, { online: 1, limit: 2 }, own), [['bob', 'alan'], ['adam']]);
    assert.deepEqual(await pages(db, { online: 1, q: 'a', limit: 1 }, own), [['adam'], ['alan']]);
    assert.deepEqual(await names(db, { online: 1 }), []);
    const page = await listPage(db, own, { limit: 5 });
    assert.deepEqual(
      page.entries.map((entry) => entry.isOnline),
      [0, 1, 1, 0, 1],
    );
  });

  test('who is not listed is found by their whole username alone, also online and behind a cursor', async (t) => {
    const db = await database.open(t);
    const own = new OnlineUsers();
    const ids = new Map<string, string>();
    for (const name of ['anna', 'Bob', 'bobby', 'carl'])
      ids.set(name, await addUser(db, name, { nickname: `nick of ${name}` }));
    for (const id of ids.values()) own.add(id, PRESENT);
    const first = await listPage(db, own, { limit: 2 });
    const found = await listPage(db, own, { q: 'bo', limit: 1 });
    await db.run`update users set is_listed = 0 where id = ${ids.get('Bob') ?? ''}`;
    assert.deepEqual(await pages(db, { limit: 1 }), [['anna'], ['bobby'], ['carl']]);
    assert.deepEqual(await pages(db, { online: 1, limit: 1 }, own), [['anna'], ['bobby'], ['carl']]);
    for (const online of [0, 1] as const) {
      for (const q of ['b', 'bo', 'nick of b', 'nick of bob', 'bob nick'])
        assert.deepEqual(await names(db, { q, online }, own), ['bobby']);
      for (const q of ['bob', 'BOB', 'ｂｏｂ'])
        assert.deepEqual(await pages(db, { q, online, limit: 1 }, own), [['Bob'], ['bobby']]);
    }
    // A cursor that was made before, at the user who is not listed now.
    assert.deepEqual(await names(db, { after: first.next ?? '' }), ['bobby', 'carl']);
    assert.deepEqual(await names(db, { q: 'bo', after: found.next ?? '' }), ['bobby']);
  });

  test('who hides their presence is offline to everyone, and no page or cursor of online users names them', async (t) => {
    const db = await database.open(t);
    const own = new OnlineUsers();
    const crowd = await addCrowd(db, 3_000);
    for (const id of crowd) own.add(id, PRESENT);
    // Every user but the first, one in the middle and the last.
    const shown = [0, 1_499, 2_999];
    const shownIds = shown.map((i) => crowd[i] ?? '');
    await db.run`
      update users set who_presence = case when ${shownIds[1] ?? ''} > id then 'friends' else 'nobody' end
      where id not in (${shownIds[0] ?? ''}, ${shownIds[1] ?? ''}, ${shownIds[2] ?? ''})`;
    const expected = shown.map((i) => [`crowd${i + 1}`]);
    assert.deepEqual(await pages(db, { online: 1, limit: 1 }, own), expected);
    assert.deepEqual(await names(db, { online: 1, q: 'crowd' }, own), ['crowd1', 'crowd1500', 'crowd3000']);
    assert.deepEqual(await names(db, { online: 1, q: 'crowd2' }, own), []);
    const online = (await listPage(db, own, {})).entries.filter(({ isOnline }) => isOnline === 1);
    assert.deepEqual(
      online.map(({ username }) => username),
      ['crowd1'],
    );
    // A caller who does not show it to everyone.
    const seen = await listPage(db, own, { limit: 2 }, false);
    assert.deepEqual(
      seen.entries.map(({ username, isOnline }) => [username, isOnline]),
      [
        ['crowd1', 0],
        ['crowd2', 0],
      ],
    );
    assert.deepEqual(await listPage(db, own, { online: 1 }, false), { entries: [] });
    assert.deepEqual(await listPage(db, own, { online: 1, q: 'crowd' }, false), { entries: [] });
  });

  test('a cursor that no answer contained is refused', async (t) => {
    const db = await database.open(t);
    const old = (cursor: string) => Buffer.from(cursor).toString('base64url');
    for (const after of [
      '%',
      'a',
      'ab==',
      '_w',
      '',
      'any text',
      'b:x',
      'a:',
      'k:',
      'k:a',
      'k:a:x y',
      // Of searches of earlier versions.
      'u:anna',
      'n:al:x',
      old('u:anna'),
      old('n:al:x'),
      'a:x y',
      'u:a\0b',
      old('u:a\0b'),
    ])
      for (const query of [{ after }, { after, q: 'a' }, { after, q: 'a', online: 1 as const }])
        await assert.rejects(
          listPage(db, presence, query),
          (error) => error instanceof ServiceError && error.word === 'bad_cursor',
        );
  });

  test('a list and a search refuse the cursors of each other', async (t) => {
    const db = await database.open(t);
    for (const name of ['anna', 'annabel']) await addUser(db, name);
    const { next: listed = '' } = await listPage(db, presence, { limit: 1 });
    const { next: searched = '' } = await listPage(db, presence, { limit: 1, q: 'an' });
    assert.deepEqual(await names(db, { after: listed }), ['annabel']);
    assert.deepEqual(await names(db, { after: searched, q: 'an' }), ['annabel']);
    for (const query of [{ after: searched }, { after: listed, q: 'an' }])
      await assert.rejects(listPage(db, presence, query), { word: 'bad_cursor' });
  });

  test('a cursor of an earlier version, in Base64url, continues its list', async (t) => {
    const db = await database.open(t);
    for (const name of ['adam', 'anna', 'bob']) await addUser(db, name);
    for (const limit of [1, 2]) {
      const { next = '' } = await listPage(db, presence, { limit });
      const after = Buffer.from(next.replace(/^a:/, '')).toString('base64url');
      assert.deepEqual(
        await listPage(db, presence, { after }),
        await listPage(db, presence, { after: next }),
      );
    }
  });
});
