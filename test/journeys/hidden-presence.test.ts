import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../clocks.ts';
import { onEachDeployment, type TestDatabase } from '../databases.ts';
import type { Body, Person } from '../harness.ts';
import { startSockets } from '../sockets.ts';

/** Alice watches Bob on each node, and Bob, whose device is at the last one, watches her. */
async function startWatching(t: TestContext, database: TestDatabase) {
  // Time stands still: nothing is collected or sent unless a test does it.
  const service = await startSockets(t, database, { world: new ManualClock().world });
  const [alice, bob, carol] = [
    await service.join('alice'),
    await service.join('bob'),
    await service.join('carol'),
  ];
  const bobs = await service.enter(bob, { node: service.nodes.length - 1 });
  const alices = await Promise.all(
    service.nodes.map(async (_, node) => service.enter(await service.logIn(alice), { node })),
  );
  await service.settled();
  for (const socket of alices) await socket.ask({ type: 'watch', userIds: [bob.id] });
  await bobs.ask({ type: 'watch', userIds: [alice.id] });

  const post = async (node: number, path: string, body: object, { token }: Person) => {
    const answer = await service.nodes[node % service.nodes.length]?.post(path, body, { token });
    assert.equal(answer?.status, 200);
  };
  const digits = ({ data }: Body) => data.map((one: Body) => `${one.username} ${one.isOnline}`);
  return {
    service,
    alice,
    bob,
    carol,
    bobs,
    alices,
    post,
    setPrivacy: (node: number, of: Person, body: object) => post(node, '/api/user/privacy', body, of),
    /** The last state of `of` that each socket got, by a flush of all nodes. */
    async flushed(of: Person, sockets = alices) {
      await service.flush();
      for (const socket of sockets) await socket.ask({ type: 'sync' });
      return sockets.map((socket) => {
        const frames = socket.unread.filter(
          ({ type, users }) => type === 'presence' && users[0].id === of.id,
        );
        const [last] = frames.at(-1)?.users ?? [];
        return last && [last.online, last.lastSeen];
      });
    },
    /** What each node answers over HTTP: the profile of `of`, the full list and a page of those who are online. */
    async answers(of: Person, to: Person) {
      const each = service.nodes.map(async ({ get }) => {
        const { token } = to;
        const { data } = (await get(`/api/user/profile/${of.id}`, { token })).body;
        return [
          data.isOnline,
          digits((await get('/api/users', { token })).body).join(),
          digits((await get('/api/users?online=1', { token })).body).join(),
        ];
      });
      const [first, ...others] = await Promise.all(each);
      for (const other of others) assert.deepEqual(other, first, 'each node answers the same');
      return first;
    },
  };
}

onEachDeployment('hidden presence', (database) => {
  test('what a user shows to no one is hidden on each node before the change is answered, and so are others to them', async (t) => {
    const { service, alice, bob, carol, alices, bobs, setPrivacy, flushed, answers } = await startWatching(
      t,
      database,
    );
    const each = <T>(state: T) => alices.map(() => state);
    assert.deepEqual(await answers(bob, alice), [1, 'alice 1,bob 1,carol 0', 'alice 1,bob 1']);
    await flushed(bob);

    await setPrivacy(0, bob, { presence: 'nobody' });
    assert.deepEqual(await answers(bob, alice), [0, 'alice 1,bob 0,carol 0', 'alice 1']);
    // The second time from what is ready.
    for (let time = 1; time <= 2; time++)
      assert.deepEqual(await answers(alice, bob), [0, 'alice 0,bob 0,carol 0', '']);
    const { body } = await service.get(`/api/user/profile/${bob.id}`);
    assert.equal(body.data.isOnline, 0, 'without a token');
    for (const socket of alices) {
      const { data } = await socket.ask({ type: 'watch', userIds: [bob.id] });
      assert.deepEqual(data, [{ id: bob.id, online: 0, idle: 0, lastSeen: 0 }]);
    }
    assert.deepEqual(await flushed(alice, [bobs]), [[0, 0]]);

    await setPrivacy(1, bob, { presence: 'everyone' });
    assert.deepEqual(await answers(bob, alice), [1, 'alice 1,bob 1,carol 0', 'alice 1,bob 1']);
    assert.deepEqual(await answers(alice, bob), [1, 'alice 1,bob 1,carol 0', 'alice 1,bob 1']);
    assert.deepEqual(await flushed(bob), each([1, 0]));
    await setPrivacy(2, bob, { presence: 'nobody' });
    assert.deepEqual(await flushed(bob), each([0, 0]));

    // It is hidden when he was last online, too.
    await bobs.ask({ type: 'bye' });
    await service.settled();
    assert.deepEqual(await flushed(bob), each([0, 0]));
    await setPrivacy(0, bob, { presence: 'everyone' });
    const times = (await flushed(bob)).map((state) => state?.[1]);
    assert.ok(times.every((at) => at > 0 && at === times[0]));
    assert.deepEqual(await answers(carol, alice), [0, 'alice 1,bob 0,carol 0', 'alice 1']);
  });

  test('a user who shows it to friends alone is hidden on each node before the end of a friendship is answered', async (t) => {
    const { alice, bob, alices, bobs, post, setPrivacy, flushed, answers } = await startWatching(t, database);
    const each = <T>(state: T) => alices.map(() => state);
    const friend = (node: number, action: string, by: Person, userId: string) =>
      post(node, `/api/friends/${action}`, { userId }, by);
    await flushed(bob);
    await setPrivacy(0, bob, { presence: 'friends' });
    assert.deepEqual(await flushed(bob), each([0, 0]));
    assert.deepEqual(await flushed(alice, [bobs]), [[0, 0]]);
    await friend(0, 'request', alice, bob.id);
    assert.deepEqual(await flushed(bob), each([0, 0]), 'a request is no friendship');
    await friend(1, 'accept', bob, alice.id);
    assert.deepEqual(await flushed(bob), each([1, 0]));
    assert.deepEqual(await flushed(alice, [bobs]), [[1, 0]]);
    assert.deepEqual(await answers(bob, alice), [0, 'alice 1,bob 0,carol 0', 'alice 1'], 'HTTP has no pairs');
    await friend(2, 'remove', alice, bob.id);
    for (const socket of alices)
      assert.equal((await socket.ask({ type: 'watch', userIds: [bob.id] })).data[0].online, 0);
    assert.deepEqual(await flushed(alice, [bobs]), [[0, 0]]);
  });

  test('who is not listed leaves the ready lists of each node, and is found by their whole name and id', async (t) => {
    const { service, alice, bob, setPrivacy, answers } = await startWatching(t, database);
    await answers(bob, alice);
    await setPrivacy(0, bob, { listed: false });
    assert.deepEqual(await answers(bob, alice), [1, 'alice 1,carol 0', 'alice 1']);
    for (const { get } of service.nodes)
      for (const [q, found] of [
        ['bo', 0],
        ['BOB', 1],
      ] as const)
        assert.equal((await get(`/api/users?q=${q}`, alice)).body.data.length, found);
    await setPrivacy(1, bob, { listed: true });
    assert.deepEqual(await answers(bob, alice), [1, 'alice 1,bob 1,carol 0', 'alice 1,bob 1']);
  });
});
