import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { onEachDatabase } from '../../test/databases.ts';
import { OWN_IDS } from '../../test/ids.ts';
import { addCrowd, addUser } from '../../test/people.ts';
import { PRESENT } from '../../test/present.ts';
import type { Db } from '../db/db.ts';
import { ServiceError } from '../errors.ts';
import { OnlineUsers } from '../presence/online-users.ts';
import { nameKey } from '../users/names.ts';
import { listPage } from './directory.ts';
import type { DirectoryQuery } from './schemas.ts';

const presence = new OnlineUsers();

/** The names on one page. */
async function names(db: Db, query: DirectoryQuery, who = presence): Promise<string[]> {
  return (await listPage(db, who, query)).entries.map((entry) => entry.username);
}

/** All pages, by `next`. */
async function pages(db: Db, query: DirectoryQuery, who = presence): Promise<string[][]> {
  const found: string[][] = [];
  for (let after: string | undefined; ; ) {
    const { entries, next } = await listPage(db, who, { ...query, ...(after !== undefined && { after }) });
    found.push(entries.map((entry) => entry.username));
    if (next === undefined) return found;
    after = next;
    assert.ok(found.length < 1000, 'the pages do not end');
  }
}

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

  test('q matches the start of the username, then of the nickname, in any spelling', async (t) => {
    const db = await database.open(t);
    await addUser(db, 'Alina');
    await addUser(db, 'bob', { nickname: 'ＡＬＩ' });
    await addUser(db, 'ALICE', { nickname: 'Alice again' });
    await addUser(db, 'carol', { nickname: 'al' });
    await addUser(db, 'xali', { nickname: 'not ali' });
    await addUser(db, 'ali gone', { status: 'deleted' });
    for (const q of ['ali', 'ALI', 'ａｌｉ', 'Ali'])
      assert.deepEqual(await names(db, { q }), ['ALICE', 'Alina', 'bob']);
    assert.deepEqual(await names(db, { q: 'al' }), ['ALICE', 'Alina', 'carol', 'bob']);
    assert.deepEqual(await names(db, { q: 'alice a' }), ['ALICE']);
    assert.deepEqual(await names(db, { q: 'none' }), []);
  });

  test('the special characters of SQL are plain characters in q', async (t) => {
    const db = await database.open(t);
    for (const name of ['a%b', 'a_b', "a'b", 'a\\b', 'axb', 'a*b', 'a[b']) await addUser(db, name);
    for (const q of ['a%', 'a_', "a'", 'a\\', 'a*', 'a['])
      assert.deepEqual(await names(db, { q }), [`${q}b`]);
  });

  test('q matches names in every script', async (t) => {
    const db = await database.open(t);
    for (const name of ['小明', '小红', '大明', '😀😀', '😁x', 'Σοφός', 'étoile']) await addUser(db, name);
    assert.deepEqual(await names(db, { q: '小' }), ['小明', '小红'].sort());
    assert.deepEqual(await names(db, { q: '😀' }), ['😀😀']);
    assert.deepEqual(await names(db, { q: 'ΣΟΦΌΣ' }), ['Σοφός']);
    assert.deepEqual(await names(db, { q: 'E\u0301' }), ['étoile']);
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
      for (const q of ['b', 'bo', 'nick of b'])
        assert.deepEqual(await names(db, { q, online }, own), ['bobby']);
      assert.deepEqual(await names(db, { q: 'nick of bob', online }, own), ['bobby']);
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

  test('a search for online users reads 5,000 matches for an answer where many are online', async (t) => {
    const db = await database.open(t);
    const crowd = await addCrowd(db, 12_000);
    const own = new OnlineUsers();
    // In the order of names: crowd1, crowd10, crowd100, .. crowd9999.
    for (const n of [1, 9_998, 9_999]) own.add(crowd[n - 1] ?? '', PRESENT);
    const query: DirectoryQuery = { q: 'crowd', online: 1, limit: 2 };
    assert.deepEqual(await pages(db, query, own), [['crowd1', 'crowd9998'], ['crowd9999']], 'few are online');
    for (let i = 0; i < 1_000; i++) own.add(`elsewhere${i}`, PRESENT);
    assert.deepEqual(await pages(db, query, own), [['crowd1'], [], ['crowd9998', 'crowd9999']]);
    assert.deepEqual(await names(db, { q: 'crowd9999', online: 1 }, own), ['crowd9999']);
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
      'a:x y',
      'u:a\0b',
      old('u:a\0b'),
    ])
      for (const query of [{ after }, { after, q: 'a' }])
        await assert.rejects(
          listPage(db, presence, query),
          (error) => error instanceof ServiceError && error.word === 'bad_cursor',
        );
  });

  test('a cursor of an earlier version, in Base64url, continues its list', async (t) => {
    const db = await database.open(t);
    for (const name of ['adam', 'anna', 'bob'])
      await addUser(db, name, { nickname: name === 'bob' ? 'al' : '' });
    for (const query of [{}, { q: 'a' }]) {
      for (const limit of [1, 2]) {
        const { next = '' } = await listPage(db, presence, { ...query, limit });
        const after = Buffer.from(next.replace(/^a:/, '')).toString('base64url');
        assert.deepEqual(
          await listPage(db, presence, { ...query, after }),
          await listPage(db, presence, { ...query, after: next }),
        );
      }
    }
  });

  test('against a plain model: the pages of any search have every match, once, in order', async (t) => {
    const db = await database.open(t);
    const own = new OnlineUsers();
    const letters = fc.string({
      unit: fc.constantFrom('a', 'b', 'B', 'ａ', 'ß', '小', '😀', ':', '%'),
      minLength: 2,
      maxLength: 4,
    });
    const users: { id: string; username: string; nickname: string; online: boolean; listed: boolean }[] = [];
    const taken = new Set<string>();
    const mostly = fc.integer({ max: 3, min: 0 }).map((n) => n > 0);
    const sample = fc.sample(fc.tuple(letters, letters, fc.boolean(), mostly, mostly), 150);
    for (const [username, nickname, online, listed, shown] of sample) {
      if (taken.has(nameKey(username))) continue;
      taken.add(nameKey(username));
      const id = await addUser(db, username, { nickname });
      await db.run`
        update users set is_listed = ${Number(listed)}, who_presence = ${shown ? 'everyone' : 'friends'} where id = ${id}`;
      users.push({ id, username, nickname, online: online && shown, listed });
      if (online) own.add(id, PRESENT);
    }
    const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
    const query = fc.record({
      q: fc.option(
        fc.string({
          unit: fc.constantFrom('a', 'B', 'Ａ', '小', '😀', ':', '%'),
          minLength: 1,
          maxLength: 2,
        }),
      ),
      online: fc.boolean(),
      limit: fc.integer({ min: 1, max: 40 }),
    });
    await fc.assert(
      fc.asyncProperty(query, async ({ q, online, limit }) => {
        const shown = users.filter((user) => !online || user.online);
        const key = nameKey(q ?? '');
        const listed = shown.filter((user) => user.listed);
        const byName = shown.filter(
          ({ username, listed }) =>
            nameKey(username).startsWith(key) && (listed || nameKey(username) === key),
        );
        const byNickname = listed.filter(
          (user) => !byName.includes(user) && nameKey(user.nickname).startsWith(key),
        );
        byNickname.sort((a, b) => byBytes(nameKey(a.nickname), nameKey(b.nickname)) || byBytes(a.id, b.id));
        byName.sort((a, b) => byBytes(nameKey(a.username), nameKey(b.username)));
        const expected = (q === null ? listed : [...byName, ...byNickname]).map((user) => user.username);
        const request = {
          ...(q !== null && { q }),
          ...(online && { online: 1 as const }),
          limit,
        };
        const found = await pages(db, request, own);
        assert.deepEqual(found.flat(), expected);
        for (const page of found.slice(0, -1)) assert.equal(page.length, limit);
        assert.ok(found.length === 1 || (found.at(-1)?.length ?? 0) > 0);
      }),
      { numRuns: 60 },
    );
  });
});
