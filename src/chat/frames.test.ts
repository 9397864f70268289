import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onEachDatabase, onSqlite } from '../../test/databases.ts';
import { eventually } from '../../test/eventually.ts';
import type { Body } from '../../test/harness.ts';
import { startSockets, type TestSocket } from '../../test/sockets.ts';
import { blockUser } from '../relations/block-user.ts';

onEachDatabase('the frames of conversations and friends', (database) => {
  async function startTwo(t: TestContext) {
    const service = await startSockets(t, database);
    const [alice, bob, carol] = [
      await service.join('alice'),
      await service.join('bob'),
      await service.join('carol'),
    ];
    return { service, alice, bob, carol, hers: await service.enter(alice), his: await service.enter(bob) };
  }

  const event = (socket: TestSocket) => socket.first(({ type }) => type === 'event');

  /** The answer without its time, which differs each time. */
  function comparable({ code, error, msg, data }: Body) {
    return { code, error, msg, data: data && { ...data, at: typeof data.at } };
  }

  test('each frame and its HTTP twin give the same answers and refusals', async (t) => {
    const { service, alice, bob, hers } = await startTwo(t);
    const { token } = alice;
    const unknown = '00000000-0000-7000-8000-000000000000';
    const pairs: [frame: object, call: () => Promise<{ body: Body }>][] = [];
    const post = (path: string, frame: object, body: object) =>
      pairs.push([frame, () => service.post(path, body, { token })]);
    for (const [to, body] of [
      [bob.id, 'hi'],
      [alice.id, 'me'],
      [unknown, 'x'],
      [bob.id, ''],
      [bob.id, 'x'.repeat(4001)],
      ['', 'x'],
    ])
      post(
        '/api/messages',
        { type: 'send', to, cid: `c-${to}-${body?.length}`, body },
        { to, cid: `c-${to}-${body?.length}`, body },
      );
    for (const [peer, read] of [
      [bob.id, 1],
      [bob.id, 99],
      [unknown, 1],
      [bob.id, -1],
      [bob.id, '1'],
    ])
      post('/api/messages/mark', { type: 'mark', peer, read }, { peer, read });
    for (const fields of [
      { peer: bob.id, pinned: 1, mutedUntil: 7 },
      { peer: bob.id, pinned: 2 },
      { peer: bob.id },
      { peer: alice.id, pinned: 1 },
      { peer: unknown, archived: 0 },
    ])
      post('/api/conversations/settings', { type: 'conversation', ...fields }, fields);
    for (const [peer, n] of [
      [bob.id, 1],
      [bob.id, 0],
      [unknown, 1],
    ])
      post('/api/conversations/clear', { type: 'clear', peer, n }, { peer, n });
    for (const op of ['accept', 'request', 'request', 'cancel', 'decline', 'remove'])
      for (const userId of [bob.id, alice.id, unknown])
        post(`/api/friends/${op}`, { type: 'friend', op, userId }, { userId });
    for (const query of ['', '&limit=1', '&before=1', '&after=0']) {
      const fields = Object.fromEntries(new URLSearchParams(query));
      const frame = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, Number(value)]));
      pairs.push([
        { type: 'history', peer: bob.id, ...frame },
        () => service.get(`/api/messages?peer=${bob.id}${query}`, { token }),
      ]);
    }
    pairs.push([{ type: 'sync' }, () => service.get('/api/sync', { token })]);
    for (const [frame, call] of pairs) {
      const overSocket = comparable(await hers.ask(frame));
      const overHttp = comparable((await call()).body);
      // The second send of a cid is a duplicate, by either way; a friend action done twice changes nothing.
      if (overHttp.data?.duplicate !== undefined) overHttp.data.duplicate = overSocket.data.duplicate = true;
      if (overHttp.data?.seq !== undefined) overHttp.data.seq = overSocket.data.seq = 0;
      assert.deepEqual(overSocket, overHttp, JSON.stringify(frame));
    }
  });

  test('the sender is the user of the connection, whatever the frame says', async (t) => {
    const { alice, bob, carol, hers, his } = await startTwo(t);
    const spoofed = {
      type: 'send',
      to: bob.id,
      cid: 'c',
      body: 'hi',
      from: carol.id,
      userId: carol.id,
      n: 77,
      at: 1,
    };
    assert.equal((await hers.ask(spoofed)).data.n, 1);
    const { data } = await event(his);
    assert.deepEqual(data, { peer: alice.id, n: 1, from: alice.id, cid: 'c', body: 'hi' });
  });

  test('a user can neither read nor mark a conversation of others', async (t) => {
    const { service, alice, bob, carol, hers } = await startTwo(t);
    await hers.ask({ type: 'send', to: bob.id, cid: 'c', body: 'between us' });
    const strangers = await service.enter(carol);
    for (const peer of [alice.id, bob.id]) {
      assert.deepEqual((await strangers.ask({ type: 'history', peer })).data, {
        items: [],
        more: false,
        quoted: [],
        revision: 0,
        clearedN: 0,
      });
      assert.deepEqual((await strangers.ask({ type: 'mark', peer, read: 1 })).data, {
        peer,
        received: 0,
        read: 0,
      });
    }
    assert.deepEqual((await strangers.ask({ type: 'sync' })).data.conversations, []);
    assert.deepEqual(strangers.unread, []);
    assert.deepEqual(
      hers.unread.filter(({ event }) => event === 'marked'),
      [],
    );
  });

  test('a request that does not exist cannot be accepted, and friend actions reach the devices of both', async (t) => {
    const { alice, bob, hers, his } = await startTwo(t);
    const accepted = await his.ask({ type: 'friend', op: 'accept', userId: alice.id });
    assert.deepEqual([accepted.code, accepted.error], [400, 'friend_state']);
    assert.deepEqual((await hers.ask({ type: 'friend', op: 'request', userId: bob.id })).data, {
      userId: bob.id,
      state: 'requested',
    });
    const own = await hers.ask({ type: 'friend', op: 'accept', userId: bob.id });
    assert.deepEqual([own.code, own.error], [400, 'friend_state'], 'one cannot accept one’s own request');
    assert.deepEqual((await event(his)).data, { userId: alice.id, state: 'asked' });
    await his.ask({ type: 'friend', op: 'accept', userId: alice.id });
    assert.deepEqual((await event(hers)).data, { userId: bob.id, state: 'requested' });
    assert.deepEqual((await event(hers)).data, { userId: bob.id, state: 'friends' });
  });

  test('a message is stored once per cid, whether it is repeated by frame or by HTTP', async (t) => {
    const { service, alice, bob, hers, his } = await startTwo(t);
    const message = { to: bob.id, cid: 'once', body: 'hi' };
    const first = await hers.ask({ type: 'send', ...message });
    const again = await hers.ask({ type: 'send', ...message });
    const { body } = await service.post('/api/messages', message, { token: alice.token });
    assert.deepEqual([first.data.duplicate, again.data.duplicate, body.data.duplicate], [false, true, true]);
    assert.deepEqual([again.data.n, body.data.n], [1, 1]);
    await his.ask({ type: 'sync' });
    assert.equal(his.unread.filter(({ type }) => type === 'event').length, 1);
  });

  test('receipts of many messages are collected: one for each peer, and none for a blocked peer', async (t) => {
    const { service, alice, carol, hers, his } = await startTwo(t);
    const carols = await service.enter(carol);
    for (let i = 0; i < 5; i++) {
      await his.ask({ type: 'send', to: alice.id, cid: `b${i}`, body: 'x' });
      await carols.ask({ type: 'send', to: alice.id, cid: `c${i}`, body: 'x' });
    }
    await blockUser(service.services, alice.id, carol.id, Date.now());
    await hers.first(({ event }) => event === 'block');
    await hers.ask({ type: 'ack', seq: 11 });
    const marks = (socket: TestSocket) => socket.unread.filter(({ event }) => event === 'marked');
    await eventually(() => marks(hers).length === 2 && marks(his).length === 1);
    assert.deepEqual(marks(his)[0]?.data, { peer: alice.id, by: alice.id, received: 5, read: 0 });
    await carols.ask({ type: 'sync' });
    assert.deepEqual(marks(carols), [], 'a blocked user gets no receipt');
    const numbers = hers.unread
      .concat()
      .filter(({ type }) => type === 'event')
      .map(({ seq }) => seq);
    assert.deepEqual(
      numbers,
      [...numbers].sort((a, b) => a - b),
    );
    assert.equal(new Set(numbers).size, numbers.length);
  });
});

onSqlite('typing', (database) => {
  test('is forwarded to all devices of an online user, once a second, and is not stored', async (t) => {
    let nowMs = 1_000;
    const service = await startSockets(t, database, { world: { monotonicMs: () => nowMs } });
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const hers = await service.enter(alice);
    const [phone, laptop] = [await service.enter(bob), await service.enter(bob)];
    for (let i = 0; i < 5; i++) await hers.ask({ type: 'typing', to: bob.id });
    for (const socket of [phone, laptop]) {
      assert.deepEqual(await socket.next(), { type: 'typing', from: alice.id });
      await socket.ask({ type: 'sync' });
      assert.deepEqual(socket.unread, []);
    }
    nowMs += 1_000;
    hers.send({ type: 'typing', to: bob.id });
    assert.deepEqual(await phone.next(), { type: 'typing', from: alice.id });
    // To oneself, to an unknown user, to a user who is offline: dropped, and the sender gets no error.
    const { id } = await service.join('carol');
    for (const to of [alice.id, 'unknown', id])
      assert.equal((await hers.ask({ type: 'typing', to })).code, 200);
    assert.deepEqual(hers.unread, []);
  });
});
