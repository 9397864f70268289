import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDeployment } from '../../../test/databases.ts';
import { addCrowd } from '../../../test/people.ts';
import { startSearching, storeMessages } from '../../../test/searching.ts';
import { deleteUser } from '../../leaving/remove-user.ts';

onEachDeployment('a search in messages', (database) => {
  test('finds parts of words, all of them, in any order and case, and folds nothing else', async (t) => {
    const { alice, bob, send, find } = await startSearching(t, database);
    const bodies = [
      'Tea at five, at Núñez’s?',
      '明天下午五点喝茶吗',
      'Straße 50% _off_ \\ "now"',
      'ÄRGER mit Ärzten',
      '내일 다섯 시에 만나요',
      'พรุ่งนี้ดื่มชากันไหม',
      'نلتقي غدا في الخامسة',
      'Temperature 300 \u212a in \u0130zmir',
      '👍🏽 ok',
      '\u3000ΟΔΟΣ two\n\nlines ',
    ];
    for (const body of bodies) await send(bob, alice, body);
    for (const [q, ...expected] of [
      ['tea', 1],
      ['FIVE tEA', 1],
      ['at e', 8, 1],
      ['at  five,', 1],
      ['nunez'],
      ['núñ', 1],
      ['NÚÑ', 1],
      ['下午', 2],
      ['茶 明天', 2],
      ['%', 3],
      ['_', 3],
      ['\\', 3],
      ['"now" strasse'],
      ['STRASSE'],
      ['straß', 3],
      ['ärger', 4],
      ['ärz ÄRG', 4],
      ['다섯', 5],
      ['ดื่ม', 6],
      ['الخامسة', 7],
      ['300 k', 8],
      ['K in i\u0307z', 8],
      ['\u0307z', 8],
      ['i\u0307', 8],
      ['👍', 9],
      ['🏽', 9],
      ['οδος', 10],
      ['ΟΔΟΣ', 10],
      ['two\u3000lines', 10],
      ['\n lines\t', 10],
      ['lines two three'],
    ] as const)
      assert.deepEqual(
        await find(alice, { q }),
        expected.map((n) => `bob ${n}`),
        q,
      );
  });

  test('pages go from the latest conversation to the oldest, in each from the newest message on', async (t) => {
    const { db, clock, alice, bob, carol, send, page, pages } = await startSearching(t, database);
    const ids = await addCrowd(db, 450);
    const model: string[] = [];
    for (const [i, id] of ids.entries()) {
      const bodies = Array.from({ length: (i % 7) + 1 }, (_, n) =>
        (i + n) % 3 === 0 ? `hit ${n}` : 'other',
      );
      // Several in one hour, and some at one time.
      await storeMessages(db, alice.id, id, bodies, clock.now - 500_000_000 + Math.floor(i / 2) * 900_000);
      model.push(...bodies.flatMap((body, n) => (body.startsWith('hit') ? [`${id} ${n + 1}`] : [])));
    }
    await send(carol, alice, 'hit');
    await send(alice, bob, 'Hit');
    const order = await db.all<{ id: string }>`
      select peer_id as id from conversations where user_id = ${alice.id} order by last_at desc, peer_id desc`;
    const rank = new Map(order.map(({ id }, at) => [id, at]));
    const placeOf = (one: string) => {
      const [id = '', n = ''] = one.split(' ');
      return (rank.get(id) ?? 0) * 100 - Number(n);
    };
    const expected = [...model, `${carol.id} 1`, `${bob.id} 1`].sort(
      (one, other) => placeOf(one) - placeOf(other),
    );
    const total = await db.get<{ count: number }>`
      select count(*) as count from messages where ${alice.id} in (low_id, high_id)`;
    for (const limit of [7, 50]) {
      const all = await pages(alice, { q: 'hit', limit });
      assert.deepEqual(
        all.flatMap(({ items }) => items.map(({ peer, n }) => `${peer} ${n}`)),
        expected,
      );
      assert.equal(
        all.reduce((sum, { searched }) => sum + searched, 0),
        total?.count,
      );
      for (const { items, people, next } of all) {
        assert.ok(items.length === limit || next === undefined);
        assert.deepEqual(
          people.map(({ id }) => id),
          [...new Set(items.map(({ peer }) => peer))].sort(),
        );
      }
    }
    assert.equal((await page(alice, { q: 'hit' })).items.length, 20);
    const some = ids[6] ?? '';
    const withPeer = (await pages(alice, { q: 'hit', peer: some, limit: 2 })).flatMap(({ items }) => items);
    assert.deepEqual(
      withPeer.map(({ peer, n }) => `${peer} ${n}`),
      expected.filter((one) => one.startsWith(`${some} `)),
    );
    assert.deepEqual(
      [withPeer.length > 2, withPeer[0]?.from, withPeer[0]?.body.slice(0, 3)],
      [true, some, 'hit'],
    );
  });

  test('finds neither what was unsent or deleted nor what waits as a request or was declined; a block changes nothing', async (t) => {
    const world = await startSearching(t, database);
    const { service, db, alice, bob, carol, act, send, block, find, page } = world;
    for (const body of ['tea 1', 'tea 2', 'tea 3', 'tea 4']) await send(bob, alice, body);
    assert.deepEqual(await find(alice, { q: 'tea' }), ['bob 4', 'bob 3', 'bob 2', 'bob 1']);
    await act(bob, 'unsend', { peer: alice.id, n: 3 });
    await act(alice, 'clear', { peer: bob.id, n: 1 });
    await act(bob, 'edit', { peer: alice.id, n: 4, body: 'coffee' });
    assert.deepEqual(await find(alice, { q: 'tea' }), ['bob 2']);
    assert.deepEqual(await find(alice, { q: 'COFFEE', peer: bob.id }), ['bob 4']);
    assert.deepEqual(await find(bob, { q: 'tea' }), ['alice 2', 'alice 1']);
    assert.equal((await page(alice, { q: 'tea' })).searched, 3);

    await db.run`update users set who_messages = 'requests' where id = ${alice.id}`;
    await send(carol, alice, 'tea 5');
    assert.deepEqual(await find(alice, { q: 'tea' }), ['bob 2']);
    assert.deepEqual(await find(alice, { q: 'tea', peer: carol.id }), []);
    assert.deepEqual(await find(carol, { q: 'tea' }), ['alice 1']);
    const answer = (by: string) =>
      service.post('/api/conversations/request', { peer: carol.id, act: by }, { token: alice.token });
    await answer('decline');
    assert.deepEqual(await find(alice, { q: 'tea' }), ['bob 2']);
    assert.deepEqual(await find(alice, { q: 'tea', peer: carol.id }), []);
    await send(alice, carol, 'milk');
    assert.deepEqual(await find(alice, { q: 'tea' }), ['carol 1', 'bob 2']);

    await block(alice, bob);
    assert.deepEqual(await find(alice, { q: 'tea' }), ['carol 1', 'bob 2']);
    assert.deepEqual(await find(bob, { q: 'tea' }), ['alice 2', 'alice 1']);
    const { items, people } = await page(alice, { q: 'tea' });
    assert.deepEqual(people.map(({ username }) => username).sort(), ['bob', 'carol']);
    await db.transaction((tx) => deleteUser(tx, carol.id));
    const left = await page(alice, { q: 'tea' });
    assert.deepEqual(left.items, items);
    assert.deepEqual(
      left.people.map(({ username }) => username),
      ['bob'],
    );
  });

  test('one call reads at most 20,000 messages and says where to go on, also without a hit', async (t) => {
    const { db, clock, alice, bob, carol, page } = await startSearching(t, database);
    const bodies = Array.from({ length: 20_000 }, (_, i) => (i < 100 ? 'needle' : 'hay'));
    await storeMessages(db, alice.id, bob.id, bodies.slice(0, 400), clock.now - 1000);
    await storeMessages(db, alice.id, carol.id, bodies.slice(100), clock.now);
    const first = await page(alice, { q: 'needle', limit: 50 });
    assert.deepEqual([first.items, first.people, first.searched], [[], [], 20_000]);
    const second = await page(alice, { q: 'needle', limit: 50, after: first.next ?? '' });
    assert.deepEqual([second.items.length, second.items[0]?.n, second.items.at(-1)?.n], [50, 100, 51]);
    const third = await page(alice, { q: 'needle', limit: 50, after: second.next ?? '' });
    assert.deepEqual([third.items.length, third.items.at(-1)?.n, third.next], [50, 1, undefined]);
    assert.equal(first.searched + second.searched + third.searched, 20_300);
    // Exactly as many as one call reads: then all was read.
    assert.equal((await page(bob, { q: 'hay', limit: 1 })).next !== undefined, true);
    const all = await page(carol, { q: 'needle' });
    assert.deepEqual([all.searched, all.next], [19_900, undefined]);
  });
});
