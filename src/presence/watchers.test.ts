import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import type { Person } from '../../test/harness.ts';
import { Clock, eventually, startSockets, type TestSocket } from '../sockets/test-client.ts';

onEachDatabase('watching others', (database) => {
  async function startThree(t: TestContext) {
    const clock = new Clock();
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

  /** Everything that is gathered by now has been told, so what has not come will not come. */
  async function settled(service: { services: { watchers: { tell(): Promise<void> } } }, socket: TestSocket) {
    // A clock that leaps looks like a process that was held up: until it is answered again, nothing is told.
    await socket.ask({ type: 'sync' });
    await service.services.watchers.tell();
    await socket.ask({ type: 'sync' });
    return socket.unread.filter(({ type }) => type === 'presence');
  }

  test('the answer is a snapshot, what changes is told within a second or so, to those alone who watch', async (t) => {
    const { service, bob, carol, watching } = await startThree(t);
    await service.enter(bob);
    const other = await service.enter(carol);
    await service.services.watchers.tell(); // what changed before the snapshot would be told once more
    const { data } = await watching.ask({ type: 'watch', userIds: [bob.id, carol.id, 'nobody', bob.id] });
    assert.deepEqual(data, [online(bob), online(carol), { id: 'nobody', online: 0, idle: 0, lastSeen: 0 }]);
    const before = Date.now();
    await other.ask({ type: 'bye' });
    const { users } = await presence(watching);
    assert.deepEqual([users.length, users[0].id, users[0].online, users[0].idle], [1, carol.id, 0, 0]);
    assert.ok(users[0].lastSeen >= before && users[0].lastSeen <= Date.now());
    const back = await service.enter(carol);
    assert.deepEqual((await presence(watching)).users, [online(carol)]);
    assert.deepEqual(await settled(service, back), [], 'carol watches nobody');
  });

  test('watching replaces the set', async (t) => {
    const { service, bob, carol, watching } = await startThree(t);
    await watching.ask({ type: 'watch', userIds: [bob.id] });
    assert.deepEqual((await watching.ask({ type: 'watch', userIds: [carol.id] })).data, [never(carol)]);
    await service.enter(bob);
    await service.enter(carol);
    await service.services.watchers.tell();
    const told = await settled(service, watching);
    assert.deepEqual(
      told.flatMap(({ users }) => users),
      [online(carol)],
    );
    assert.deepEqual((await watching.ask({ type: 'watch', userIds: [] })).data, []);
    const tooMany = await watching.ask({ type: 'watch', userIds: Array.from({ length: 501 }, String) });
    assert.deepEqual([tooMany.code, tooMany.error], [400, 'invalid_field']);
  });

  test('whoever breaks off and is back within 10 s never goes offline for those who watch; over HTTP at once', async (t) => {
    const { service, clock, bob, watching } = await startThree(t);
    const first = await service.enter(bob);
    await watching.ask({ type: 'watch', userIds: [bob.id] });
    first.ws.terminate();
    await first.ended;
    await eventually(async () => (await service.isOnline(bob)) === 0);
    clock.add(9_000);
    assert.deepEqual((await watching.ask({ type: 'watch', userIds: [bob.id] })).data, [online(bob)]);
    const second = await service.enter(bob);
    clock.add(9_000);
    for (const { users } of await settled(service, watching)) assert.deepEqual(users, [online(bob)]);
    second.ws.close();
    await second.ended;
    const leftAt = clock.world.now?.() ?? 0;
    clock.add(9_900);
    for (const { users } of await settled(service, watching)) assert.deepEqual(users, [online(bob)]);
    clock.add(200);
    const [gone] = (await watching.first(({ type, users }) => type === 'presence' && users[0].online === 0))
      .users;
    assert.ok(Math.abs(gone.lastSeen - leftAt) < 2_000, 'when he left, not when the grace ended');
  });

  test('idle is online with no device in use', async (t) => {
    const { service, bob, watching } = await startThree(t);
    const phone = await service.connect();
    await phone.hello({ token: bob.token, visible: false });
    const { data } = await watching.ask({ type: 'watch', userIds: [bob.id] });
    assert.deepEqual(data, [{ ...online(bob), idle: 1 }]);
    const laptop = await service.enter(bob);
    assert.deepEqual((await presence(watching)).users, [online(bob)]);
    await laptop.ask({ type: 'view', visible: true, active: false });
    assert.deepEqual((await presence(watching)).users, [{ ...online(bob), idle: 1 }]);
    await phone.ask({ type: 'view', visible: true });
    assert.deepEqual((await presence(watching)).users, [online(bob)]);
    await phone.ask({ type: 'bye' });
    assert.deepEqual((await presence(watching)).users, [{ ...online(bob), idle: 1 }]);
  });

  test('only the last state of a second is told', async (t) => {
    const { service, bob, watching } = await startThree(t);
    const his = await service.enter(bob);
    await watching.ask({ type: 'watch', userIds: [bob.id] });
    await settled(service, watching);
    for (let i = 0; i < 20; i++) await his.ask({ type: 'view', visible: true, active: i % 2 === 0 });
    await settled(service, watching);
    const told = watching.unread.filter(({ type }) => type === 'presence');
    assert.ok(told.length >= 1 && told.length <= 3, `${told.length} frames for 20 changes`);
    assert.deepEqual(told.at(-1)?.users, [{ ...online(bob), idle: 1 }]);
  });

  test('when somebody was last there survives a restart', async (t) => {
    const { service, bob } = await startThree(t);
    const his = await service.enter(bob);
    await his.ask({ type: 'bye' });
    await his.ended;
    const restarted = await service.restart();
    const sights = await restarted.services.watchers.watch(
      { userId: 'somebody', isLive: true, unsentBytes: 0, writePresence() {} },
      [bob.id],
    );
    assert.ok(Math.abs((sights[0]?.lastSeen ?? 0) - Date.now()) < 60_000);
  });
});
