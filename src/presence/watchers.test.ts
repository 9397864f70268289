import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import type { Person } from '../../test/harness.ts';
import { eventually, ManualClock, startSockets, type TestSocket } from '../sockets/test-client.ts';

onEachDatabase('watching others', (database) => {
  async function startThree(t: TestContext) {
    const clock = new ManualClock();
    const service = await startSockets(t, database, { world: clock.world });
    const [alice, bob, carol] = [
      await service.join('alice'),
      await service.join('bob'),
      await service.join('carol'),
    ];
    const watching = await service.enter(alice);
    return { service, clock, alice, bob, carol, watching };
  }

  const presence = (socket: TestSocket) => socket.first(({ type }) => type === 'presence');
  const online = ({ id }: Person) => ({ id, online: 1, idle: 0, lastSeen: 0 });
  const never = ({ id }: Person) => ({ id, online: 0, idle: 0, lastSeen: 0 });

  /** Everything that is gathered by now has been written, so what has not come does not come. */
  async function settled(
    service: { services: { presence: { watchers: { tell(): Promise<void> } } } },
    socket: TestSocket,
  ) {
    await service.services.presence.watchers.tell();
    await socket.ask({ type: 'sync' });
    return socket.unread.filter(({ type }) => type === 'presence');
  }

  test('the answer is a snapshot, what changes comes within a second, to those alone who watch', async (t) => {
    const { service, clock, bob, carol, watching } = await startThree(t);
    await service.enter(bob);
    const other = await service.enter(carol);
    await service.services.presence.watchers.tell(); // what changed before the snapshot would come once more
    const { data } = await watching.ask({ type: 'watch', userIds: [bob.id, carol.id, 'nobody', bob.id] });
    assert.deepEqual(data, [online(bob), online(carol), { id: 'nobody', online: 0, idle: 0, lastSeen: 0 }]);
    const leftAt = clock.world.now();
    await other.ask({ type: 'bye' });
    await clock.advance(1_000);
    const { users } = await presence(watching);
    assert.deepEqual(users, [{ id: carol.id, online: 0, idle: 0, lastSeen: leftAt }]);
    const back = await service.enter(carol);
    await service.services.presence.watchers.tell();
    assert.deepEqual((await presence(watching)).users, [online(carol)]);
    assert.deepEqual(await settled(service, back), [], 'carol watches nobody');
  });

  test('watching replaces the set', async (t) => {
    const { service, bob, carol, watching } = await startThree(t);
    await watching.ask({ type: 'watch', userIds: [bob.id] });
    assert.deepEqual((await watching.ask({ type: 'watch', userIds: [carol.id] })).data, [never(carol)]);
    await service.enter(bob);
    await service.enter(carol);
    const frames = await settled(service, watching);
    assert.deepEqual(
      frames.flatMap(({ users }) => users),
      [online(carol)],
    );
    assert.deepEqual((await watching.ask({ type: 'watch', userIds: [] })).data, []);
    const tooMany = await watching.ask({ type: 'watch', userIds: Array.from({ length: 501 }, String) });
    assert.deepEqual([tooMany.code, tooMany.error], [400, 'invalid_field']);
  });

  test('a user who breaks off and is back within 10 s never goes offline for those who watch; over HTTP at once', async (t) => {
    const { service, clock, bob, watching } = await startThree(t);
    const first = await service.enter(bob);
    await watching.ask({ type: 'watch', userIds: [bob.id] });
    first.ws.terminate();
    await first.ended;
    await eventually(async () => (await service.isOnline(bob)) === 0);
    await clock.advance(9_000);
    assert.deepEqual((await watching.ask({ type: 'watch', userIds: [bob.id] })).data, [online(bob)]);
    const second = await service.enter(bob);
    await clock.advance(9_000);
    for (const { users } of await settled(service, watching)) assert.deepEqual(users, [online(bob)]);
    second.ws.close();
    await second.ended;
    const leftAt = clock.world.now();
    await clock.advance(9_900);
    await watching.roundTrip(); // its pong to the heartbeat has come
    for (const { users } of await settled(service, watching)) assert.deepEqual(users, [online(bob)]);
    await clock.advance(1_000);
    const [gone] = (await watching.first(({ type, users }) => type === 'presence' && users[0].online === 0))
      .users;
    assert.equal(gone.lastSeen, leftAt, 'when Bob left, not when the grace ended');
  });

  test('idle is online with no device in use', async (t) => {
    const { service, bob, watching } = await startThree(t);
    const change = async () => {
      await service.services.presence.watchers.tell();
      return (await presence(watching)).users;
    };
    const phone = await service.connect();
    await phone.hello({ token: bob.token, visible: false });
    const { data } = await watching.ask({ type: 'watch', userIds: [bob.id] });
    assert.deepEqual(data, [{ ...online(bob), idle: 1 }]);
    const laptop = await service.enter(bob);
    assert.deepEqual(await change(), [online(bob)]);
    await laptop.ask({ type: 'view', visible: true, active: false });
    assert.deepEqual(await change(), [{ ...online(bob), idle: 1 }]);
    await phone.ask({ type: 'view', visible: true });
    assert.deepEqual(await change(), [online(bob)]);
    await phone.ask({ type: 'bye' });
    assert.deepEqual(await change(), [{ ...online(bob), idle: 1 }]);
  });

  test('of a second’s changes only the last state comes', async (t) => {
    const { service, bob, watching } = await startThree(t);
    const bobs = await service.enter(bob);
    await service.services.presence.watchers.tell();
    await watching.ask({ type: 'watch', userIds: [bob.id] });
    for (let i = 0; i < 20; i++) await bobs.ask({ type: 'view', visible: true, active: i % 2 === 0 });
    const frames = await settled(service, watching);
    assert.deepEqual(
      frames.map(({ users }) => users),
      [[{ ...online(bob), idle: 1 }]],
    );
  });

  test('when a user was last there survives a restart', async (t) => {
    const { service, clock, bob } = await startThree(t);
    const bobs = await service.enter(bob);
    const leftAt = clock.world.now();
    await bobs.ask({ type: 'bye' });
    await bobs.ended;
    clock.add(1_000);
    const restarted = await service.restart();
    const sights = await restarted.services.presence.watchers.watch(
      { userId: 'watcher', isLive: true, unsentBytes: 0, writePresence() {} },
      [bob.id],
    );
    assert.equal(sights[0]?.lastSeen, leftAt);
  });
});
