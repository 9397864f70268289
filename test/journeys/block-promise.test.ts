import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { suspendUser } from '../../src/accounts/account-status.ts';
import { ManualClock } from '../clocks.ts';
import { onEachDeployment, type TestDatabase } from '../databases.ts';
import type { Body, Person } from '../harness.ts';
import { startSockets, type TestSocket } from '../sockets.ts';

/** Alice and Bob with two devices each, on different nodes where there are several; `block` is Alice's block of Bob. */
async function startTwo(t: TestContext, database: TestDatabase) {
  // Time stands still: nothing is collected, sent or cut off unless a test does it.
  const service = await startSockets(t, database, { world: new ManualClock().world });
  const [alice, bob] = [await service.join('alice'), await service.join('bob')];
  const enter = async (person: Person, node: number) => await service.enter(person, { node });
  const alices = [await enter(alice, 0), await enter(await service.logIn(alice), 1)] as const;
  const bobs = [await enter(bob, 2), await enter(await service.logIn(bob), 2)] as const;
  await service.settled();
  const call = async (path: string) => {
    const { body } = await service.post(path, { blockedId: bob.id }, { token: alice.token });
    assert.equal(body.code, 200, JSON.stringify(body));
  };
  /** Waits until everything that was collected is written, and everything that was written has arrived. */
  const settle = async (...sockets: readonly TestSocket[]) => {
    await service.settled();
    await service.flush();
    await service.settled();
    for (const socket of sockets) await socket.ask({ type: 'sync' });
  };
  let cid = 0;
  const send = (from: TestSocket, to: Person, body = 'hi') =>
    from.ask({ type: 'send', to: to.id, cid: `${from === bobs[0] || from === bobs[1]}-${++cid}`, body });
  return {
    service,
    alice,
    bob,
    alices,
    bobs,
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

onEachDeployment('the block promise', (database) => {
  test('the block is answered after the blocker’s devices were sent its event', async (t) => {
    const { alices, block, unblock, bob } = await startTwo(t, database);
    await block();
    for (const socket of alices) {
      const { event, data } = await socket.first(({ type }) => type === 'event');
      assert.deepEqual([event, data], ['block', { userId: bob.id }]);
    }
    await unblock();
    for (const socket of alices) assert.equal((await socket.next()).event, 'unblock');
  });

  test('message, blocked to blocker: refused, stored nowhere, no push', async (t) => {
    const { service, alices, bobs, alice, block, send, settle } = await startTwo(t, database);
    await block();
    for (const socket of bobs) assert.deepEqual(refusal(await send(socket, alice)), notAccepting);
    await settle(...alices, ...bobs);
    for (const socket of alices) assert.deepEqual(named(socket, 'message'), []);
    for (const socket of bobs) assert.deepEqual(events(socket), []);
    assert.deepEqual(await service.services.db.all`select * from messages`, []);
    assert.deepEqual(await service.services.db.all`select * from push_pending`, []);
  });

  test('message, blocker to blocked: refused with the word that says to unblock first', async (t) => {
    const { alices, bob, block, unblock, send } = await startTwo(t, database);
    await block();
    assert.deepEqual(refusal(await send(alices[0], bob)), unblockFirst);
    await unblock();
    assert.equal((await send(alices[0], bob)).code, 200);
  });

  test('an edit and a reaction, in either direction: refused like a message', async (t) => {
    const { service, alices, bobs, alice, bob, block, unblock, send, settle } = await startTwo(t, database);
    await send(alices[0], bob);
    await send(bobs[0], alice);
    await settle(...alices, ...bobs);
    await block();
    for (const [socket, token, peer, own, refused] of [
      [bobs[0], bob.token, alice.id, 2, notAccepting],
      [alices[0], alice.token, bob.id, 1, unblockFirst],
    ] as const)
      for (const [type, fields] of [
        ['edit', { peer, n: own, body: 'new' }],
        ['edit', { peer, n: own, body: 'hi' }],
        ['react', { peer, n: 1, emoji: '👍' }],
        ['react', { peer, n: 2, emoji: '' }],
      ] as const) {
        assert.deepEqual(refusal(await socket.ask({ type, ...fields })), refused);
        const twin = await service.post(`/api/messages/${type}`, fields, { token });
        assert.deepEqual(refusal(twin.body), refused);
      }
    await settle(...alices, ...bobs);
    for (const socket of [...alices, ...bobs])
      for (const event of ['edited', 'reaction']) assert.deepEqual(named(socket, event), []);
    await unblock();
    assert.equal((await bobs[0].ask({ type: 'edit', peer: alice.id, n: 2, body: 'new' })).code, 200);
  });

  test('an unsend of the blocked user: taken, without an event; the blocker learns it by history, sync and the unblock', async (t) => {
    const { alices, bobs, alice, bob, block, unblock, send, settle } = await startTwo(t, database);
    await send(bobs[0], alice, 'secret');
    await send(alices[0], bob, 'mine');
    await settle(...alices, ...bobs);
    await block();
    assert.equal((await bobs[0].ask({ type: 'unsend', peer: alice.id, n: 1 })).code, 200);
    await settle(...alices, ...bobs);
    for (const socket of alices) assert.deepEqual(named(socket, 'unsent'), []);
    for (const socket of bobs) assert.equal(named(socket, 'unsent').length, 1);
    const page = (await alices[0].ask({ type: 'history', peer: bob.id })).data;
    assert.deepEqual([page.revision, page.items[0].body], [1, '']);
    assert.equal((await alices[0].ask({ type: 'sync' })).data.conversations[0].revision, 1);
    assert.equal((await alices[1].ask({ type: 'unsend', peer: bob.id, n: 2 })).code, 200);
    await settle(...alices, ...bobs);
    for (const socket of [...alices, ...bobs])
      assert.equal(named(socket, 'unsent').at(-1)?.data.revision, 2, 'that of the blocker arrives');
    await unblock();
    for (const socket of alices) {
      const { data } = await socket.first(({ event }) => event === 'unblock');
      assert.deepEqual(data, { userId: bob.id, revision: 2 });
    }
    const { unread } = (await alices[0].ask({ type: 'sync' })).data.conversations[0];
    assert.equal(unread, 0);
  });

  test('friend request, in either direction: refused like a message', async (t) => {
    const { alices, bobs, alice, bob, block } = await startTwo(t, database);
    await block();
    for (const op of ['request', 'accept', 'cancel', 'decline', 'remove']) {
      assert.deepEqual(refusal(await bobs[0].ask({ type: 'friend', op, userId: alice.id })), notAccepting);
      assert.deepEqual(refusal(await alices[0].ask({ type: 'friend', op, userId: bob.id })), unblockFirst);
    }
  });

  test('pending requests are cancelled, without an event for the blocked user; a friendship is kept and works again', async (t) => {
    const { alices, bobs, alice, bob, block, unblock, settle } = await startTwo(t, database);
    await bobs[0].ask({ type: 'friend', op: 'request', userId: alice.id });
    await settle(...alices, ...bobs);
    const before = events(bobs[1]).length;
    await block();
    await unblock();
    for (const socket of [alices[0], bobs[0]])
      assert.deepEqual((await socket.ask({ type: 'sync' })).data.requests, []);
    await settle(...bobs);
    assert.equal(events(bobs[1]).length, before, 'Bob learns it at the next sync');
    await bobs[0].ask({ type: 'friend', op: 'request', userId: alice.id });
    await alices[0].ask({ type: 'friend', op: 'accept', userId: bob.id });
    await block();
    await unblock();
    const { friends } = (await bobs[0].ask({ type: 'sync' })).data;
    assert.deepEqual([friends[0].id, friends[0].state], [alice.id, 'friends']);
  });

  test('typing, in either direction: dropped, and the answer does not show it', async (t) => {
    const { alices, bobs, alice, bob, block, settle } = await startTwo(t, database);
    await block();
    assert.equal((await bobs[0].ask({ type: 'typing', to: alice.id })).code, 200);
    assert.equal((await alices[0].ask({ type: 'typing', to: bob.id })).code, 200);
    await settle(...alices, ...bobs);
    for (const socket of [...alices, ...bobs])
      assert.deepEqual(
        socket.unread.filter(({ type }) => type === 'typing'),
        [],
      );
  });

  test('receipts, in either direction: neither learns what the other received or read', async (t) => {
    const { alices, bobs, alice, bob, block, send, settle } = await startTwo(t, database);
    await send(bobs[0], alice);
    await send(alices[0], bob);
    await settle(...alices, ...bobs);
    await block();
    for (const [socket, peer] of [
      [alices[0], bob],
      [bobs[0], alice],
    ] as const) {
      await socket.ask({ type: 'ack', seq: 2 });
      await socket.ask({ type: 'mark', peer: peer.id, read: 2 });
    }
    await settle(...alices, ...bobs);
    for (const [socket, user] of [
      [alices[1], alice],
      [bobs[1], bob],
    ] as const)
      for (const { data } of named(socket, 'marked')) assert.equal(data.by, user.id, 'only one’s own marks');
  });

  test('presence, in both directions: offline and never seen from the block on, the true state at unblock', async (t) => {
    const { alices, bobs, alice, bob, block, unblock, settle } = await startTwo(t, database);
    const online = (id: string) => ({ id, online: 1, idle: 0, lastSeen: 0 });
    const never = (id: string) => ({ id, online: 0, idle: 0, lastSeen: 0 });
    await settle();
    assert.deepEqual((await alices[0].ask({ type: 'watch', userIds: [bob.id] })).data, [online(bob.id)]);
    assert.deepEqual((await bobs[0].ask({ type: 'watch', userIds: [alice.id] })).data, [online(alice.id)]);
    await block();
    await settle();
    const sight = async (socket: TestSocket) => (await socket.first(({ type }) => type === 'presence')).users;
    assert.deepEqual(await sight(bobs[0]), [never(alice.id)]);
    await bobs[0].ask({ type: 'view', visible: false });
    await bobs[1].ask({ type: 'view', visible: false });
    await alices[1].ask({ type: 'view', visible: false });
    await settle(...alices, ...bobs);
    for (const socket of [alices[0], bobs[0]]) {
      const presence = socket.unread.filter(({ type }) => type === 'presence');
      assert.deepEqual(
        presence.flatMap(({ users }) => users).filter((user: Body) => user.online === 1),
        [],
      );
    }
    assert.deepEqual(
      alices[0].unread.filter(({ type }) => type === 'presence'),
      [],
    );
    assert.deepEqual((await alices[0].ask({ type: 'watch', userIds: [bob.id] })).data, [never(bob.id)]);
    assert.deepEqual((await bobs[0].ask({ type: 'watch', userIds: [alice.id] })).data, [never(alice.id)]);
    const unseen = bobs[0].unread.length;
    await unblock();
    await settle(...alices, ...bobs);
    assert.deepEqual(await sight(alices[0]), [{ ...online(bob.id), idle: 1 }]);
    assert.deepEqual(
      bobs[0].unread.slice(unseen).map(({ users }) => users),
      [[online(alice.id)]],
    );
  });

  test('isOnline, profile and directory over HTTP are unchanged', async (t) => {
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

  test('history stays readable to both, and unread counts exclude the blocked user', async (t) => {
    const { alices, bobs, alice, bob, block, unblock, send } = await startTwo(t, database);
    await send(bobs[0], alice, 'before');
    await block();
    for (const [socket, peer] of [
      [alices[0], bob],
      [bobs[0], alice],
    ] as const) {
      const { items } = (await socket.ask({ type: 'history', peer: peer.id })).data;
      assert.deepEqual(
        items.map(({ body }: Body) => body),
        ['before'],
      );
    }
    const unread = async () => (await alices[0].ask({ type: 'sync' })).data.conversations[0].unread;
    assert.equal(await unread(), 0);
    await unblock();
    assert.equal(await unread(), 1);
  });

  test('the refusal is that of a suspended or deleted account, and the blocked user gets no event', async (t) => {
    const { service, alices, bobs, alice, bob, block, settle, send } = await startTwo(t, database);
    const carol = await service.join('carol');
    await service.services.db.transaction((tx) => suspendUser(tx, carol.id));
    await settle(...bobs);
    const before = bobs.map((socket) => socket.unread.length);
    await block();
    assert.deepEqual(refusal(await send(bobs[0], alice)), refusal(await send(bobs[0], carol)));
    const ask = (person: Person) => bobs[0].ask({ type: 'friend', op: 'request', userId: person.id });
    assert.deepEqual(refusal(await ask(alice)), refusal(await ask(carol)));
    const { token } = bob;
    const message = (to: Person) =>
      service.post('/api/messages', { to: to.id, cid: to.id, body: 'x' }, { token });
    const [blocked, suspended] = [await message(alice), await message(carol)];
    assert.deepEqual([blocked.status, blocked.body], [suspended.status, suspended.body]);
    await settle(...alices, ...bobs);
    assert.deepEqual(
      bobs.map((socket) => socket.unread.length),
      before,
    );
  });

  test('a queued push is cancelled by the block', async (t) => {
    const { service, bobs, alice, block, send } = await startTwo(t, database);
    await send(bobs[0], alice); // Alice is attentive, so the push waits for some seconds
    const waiting = () =>
      service.services.db.all`select user_id from push_pending where user_id = ${alice.id} and count > 0`;
    assert.equal((await waiting()).length, 1);
    await block();
    assert.deepEqual(await waiting(), []);
  });

  test('a device that resumes gets the block at its place in the log', async (t) => {
    const { service, alices, bobs, alice, bob, block, unblock, send, settle } = await startTwo(t, database);
    const { data } = await alices[0].ask({ type: 'sync' });
    alices[0].ws.terminate();
    await send(bobs[0], alice, 'before');
    await block();
    await send(bobs[0], alice, 'during');
    await unblock();
    await send(bobs[0], alice, 'after');
    const back = await service.connect();
    await back.hello({ token: alice.token, epoch: data.epoch, seq: data.seq });
    assert.deepEqual(
      events(back).map((frame) => frame.data.body ?? frame.event),
      ['before', 'block', 'unblock', 'after'],
    );
    await block();
    const blocked = await service.enter(alice);
    await blocked.ask({ type: 'watch', userIds: [bob.id] });
    await bobs[0].ask({ type: 'view', visible: false });
    await bobs[0].ask({ type: 'typing', to: alice.id });
    await settle(blocked);
    assert.deepEqual(blocked.unread, [], 'what was blocked before it came is filtered for it too');
  });
});
