import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Clock } from '../../test/clocks.ts';
import { onNodes } from '../../test/databases.ts';
import { eventually } from '../../test/eventually.ts';
import { startSockets, type TestSocket } from '../../test/sockets.ts';

onNodes('presence over nodes', (database) => {
  test('watchers on each node see the same, also when their user was last online', async (t) => {
    const service = await startSockets(t, database);
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const watching = [
      await service.enter(alice, { node: 0 }),
      await service.enter(alice, { node: 1 }),
      await service.enter(alice, { node: 2 }),
    ];
    const watch = () =>
      Promise.all(watching.map((socket) => socket.ask({ type: 'watch', userIds: [bob.id] })));
    const states = async () => (await watch()).map(({ data }) => data[0]);
    const phone = await service.enter(bob, { node: 1 });
    const desk = await service.enter(bob, { node: 2 });
    await service.settled();
    const online = { id: bob.id, online: 1, idle: 0, lastSeen: 0 };
    assert.deepEqual(await states(), [online, online, online]);
    await phone.ask({ type: 'view', visible: true, active: false });
    await desk.ask({ type: 'view', visible: false });
    await service.settled();
    assert.deepEqual(await states(), Array(3).fill({ ...online, idle: 1 }));
    await phone.ask({ type: 'bye' });
    await service.settled();
    assert.deepEqual(
      await states(),
      Array(3).fill({ ...online, idle: 1 }),
      'the other device is still there',
    );
    await desk.ask({ type: 'bye' });
    await service.settled();
    const gone = await states();
    assert.ok(gone[0].lastSeen > 0);
    assert.deepEqual(gone, Array(3).fill({ ...online, online: 0, lastSeen: gone[0].lastSeen }));
    await service.flush();
    assert.deepEqual(await states(), gone, 'as the database has it');
  });

  test('the eleventh socket of a user on all nodes ends the oldest with 4429', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const sockets: TestSocket[] = [await service.enter(alice, { node: 0 })];
    const openedAt = service.services.presence.online.here(alice.id)[0]?.openedAt ?? Number.NaN;
    // Each node writes the time of its own clock, and these differ a little.
    await eventually(() => service.nodes.every(({ services }) => services.clock.now() > openedAt));
    for (let i = 1; i < 10; i++) sockets.push(await service.enter(alice, { node: i }));
    await service.settled();
    for (const socket of sockets) await socket.roundTrip();
    sockets.push(await service.enter(alice, { node: 1 }));
    assert.deepEqual(await sockets[0]?.ended, { code: 4429, reason: 'too_many_sockets' });
    await service.settled();
    for (const socket of sockets.slice(1)) await socket.roundTrip();
  });

  test('each node says of a session whether it has a socket on any of them, and expects its device there', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const socket = await service.enter(alice, { node: 1 });
    await service.settled();
    const active = () =>
      Promise.all(
        service.nodes.map(async (node) => (await node.get('/api/sessions', alice)).body.data[0].active),
      );
    const attentive = () =>
      service.nodes.map(({ services }) => services.push.attention.mayBeAttentive(alice.id));
    assert.deepEqual(await active(), [1, 1, 1]);
    assert.deepEqual(attentive(), [true, true, true]);
    await socket.ask({ type: 'bye' });
    await service.settled();
    assert.deepEqual(await active(), [0, 0, 0]);
    assert.deepEqual(attentive(), [false, false, false]);
  });

  test('nodes that stood still stay, with the same users', async (t) => {
    const clock = new Clock();
    const service = await startSockets(t, database, { world: clock.world });
    const alice = await service.join('alice');
    const socket = await service.enter(alice, { node: 1 });
    await service.settled();
    const left: string[] = [];
    for (const { services } of service.nodes)
      services.nodes?.membership.on('leave', (node) => left.push(node));
    clock.add(3_000);
    await eventually(() => service.nodes.every(({ services }) => services.events.changes.hasReadLately));
    await service.settled();
    assert.deepEqual(left, []);
    for (const { services } of service.nodes)
      assert.equal(services.presence.online.sessionsOf(alice.id).length, 1);
    await socket.roundTrip();
  });
});
