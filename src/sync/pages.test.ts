import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import type { Body } from '../../test/harness.ts';
import { addCrowd } from '../../test/people.ts';
import { startSockets } from '../../test/sockets.ts';
import { hourOf } from '../chat/conversations.ts';

const ENTRIES = 250;

onEachDatabase('lists that are longer than a page', (database) => {
  /** Alice with 250 conversations, 250 requests and 250 blocks, some of them at the same millisecond. */
  async function startLong(t: TestContext) {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const { db } = service.services;
    const ids = await addCrowd(db, ENTRIES);
    await db.transaction(async (tx) => {
      for (const [i, id] of ids.entries()) {
        const at = 1000 + Math.floor(i / 3) * 20 * 60_000; // three an hour, each time three times
        const [low, high] = [alice.id, id].sort();
        await tx.run`
          insert into messages (low_id, high_id, n, sender_id, cid, body, at) values (${low ?? ''}, ${high ?? ''}, 1, ${id}, 'c', 'hi', ${at})`;
        await tx.run`
          insert into conversations (user_id, peer_id, n, last_at, last_hour, unread)
          values (${alice.id}, ${id}, 1, ${at}, ${hourOf(at)}, 1)`;
        await tx.run`insert into friends (user_id, peer_id, state, at) values (${alice.id}, ${id}, 'asked', ${at})`;
        await tx.run`insert into blocks (blocker_id, blocked_id, created_at, position) values (${alice.id}, ${id}, ${at}, ${i})`;
      }
      await tx.run`update inbox_heads set seq = 7 where user_id = ${alice.id}`;
    });
    const latestFirst = ids
      .map((id, i) => ({ id, at: Math.floor(i / 3) }))
      .sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))
      .map(({ id }) => id);
    return { service, alice, ids, latestFirst };
  }

  const lists = [
    { path: '/api/conversations', idOf: (entry: Body) => entry.peer },
    { path: '/api/friends', idOf: (entry: Body) => entry.id },
    { path: '/api/user/blocked', idOf: (entry: Body) => entry.id },
  ];

  test('sync answers the first page of each list, the cursor of the next page, and the position in the log', async (t) => {
    const { service, alice, ids, latestFirst } = await startLong(t);
    const { data } = (await service.get('/api/sync', { token: alice.token })).body;
    assert.equal(data.seq, 7);
    assert.deepEqual(
      data.conversations.map((one: Body) => one.peer),
      latestFirst.slice(0, 200),
    );
    assert.deepEqual(
      data.people.map((one: Body) => one.id),
      latestFirst.slice(0, 200).toSorted(),
    );
    assert.deepEqual(
      data.requests.map((one: Body) => one.id),
      latestFirst.slice(0, 200),
    );
    assert.deepEqual(
      data.blocks.map((one: Body) => one.id),
      ids.toReversed().slice(0, 200),
    );
    assert.deepEqual(data.friends, []);
    assert.deepEqual(Object.keys(data.next).sort(), ['blocks', 'conversations', 'requests']);
    const rest = async (path: string, after: string) =>
      (await service.get(`${path}after=${after}`, { token: alice.token })).body.data;
    assert.deepEqual(
      (await rest('/api/conversations?', data.next.conversations)).map((one: Body) => one.peer),
      latestFirst.slice(200),
    );
    assert.deepEqual(
      (await rest('/api/friends?list=requests&', data.next.requests)).map((one: Body) => one.id),
      latestFirst.slice(200),
    );
    assert.deepEqual(
      (await rest('/api/user/blocked?', data.next.blocks)).map((one: Body) => one.id),
      ids.toReversed().slice(200),
    );
  });

  test('read page by page, each list is complete and in order, for any size of a page', async (t) => {
    const { service, alice, ids, latestFirst } = await startLong(t);
    for (const { path, idOf } of lists)
      for (const limit of [1, 7, 200]) {
        const found: string[] = [];
        for (let after = ''; ; ) {
          const { body } = await service.get(`${path}?limit=${limit}${after}`, { token: alice.token });
          assert(body.data.length <= limit);
          found.push(...body.data.map(idOf));
          if (body.next === undefined || (limit === 1 && found.length === 5)) break;
          after = `&after=${body.next}`;
        }
        const expected = path === '/api/user/blocked' ? ids.toReversed() : latestFirst;
        assert.deepEqual(found, limit === 1 ? expected.slice(0, 5) : expected, `${path} ${limit}`);
      }
  });

  test('without parameters the list of blocked users is complete (interface 4.12)', async (t) => {
    const { service, alice, ids } = await startLong(t);
    const { body } = await service.get('/api/user/blocked', { token: alice.token });
    assert.deepEqual(
      body.data.map((one: Body) => one.id),
      ids.toReversed(),
    );
    assert.deepEqual(Object.keys(body), ['code', 'data']);
  });

  test('the frames answer the same pages, and a single conversation', async (t) => {
    const { service, alice, latestFirst } = await startLong(t);
    const socket = await service.enter(alice);
    for (const [frame, path, idOf] of [
      [{ type: 'conversations' }, '/api/conversations', lists[0]?.idOf],
      [{ type: 'friends', list: 'requests' }, '/api/friends?list=requests', lists[1]?.idOf],
    ] as const) {
      const { data } = await socket.ask({ ...frame });
      const { body } = await service.get(path, { token: alice.token });
      assert.deepEqual([data.items, data.next, data.seq], [body.data, body.next, body.seq]);
      const second = await socket.ask({ ...frame, after: data.next, limit: 10 });
      assert.deepEqual(second.data.items.map(idOf), latestFirst.slice(200, 210));
    }
    const peer = latestFirst[240];
    const one = (await socket.ask({ type: 'conversations', peer })).data;
    assert.deepEqual([one.items.map((entry: Body) => entry.peer), one.next], [[peer], undefined]);
    assert.deepEqual(
      one.people.map((person: Body) => person.id),
      [peer],
    );
    const none = (await socket.ask({ type: 'conversations', peer: 'no-one' })).data;
    assert.deepEqual([none.items, none.people], [[], []]);
  });

  test('invalid pages are refused', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const socket = await service.enter(alice);
    for (const { path } of lists)
      for (const [query, word] of [
        ['limit=0', 'invalid_field'],
        ['limit=201', 'invalid_field'],
        ['limit=x', 'invalid_field'],
        ['after=x', 'bad_cursor'],
        ['after=', 'bad_cursor'],
      ] as const)
        assert.equal((await service.get(`${path}?${query}`, { token: alice.token })).body.error, word, query);
    for (const type of ['conversations', 'friends']) {
      assert.equal((await socket.ask({ type, limit: 201 })).error, 'invalid_field');
      assert.equal((await socket.ask({ type, limit: '1' })).error, 'invalid_field');
      assert.equal((await socket.ask({ type, after: 'x' })).error, 'bad_cursor');
    }
    assert.equal((await socket.ask({ type: 'friends', list: 'all' })).error, 'invalid_field');
  });

  test('a connection has five syncs and ten watches in ten seconds; more are refused, and it stays open', async (t) => {
    const clock = { now: 0 };
    const service = await startSockets(t, database, { world: { monotonicMs: () => clock.now } });
    const alice = await service.join('alice');
    const socket = await service.enter(alice);
    const codes = async (frame: object, count: number) => {
      const replies = [];
      for (let i = 0; i < count; i++) replies.push((await socket.ask({ ...frame })).code);
      return replies;
    };
    assert.deepEqual(await codes({ type: 'sync' }, 6), [200, 200, 200, 200, 200, 429]);
    const watch = { type: 'watch', userIds: [] };
    assert.deepEqual(await codes(watch, 11), [...Array(10).fill(200), 429]);
    assert.deepEqual(
      [(await socket.ask({ type: 'sync' })).error, (await socket.ask(watch)).error],
      ['too_many_syncs', 'too_many_watches'],
    );
    clock.now += 10_000;
    assert.deepEqual([await codes({ type: 'sync' }, 1), await codes(watch, 1)], [[200], [200]]);
  });

  test('a user has twenty syncs in ten seconds, over HTTP and all connections together', async (t) => {
    const clock = { now: 0 };
    const service = await startSockets(t, database, { world: { monotonicMs: () => clock.now } });
    const alice = await service.join('alice');
    const sync = async () => (await service.get('/api/sync', { token: alice.token })).body.code;
    for (let i = 0; i < 20; i++) assert.equal(await sync(), 200);
    assert.equal(await sync(), 429);
    const socket = await service.enter(alice);
    assert.equal((await socket.ask({ type: 'sync' })).error, 'too_many_syncs');
    clock.now += 10_000;
    assert.equal(await sync(), 200);
  });
});
