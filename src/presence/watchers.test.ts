import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../../test/clocks.ts';
import { onEachDatabase } from '../../test/databases.ts';
import { eventually } from '../../test/eventually.ts';
import type { Person } from '../../test/harness.ts';
import { startSockets, type TestSocket } from '../../test/sockets.ts';
import { Events } from '../events/hints.ts';
import { blockUser, unblockUser } from '../relations/block-user.ts';

onEachDatabase('watching users', (database) => {
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

  /** The presence frames that the socket did not read yet, after a flush: no other comes for what happened until now. */
  async function flushed(
    service: { services: { presence: { watchers: { flush(): Promise<void> } } } },
    socket: TestSocket,
  ) {
    await service.services.presence.watchers.flush();
    await socket.ask({ type: 'sync' });
    return socket.unread.filter(({ type }) => type === 'presence');
  }

  test('the reply is a snapshot; a change is sent within a second, only to devices that watch the user', async (t) => {
    const { service, clock, bob, carol, watching } = await startThree(t);
    await service.enter(bob);
    const other = await service.enter(carol);
    await service.services.presence.watchers.flush(); // else the changes before the snapshot are sent once more
    const { data } = await watching.ask({ type: 'watch', userIds: [bob.id, carol.id, 'unknown', bob.id] });
    assert.deepEqual(data, [online(bob), online(carol), { id: 'unknown', online: 0, idle: 0, lastSeen: 0 }]);
    const leftAt = clock.world.now();
    await other.ask({ type: 'bye' });
    await clock.advance(1_000);
    const { users } = await presence(watching);
    assert.deepEqual(users, [{ id: carol.id, online: 0, idle: 0, lastSeen: leftAt }]);
    const back = await service.enter(carol);
    await service.services.presence.watchers.flush();
    assert.deepEqual((await presence(watching)).users, [online(carol)]);
    assert.deepEqual(await flushed(service, back), [], 'carol watches no one');
  });

  test('a watch frame replaces the watched users of the device', async (t) => {
    const { service, bob, carol, watching } = await startThree(t);
    await watching.ask({ type: 'watch', userIds: [bob.id] });
    assert.deepEqual((await watching.ask({ type: 'watch', userIds: [carol.id] })).data, [never(carol)]);
    await service.enter(bob);
    await service.enter(carol);
    const frames = await flushed(service, watching);
    assert.deepEqual(
      frames.flatMap(({ users }) => users),
      [online(carol)],
    );
    assert.deepEqual((await watching.ask({ type: 'watch', userIds: [] })).data, []);
    const tooMany = await watching.ask({ type: 'watch', userIds: Array.from({ length: 501 }, String) });
    assert.deepEqual([tooMany.code, tooMany.error], [400, 'invalid_field']);
  });

  test('a user whose connection breaks and who is back within 10 s stays online for watchers; over HTTP they go offline at once', async (t) => {
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
    for (const { users } of await flushed(service, watching)) assert.deepEqual(users, [online(bob)]);
    second.ws.close();
    await second.ended;
    await eventually(async () => (await service.isOnline(bob)) === 0);
    const leftAt = clock.world.now();
    await clock.advance(9_900);
    await watching.roundTrip(); // its pong to the heartbeat has arrived
    for (const { users } of await flushed(service, watching)) assert.deepEqual(users, [online(bob)]);
    // The grace may begin a moment after `leftAt`.
    await eventually(async () => {
      await clock.advance(1_000);
      return (await flushed(service, watching)).some(({ users }) => users[0].online === 0);
    });
    const [gone] = (await watching.first(({ type, users }) => type === 'presence' && users[0].online === 0))
      .users;
    assert.equal(gone.lastSeen, leftAt, 'the time at which Bob left, not the end of the grace');
  });

  test('a user who is online and uses no device is idle', async (t) => {
    const { service, bob, watching } = await startThree(t);
    const change = async () => {
      await service.services.presence.watchers.flush();
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

  test('of the changes within a second only the last state is sent', async (t) => {
    const { service, bob, watching } = await startThree(t);
    const bobs = await service.enter(bob);
    await service.services.presence.watchers.flush();
    await watching.ask({ type: 'watch', userIds: [bob.id] });
    for (let i = 0; i < 20; i++) await bobs.ask({ type: 'view', visible: true, active: i % 2 === 0 });
    const frames = await flushed(service, watching);
    assert.deepEqual(
      frames.map(({ users }) => users),
      [[{ ...online(bob), idle: 1 }]],
    );
  });

  test('what other nodes report of blocks hides the two users until the database was read, in whichever order it comes', async (t) => {
    const { service, alice, bob, watching } = await startThree(t);
    const { db, events } = service.services;
    const bobs = await service.enter(bob);
    await watching.ask({ type: 'watch', userIds: [bob.id] });
    await bobs.ask({ type: 'watch', userIds: [alice.id] });
    await flushed(service, watching);
    const receive = (isBlocked: boolean) =>
      events.receive({ type: 'block-changed', blockerId: bob.id, blockedId: alice.id, isBlocked });
    const shownToAlice = async () => (await flushed(service, watching)).at(-1)?.users;
    // Another node stored the block; the report of an earlier unblock comes after that of the block.
    await blockUser({ db, events: new Events() }, bob.id, alice.id, 1);
    receive(true);
    receive(false);
    assert.deepEqual(await shownToAlice(), [never(bob)]);
    await unblockUser({ db, events: new Events() }, bob.id, alice.id, 1);
    receive(false);
    receive(true);
    assert.deepEqual(await shownToAlice(), [online(bob)]);
    // The blocker's device gets the events at once, and does not see the blocked user go offline.
    for (const { users } of await flushed(service, bobs)) assert.deepEqual(users, [online(alice)]);
    const logged = bobs.unread.filter(({ type }) => type === 'event');
    assert.deepEqual(
      logged.map(({ event }) => event),
      ['block', 'unblock'],
    );
  });

  test('the time at which a user was last online survives a restart', async (t) => {
    const { service, clock, bob } = await startThree(t);
    const bobs = await service.enter(bob);
    const leftAt = clock.world.now();
    await bobs.ask({ type: 'bye' });
    await bobs.ended;
    clock.add(1_000);
    const restarted = await service.restart();
    const states = await restarted.services.presence.watchers.watch(
      { userId: 'watcher', isLive: true, unsentBytes: 0, writePresence() {} },
      [bob.id],
    );
    assert.equal(states[0]?.lastSeen, leftAt);
  });
});
