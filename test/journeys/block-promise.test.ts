import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { suspendUser } from '../../src/accounts/account-status.ts';
import { startSockets, type TestSocket } from '../../src/sockets/test-client.ts';
import { ManualClock } from '../clocks.ts';
import { onEachDatabase, type TestDatabase } from '../databases.ts';
import type { Body, Person } from '../harness.ts';

/** Alice and Bob with two devices each; she blocks him. */
async function startTwo(t: TestContext, database: TestDatabase) {
  // Time stands still: nothing is gathered, sent or cut off but where a test says so.
  const service = await startSockets(t, database, { world: new ManualClock().world });
  const [alice, bob] = [await service.join('alice'), await service.join('bob')];
  const hers = [await service.enter(alice), await service.enter(await service.logIn(alice))] as const;
  const his = [await service.enter(bob), await service.enter(await service.logIn(bob))] as const;
  const call = async (path: string) => {
    const { body } = await service.post(path, { blockedId: bob.id }, { token: alice.token });
    assert.equal(body.code, 200, JSON.stringify(body));
  };
  /** Everything that is gathered has been written, and everything that was written has come. */
  const settle = async (...sockets: readonly TestSocket[]) => {
    await service.services.presence.watchers.flush();
    await service.services.chat.deliveryReceipts.flush();
    for (const socket of sockets) await socket.ask({ type: 'sync' });
  };
  let cid = 0;
  const send = (from: TestSocket, to: Person, body = 'hi') =>
    from.ask({ type: 'send', to: to.id, cid: `${from === his[0] || from === his[1]}-${++cid}`, body });
  return {
    service,
    alice,
    bob,
    hers,
    his,
    settle,
    send,
    block: () => call('/api/user/block'),
    unblock: () => call('/api/user/unblock'),
  };
}

const events = (socket: TestSocket) => socket.unread.filter(({ type }) => type === 'event');
const named = (socket: TestSocket, event: string) => socket.unread.filter((frame) => frame.event === event);
const refusal = ({ code, error, msg, data }: Body) => ({ code, error, msg, data });
const notAccepting = { code: 403, error: 'not_accepting', msg: '对方暂不接收', data: undefined };
const unblockFirst = { code: 403, error: 'unblock_first', msg: '请先取消拉黑该用户', data: undefined };

onEachDatabase('the block promise', (database) => {
  test('the block is answered after the blocker’s devices were told', async (t) => {
    const { hers, block, unblock, bob } = await startTwo(t, database);
    await block();
    for (const socket of hers) {
      const { event, data } = await socket.first(({ type }) => type === 'event');
      assert.deepEqual([event, data], ['block', { userId: bob.id }]);
    }
    await unblock();
    for (const socket of hers) assert.equal((await socket.next()).event, 'unblock');
  });

  test('message, blocked to blocker: refused, stored nowhere, no push', async (t) => {
    const { service, hers, his, alice, block, send, settle } = await startTwo(t, database);
    await block();
    for (const socket of his) assert.deepEqual(refusal(await send(socket, alice)), notAccepting);
    await settle(...hers, ...his);
    for (const socket of hers) assert.deepEqual(named(socket, 'message'), []);
    for (const socket of his) assert.deepEqual(events(socket), []);
    assert.deepEqual(await service.services.db.all`select * from messages`, []);
    assert.deepEqual(await service.services.db.all`select * from push_pending`, []);
  });

  test('message, blocker to blocked: refused with the word that says what to do', async (t) => {
    const { hers, bob, block, unblock, send } = await startTwo(t, database);
    await block();
    assert.deepEqual(refusal(await send(hers[0], bob)), unblockFirst);
    await unblock();
    assert.equal((await send(hers[0], bob)).code, 200);
  });

  test('friend request, in either direction: refused like a message', async (t) => {
    const { hers, his, alice, bob, block } = await startTwo(t, database);
    await block();
    for (const op of ['request', 'accept', 'cancel', 'decline', 'remove']) {
      assert.deepEqual(refusal(await his[0].ask({ type: 'friend', op, userId: alice.id })), notAccepting);
      assert.deepEqual(refusal(await hers[0].ask({ type: 'friend', op, userId: bob.id })), unblockFirst);
    }
  });

  test('pending requests are cancelled, without an event for the blocked; a friendship rests and comes back', async (t) => {
    const { hers, his, alice, bob, block, unblock, settle } = await startTwo(t, database);
    await his[0].ask({ type: 'friend', op: 'request', userId: alice.id });
    await settle(...hers, ...his);
    const before = events(his[1]).length;
    await block();
    await unblock();
    for (const socket of [hers[0], his[0]])
      assert.deepEqual((await socket.ask({ type: 'sync' })).data.requests, []);
    await settle(...his);
    assert.equal(events(his[1]).length, before, 'he learns it when he syncs');
    await his[0].ask({ type: 'friend', op: 'request', userId: alice.id });
    await hers[0].ask({ type: 'friend', op: 'accept', userId: bob.id });
    await block();
    await unblock();
    const { friends } = (await his[0].ask({ type: 'sync' })).data;
    assert.deepEqual([friends[0].id, friends[0].state], [alice.id, 'friends']);
  });

  test('typing, in either direction: dropped, and the answer does not tell', async (t) => {
    const { hers, his, alice, bob, block, settle } = await startTwo(t, database);
    await block();
    assert.equal((await his[0].ask({ type: 'typing', to: alice.id })).code, 200);
    assert.equal((await hers[0].ask({ type: 'typing', to: bob.id })).code, 200);
    await settle(...hers, ...his);
    for (const socket of [...hers, ...his])
      assert.deepEqual(
        socket.unread.filter(({ type }) => type === 'typing'),
        [],
      );
  });

  test('receipts, in either direction: neither hears what the other received or read', async (t) => {
    const { hers, his, alice, bob, block, send, settle } = await startTwo(t, database);
    await send(his[0], alice);
    await send(hers[0], bob);
    await settle(...hers, ...his);
    await block();
    for (const [socket, peer] of [
      [hers[0], bob],
      [his[0], alice],
    ] as const) {
      await socket.ask({ type: 'ack', seq: 2 });
      await socket.ask({ type: 'mark', peer: peer.id, read: 2 });
    }
    await settle(...hers, ...his);
    for (const [socket, user] of [
      [hers[1], alice],
      [his[1], bob],
    ] as const)
      for (const { data } of named(socket, 'marked')) assert.equal(data.by, user.id, 'only one’s own marks');
  });

  test('presence, in both directions: offline as if never seen from the block on, the truth at unblock', async (t) => {
    const { hers, his, alice, bob, block, unblock, settle } = await startTwo(t, database);
    const online = (id: string) => ({ id, online: 1, idle: 0, lastSeen: 0 });
    const never = (id: string) => ({ id, online: 0, idle: 0, lastSeen: 0 });
    await settle();
    assert.deepEqual((await hers[0].ask({ type: 'watch', userIds: [bob.id] })).data, [online(bob.id)]);
    assert.deepEqual((await his[0].ask({ type: 'watch', userIds: [alice.id] })).data, [online(alice.id)]);
    await block();
    await settle();
    const sight = async (socket: TestSocket) => (await socket.first(({ type }) => type === 'presence')).users;
    assert.deepEqual(await sight(his[0]), [never(alice.id)]);
    await his[0].ask({ type: 'view', visible: false });
    await his[1].ask({ type: 'view', visible: false });
    await hers[1].ask({ type: 'view', visible: false });
    await settle(...hers, ...his);
    for (const socket of [hers[0], his[0]]) {
      const told = socket.unread.filter(({ type }) => type === 'presence');
      assert.deepEqual(
        told.flatMap(({ users }) => users).filter((user: Body) => user.online === 1),
        [],
      );
    }
    assert.deepEqual(
      hers[0].unread.filter(({ type }) => type === 'presence'),
      [],
    );
    assert.deepEqual((await hers[0].ask({ type: 'watch', userIds: [bob.id] })).data, [never(bob.id)]);
    assert.deepEqual((await his[0].ask({ type: 'watch', userIds: [alice.id] })).data, [never(alice.id)]);
    const unseen = his[0].unread.length;
    await unblock();
    await settle(...hers, ...his);
    assert.deepEqual(await sight(hers[0]), [{ ...online(bob.id), idle: 1 }]);
    assert.deepEqual(
      his[0].unread.slice(unseen).map(({ users }) => users),
      [[online(alice.id)]],
    );
  });

  test('the answers of the HTTP interface stay what they are: isOnline, profile, directory', async (t) => {
    const { service, alice, bob, block } = await startTwo(t, database);
    await block();
    assert.equal(await service.isOnline(alice), 1);
    assert.equal(await service.isOnline(bob), 1);
    const { body } = await service.get('/api/users', { token: bob.token });
    assert.deepEqual(
      body.data.map((user: Body) => [user.id, user.isOnline]),
      [
        [alice.id, 1],
        [bob.id, 1],
      ],
    );
  });

  test('history stays readable to both, and unread counts leave the blocked one out', async (t) => {
    const { hers, his, alice, bob, block, unblock, send } = await startTwo(t, database);
    await send(his[0], alice, 'before');
    await block();
    for (const [socket, peer] of [
      [hers[0], bob],
      [his[0], alice],
    ] as const) {
      const { items } = (await socket.ask({ type: 'history', peer: peer.id })).data;
      assert.deepEqual(
        items.map(({ body }: Body) => body),
        ['before'],
      );
    }
    const unread = async () => (await hers[0].ask({ type: 'sync' })).data.conversations[0].unread;
    assert.equal(await unread(), 0);
    await unblock();
    assert.equal(await unread(), 1);
  });

  test('the refusal is that of a suspended or deleted account, and the blocked person gets no event', async (t) => {
    const { service, hers, his, alice, bob, block, settle, send } = await startTwo(t, database);
    const carol = await service.join('carol');
    await service.services.db.transaction((tx) => suspendUser(tx, carol.id));
    await settle(...his);
    const before = his.map((socket) => socket.unread.length);
    await block();
    assert.deepEqual(refusal(await send(his[0], alice)), refusal(await send(his[0], carol)));
    const ask = (person: Person) => his[0].ask({ type: 'friend', op: 'request', userId: person.id });
    assert.deepEqual(refusal(await ask(alice)), refusal(await ask(carol)));
    const { token } = bob;
    const message = (to: Person) =>
      service.post('/api/messages', { to: to.id, cid: to.id, body: 'x' }, { token });
    const [blocked, suspended] = [await message(alice), await message(carol)];
    assert.deepEqual([blocked.status, blocked.body], [suspended.status, suspended.body]);
    await settle(...hers, ...his);
    assert.deepEqual(
      his.map((socket) => socket.unread.length),
      before,
    );
  });

  test('a queued push is cancelled by the block', async (t) => {
    const { service, his, alice, block, send } = await startTwo(t, database);
    await send(his[0], alice); // she is there, so it rests for some seconds
    const waiting = () =>
      service.services.db.all`select user_id from push_pending where user_id = ${alice.id} and count > 0`;
    assert.equal((await waiting()).length, 1);
    await block();
    assert.deepEqual(await waiting(), []);
  });

  test('a device that comes back meets the block at its place in the log', async (t) => {
    const { service, hers, his, alice, bob, block, unblock, send, settle } = await startTwo(t, database);
    const { data } = await hers[0].ask({ type: 'sync' });
    hers[0].ws.terminate();
    await send(his[0], alice, 'before');
    await block();
    await send(his[0], alice, 'during');
    await unblock();
    await send(his[0], alice, 'after');
    const back = await service.connect();
    await back.hello({ token: alice.token, epoch: data.epoch, seq: data.seq });
    assert.deepEqual(
      events(back).map((frame) => frame.data.body ?? frame.event),
      ['before', 'block', 'unblock', 'after'],
    );
    await block();
    const blocked = await service.enter(alice);
    await blocked.ask({ type: 'watch', userIds: [bob.id] });
    await his[0].ask({ type: 'view', visible: false });
    await his[0].ask({ type: 'typing', to: alice.id });
    await settle(blocked);
    assert.deepEqual(blocked.unread, [], 'what was blocked before it came is filtered for it too');
  });
});
