import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { onEachDatabase } from '../../test/databases.ts';
import { names, pages } from '../../test/directory.ts';
import { addCrowd, addUser } from '../../test/people.ts';
import { PRESENT } from '../../test/present.ts';
import { OnlineUsers } from '../presence/online-users.ts';
import { foldName, nameKeys } from '../users/name-keys.ts';
import { nameKey } from '../users/names.ts';
import { listPage } from './directory.ts';
import type { DirectoryQuery } from './schemas.ts';

onEachDatabase('the search for people', (database) => {
  test('finds each word of a name by its start, in any order, neighbours or not', async (t) => {
    const db = await database.open(t);
    await addUser(db, 'ams', { nickname: 'Anna Maria Smith' });
    await addUser(db, 'anton', { nickname: 'smithy' });
    for (const q of [
      'an sm',
      'sm an',
      'smith anna',
      'maria',
      'MAR',
      'a m s',
      'anna maria smith',
      'maria-smith',
    ])
      assert.deepEqual(await names(db, { q }), ['ams'], q);
    assert.deepEqual(await names(db, { q: 'sm' }), ['ams', 'anton']);
    assert.deepEqual(await names(db, { q: 'an' }), ['ams', 'anton']);
    for (const q of ['nna', 'an smithy', 'anna smith x', 'ams anna', 'annamaria'])
      assert.deepEqual(await names(db, { q }), [], q);
  });

  test('finds names in every script, with and without marks', async (t) => {
    const db = await database.open(t);
    const people = {
      lin: '林小雨',
      wang: '王 小明',
      kim: '김 민수',
      somchai: 'สมชาย ใจดี',
      ali: 'مُحَمَّد علي',
      nunez: 'Núñez',
      strasse: 'Straße',
      sofos: 'Σοφός',
      kana: 'さくら サーチ',
    };
    for (const [name, nickname] of Object.entries(people)) await addUser(db, name, { nickname });
    const finds: Record<string, string[]> = {
      林小雨: ['lin'],
      小雨: ['lin'],
      雨: ['lin'],
      小: ['wang', 'lin'],
      '雨 林': ['lin'],
      小明: ['wang'],
      林雨: [],
      민수: ['kim'],
      '수 김': ['kim'],
      ชาย: ['somchai'],
      'ใจ สม': ['somchai'],
      محمد: ['ali'],
      'علي مُحَ': ['ali'],
      nunez: ['nunez'],
      NÚÑEZ: ['nunez'],
      'nu\u0301n': ['nunez'],
      stra: ['strasse'],
      ＳＴＲＡ: ['strasse'],
      ΣΟΦΌΣ: ['sofos'],
      くら: ['kana'],
      'チ さ': ['kana'],
    };
    for (const [q, found] of Object.entries(finds)) assert.deepEqual(await names(db, { q }), found, q);
  });

  test('a whole username is found first, once, also one of signs alone, and a q of signs finds nothing else', async (t) => {
    const db = await database.open(t);
    const own = new OnlineUsers();
    await addUser(db, 'aa', { nickname: 'bob a' });
    const bob = await addUser(db, 'Bob', { nickname: 'zed bob' });
    const faces = await addUser(db, '😀😀', { nickname: '!!' });
    await addUser(db, '😁x', { nickname: '😀 smile' });
    for (const limit of [1, 2, 5])
      assert.deepEqual((await pages(db, { q: 'ＢＯＢ', limit })).flat(), ['Bob', 'aa']);
    assert.deepEqual(await names(db, { q: '😀😀' }), ['😀😀']);
    assert.deepEqual(await names(db, { q: '😀😀', online: 1 }, own), []);
    own.add(faces, PRESENT);
    own.add(bob, PRESENT);
    assert.deepEqual(await names(db, { q: '😀😀', online: 1 }, own), ['😀😀']);
    assert.deepEqual(await names(db, { q: 'bob', online: 1 }, own), ['Bob']);
    assert.deepEqual(await names(db, { q: '😀 x' }), ['😁x']);
    assert.deepEqual(await names(db, { q: 'ःः x' }), [], 'a letter behind a longer word of marks');
    for (const q of ['😀', '!!', '%', ' ', '\u0301', '--', 'ःः'])
      await assert.rejects(listPage(db, own, { q }), { kind: 'invalid', word: 'bad_query' }, q);
    await db.run`update users set status = 'deleted' where id = ${faces}`;
    await assert.rejects(listPage(db, own, { q: '😀😀' }), { word: 'bad_query' });
  });

  test('the special characters of SQL separate words, and are found in a whole username', async (t) => {
    const db = await database.open(t);
    for (const name of ['a%b', 'a_b', "a'b", 'a\\b', 'axb', 'a*b', 'a[b']) await addUser(db, name);
    for (const sign of "%_'\\*[") {
      const found = await names(db, { q: `a${sign}b` });
      assert.equal(found[0], `a${sign}b`);
      assert.deepEqual(found.sort(), ['a%b', 'a_b', "a'b", 'a\\b', 'a*b', 'a[b'].sort());
    }
  });

  test('people come by key and id, each once on a page, and suspended ones as any other', async (t) => {
    const db = await database.open(t);
    const ids = ['c', 'a', 'b'];
    for (const id of ids) await addUser(db, `x${id}`, { id, nickname: 'Ann Annsson Anno' });
    await addUser(db, 'ann b', { nickname: 'ann a', status: 'suspended' });
    await addUser(db, 'gone', { nickname: 'ann', status: 'deleted' });
    assert.deepEqual(await names(db, { q: 'ann' }), ['ann b', 'xa', 'xb', 'xc']);
    assert.deepEqual(await names(db, { q: 'anns' }), ['xa', 'xb', 'xc']);
    const found = await pages(db, { q: 'ann', limit: 2 });
    for (const page of found) assert.equal(new Set(page).size, page.length);
    assert.deepEqual([...new Set(found.flat())], ['ann b', 'xa', 'xb', 'xc']);
    const none = new OnlineUsers();
    for (const query of [{ q: 'anns' }, { q: 'anns', online: 1 as const }])
      await assert.rejects(listPage(db, none, { ...query, after: 'k:ann annsson anno:a' }), {
        word: 'bad_cursor',
      });
  });

  test('a match is compared with the present names, where its keys are of earlier ones', async (t) => {
    const db = await database.open(t);
    const id = await addUser(db, 'xy', { nickname: 'Anna Maria' });
    // As a node of the version before writes it.
    await db.run`update users set nickname = 'Anna Berta' where id = ${id}`;
    assert.deepEqual(await names(db, { q: 'anna' }), ['xy']);
    for (const q of ['maria', 'maria anna', 'berta']) assert.deepEqual(await names(db, { q }), [], q);
  });

  test('a name that its keys cut is found by all of its words', async (t) => {
    const db = await database.open(t);
    const nickname = 'ﷺ'.repeat(20);
    await addUser(db, 'long', { nickname });
    const texts = foldName(nickname).split(' ');
    assert.ok(texts.length > 40);
    assert.deepEqual(await names(db, { q: `${nickname.slice(0, 3)} ${texts.at(-1)}` }), ['long']);
    assert.deepEqual(await names(db, { q: 'ﷺ'.repeat(20) }), ['long']);
  });

  test('one answer reads 5,000 keys, where many match a word, or many are online', async (t) => {
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
    await addUser(db, 'last', { nickname: 'crowda others' });
    assert.deepEqual(await pages(db, { q: 'crowd ot' }), [[], [], ['last']]);
    assert.deepEqual(await pages(db, { q: 'crowd others' }), [['last']]);
  });

  test('against a plain model: the pages of any search have every match in order', async (t) => {
    const db = await database.open(t);
    const own = new OnlineUsers();
    const letters = fc.string({
      unit: fc.constantFrom('a', 'b', 'B', 'ａ', 'á', 'ß', '小', '민', '😀', ':', ' ', '%'),
      minLength: 2,
      maxLength: 6,
    });
    const users: { id: string; username: string; nickname: string; online: boolean; listed: boolean }[] = [];
    const taken = new Set<string>();
    const mostly = fc.integer({ max: 3, min: 0 }).map((n) => n > 0);
    const sample = fc.sample(fc.tuple(letters, letters, fc.boolean(), mostly, mostly), 150);
    for (const [username, nickname, online, listed, shown] of sample) {
      if (taken.has(nameKey(username))) continue;
      taken.add(nameKey(username));
      const id = await addUser(db, username, { nickname, is_listed: listed ? 1 : 0 });
      await db.run`update users set who_presence = ${shown ? 'everyone' : 'friends'} where id = ${id}`;
      users.push({ id, username, nickname, online: online && shown, listed });
      if (online) own.add(id, PRESENT);
    }
    const query = fc.record({
      q: fc.string({
        unit: fc.constantFrom('a', 'B', 'Ａ', 'ß', '小', '민', '😀', ':', ' ', '%'),
        minLength: 1,
        maxLength: 4,
      }),
      online: fc.boolean(),
      limit: fc.integer({ min: 1, max: 40 }),
    });
    await fc.assert(
      fc.asyncProperty(query, async ({ q, online, limit }) => {
        const texts = foldName(q).split(' ');
        const named = users.find(({ username }) => nameKey(username) === nameKey(q));
        const shown = users.filter((user) => !online || user.online);
        const longest = texts.toSorted((a, b) => b.length - a.length)[0] ?? '';
        const matches = shown
          .filter((user) => user !== named && user.listed && hasWords(user, texts))
          .flatMap(({ id, username, nickname }) => {
            const keys = [...nameKeys(`${username}\n${nickname}`)].filter(
              (key) =>
                key.startsWith(longest) &&
                (texts.length === 1 || texts.every((text) => beginsWord(text, key, 1))),
            );
            const sorted = keys.map((key) => Buffer.from(`${key}\0${id}`)).sort(Buffer.compare);
            return { username, place: sorted[0] ?? Buffer.alloc(0) };
          })
          .sort((a, b) => Buffer.compare(a.place, b.place));
        const expected = matches.map(({ username }) => username);
        if (longest === '') expected.splice(0);
        if (named && shown.includes(named)) expected.unshift(named.username);
        const request = { q, ...(online && { online: 1 as const }), limit };
        if (longest === '' && !named) return assert.rejects(pages(db, request, own), { word: 'bad_query' });
        const found = await pages(db, request, own);
        for (const page of found) assert.equal(new Set(page).size, page.length);
        assert.deepEqual([...new Set(found.flat())], expected);
        for (const page of found.slice(0, -1)) assert.equal(page.length, limit);
        assert.ok(found.length === 1 || (found.at(-1)?.length ?? 0) > 0);
      }),
      { numRuns: 150 },
    );
  });
});

function hasWords(
  { username, nickname }: { username: string; nickname: string },
  texts: readonly string[],
): boolean {
  return [username, nickname].some((name) => texts.every((text) => beginsWord(text, foldName(name))));
}

/** Looks at each character for itself. @param first how much of the text decides: of several words, a key begins anew at one of them */
function beginsWord(text: string, folded: string, first = text.length): boolean {
  const isAlone = (character: string | undefined) => /[小민]/.test(character ?? '');
  return Array.from(folded).some(
    (character, at) =>
      folded.startsWith(text.slice(0, first), at) &&
      (at === 0 || folded[at - 1] === ' ' || isAlone(character) || isAlone(folded[at - 1])),
  );
}
