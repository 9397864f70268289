import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { decodeJwt } from 'jose';
import { ManualClock } from '../../test/clocks.ts';
import { onEachDeployment } from '../../test/databases.ts';
import type { Person } from '../../test/harness.ts';
import { startSockets } from '../../test/sockets.ts';
import { removeExpiredTickets } from '../accounts/leaving/tickets.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const MINUTE_MS = 60_000;
const KEYS = {
  p256dh: Buffer.alloc(65, 4).toString('base64url'),
  auth: Buffer.alloc(16).toString('base64url'),
};

onEachDeployment('Leaving', (database) => {
  async function start(t: TestContext) {
    const clock = new ManualClock();
    const service = await startSockets(t, database, { world: clock.world });
    const { db } = service.services;
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const logIn = (password = alice.password, username = 'alice') =>
      service.post('/api/login', { username, password });
    return {
      clock,
      service,
      db,
      alice,
      bob,
      ask: (person: Pick<Person, 'token'> = alice) => service.post('/api/account/delete', {}, person),
      logIn,
      ticket: async () => String((await logIn()).body.ticket),
      keep: (ticket: unknown) => service.post('/api/account/keep', { ticket }),
      statusNow: async () =>
        (await db.get<{ status: string }>`select status from users where id = ${alice.id}`)?.status,
    };
  }
  const INVALID = [400, 'ticket_invalid'];

  test('ends all sessions until a time, and a login says so and undoes nothing', async (t) => {
    const { clock, service, db, alice, bob, ask, logIn, statusNow } = await start(t);
    const other = (await logIn()).body.data;
    const profile = `/api/user/profile/${alice.id}`;
    // Each node remembers her.
    await Promise.all(service.nodes.flatMap(({ get }) => [get(profile), get('/api/users', bob)]));
    const until = clock.world.now() + 30 * DAY_MS;
    const asked = await ask();
    assert.deepEqual([asked.status, asked.body.data], [200, { until }]);
    for (const { token } of [alice, other])
      for (const node of service.nodes)
        assert.equal((await node.get('/api/sessions', { token })).status, 401);
    const { status, body } = await logIn();
    const { ticket, ...refused } = body;
    assert.deepEqual(
      [status, refused],
      [403, { code: 403, error: 'account_leaving', msg: '账号将被删除', until }],
    );
    assert.match(ticket, /^[\w-]{43}$/);
    assert.deepEqual((await logIn('a guess')).body, { code: 400, error: 'unknown_user', msg: '用户不存在' });
    assert.equal(await statusNow(), 'deleted');
    assert.deepEqual(await db.all`select key from name_keys where user_id = ${alice.id}`, []);
    const sent = await service.post('/api/messages', { to: alice.id, cid: 'c1', body: 'hi' }, bob);
    assert.deepEqual([sent.status, sent.body.error], [403, 'not_accepting']);
    for (const { get } of service.nodes) {
      const names = (await get('/api/users', bob)).body.data.map((one: Person) => one.username);
      assert.deepEqual(names, ['bob']);
      assert.deepEqual((await get('/api/users?q=alice', bob)).body.data, []);
      assert.equal((await get(profile)).status, 404);
    }
    const taken = await service.post('/api/register', { username: 'Alice', password: 'another one' });
    assert.equal(taken.body.error, 'username_taken');
  });

  test('needs a session that was confirmed in the last 5 minutes', async (t) => {
    const { clock, service, alice, ask, statusNow } = await start(t);
    clock.add(5 * MINUTE_MS);
    const refused = await ask();
    assert.deepEqual([refused.status, refused.body.error], [403, 'confirm_required']);
    assert.equal(await statusNow(), 'active');
    await service.post('/api/account/confirm', { password: alice.password }, alice);
    assert.equal((await ask()).status, 200);
  });

  test('closes the sockets on every node with 4403 account_leaving, and no one else’s', async (t) => {
    const { service, alice, bob, ask, logIn } = await start(t);
    const other = (await logIn()).body.data;
    const sockets = await Promise.all(
      [alice, other].flatMap((person) => service.nodes.map((_, node) => service.enter(person, { node }))),
    );
    const bobs = await service.enter(bob);
    assert.equal((await ask()).status, 200);
    for (const socket of sockets)
      assert.deepEqual(await socket.ended, { code: 4403, reason: 'account_leaving' });
    await bobs.roundTrip();
  });

  test('a node that only learns that much has changed closes them alike', async (t) => {
    const { service, db, alice, ask } = await start(t);
    const socket = await service.enter(alice);
    const { events } = service.services;
    events.publish = () => {}; // as if the hint were lost
    await ask();
    for (const { services } of service.nodes) services.events.receive({ type: 'external-change' });
    assert.deepEqual(await socket.ended, { code: 4403, reason: 'account_leaving' });
    assert.equal((await db.all`select user_id from deletions`).length, 1);
  });

  test('is undone once by a ticket, which signs in', async (t) => {
    const { service, db, alice, ask, keep, logIn, ticket, statusNow } = await start(t);
    await ask();
    const [first, second] = [await ticket(), await ticket()];
    const { status, body } = await keep(first);
    const { token, ...user } = body.data;
    assert.deepEqual([status, user.id, user.username], [200, alice.id, 'alice']);
    assert.equal(await statusNow(), 'active');
    for (const rows of [await db.all`select user_id from deletions`, await db.all`select hash from tickets`])
      assert.deepEqual(rows, []);
    const sessions = (await service.get('/api/sessions', { token })).body.data;
    assert.deepEqual(
      sessions.map(({ id }: { id: string }) => id),
      [decodeJwt(token).sid],
    );
    assert.equal((await service.get('/api/sessions', alice)).status, 401, 'of before');
    assert.equal((await logIn()).status, 200);
    for (const used of [first, second]) {
      const again = await keep(used);
      assert.deepEqual([again.status, again.body.error], INVALID);
    }
  });

  test('a ticket is good for 5 minutes, removed afterwards, and no word but itself is one', async (t) => {
    const { clock, db, ask, keep, ticket } = await start(t);
    await ask();
    const [first, second] = [await ticket(), await ticket()];
    for (const word of ['x', `${first}x`, 'a'.repeat(10_000)]) {
      const { status, body } = await keep(word);
      assert.deepEqual([status, body.error], INVALID, word.slice(0, 50));
    }
    for (const bad of [undefined, '', 1, null, [first]]) assert.equal((await keep(bad)).status, 400);
    clock.add(5 * MINUTE_MS - 1);
    await removeExpiredTickets(db, clock.world.now());
    assert.equal((await db.all`select hash from tickets`).length, 2);
    clock.add(1);
    for (const late of [first, second]) assert.equal((await keep(late)).body.error, 'ticket_invalid');
    await removeExpiredTickets(db, clock.world.now());
    assert.deepEqual(await db.all`select hash from tickets`, []);
    assert.equal((await keep(await ticket())).status, 200);
  });

  test('brings everything back but sessions and push subscriptions', async (t) => {
    const { clock, service, alice, bob, ask, keep, ticket } = await start(t);
    const { get, post } = service;
    const carol = await service.join('carol');
    const write = (from: Person, to: Person, cid: string) =>
      post('/api/messages', { to: to.id, cid, body: cid }, from);
    const does = async (path: string, body: unknown, person = alice) =>
      assert.equal((await post(path, body, person)).status, 200, path);
    await does('/api/user/profile', { nickname: 'Wonder', email: 'a@example.org', bio: 'b' });
    await does('/api/user/privacy', { presence: 'nobody', readReceipts: false });
    await does('/api/user/settings', { dndEnabled: true, pushPreview: 'none' });
    const windows = [{ days: [1], from: '22:00', to: '07:00' }];
    await does('/api/user/quiet', { timeZone: 'Europe/Berlin', windows });
    await does('/api/friends/request', { userId: alice.id }, bob);
    await does('/api/friends/accept', { userId: bob.id });
    await does('/api/user/block', { blockedId: carol.id });
    for (const cid of ['one', 'two']) await write(bob, alice, cid);
    await write(alice, bob, 'three');
    await does('/api/conversations/settings', { peer: bob.id, pinned: 1 });
    await does('/api/push/subscribe', {
      ...{ userId: alice.id },
      subscription: { endpoint: 'https://push.example.com/1', keys: KEYS },
    });
    clock.add(10_000);
    await service.pushes.runDue(); // the log says why nothing was sent
    const paths = ['sync', 'friends', 'user/blocked', 'user/quiet', 'push/log', `messages?peer=${bob.id}`];
    const read = async (person: Pick<Person, 'token'>) => {
      const answers = await Promise.all(paths.map((path) => get(`/api/${path}`, person)));
      return answers.map(({ status, body }) => [status, body]);
    };
    const before = await read(alice);
    assert.ok(JSON.stringify(before).includes('Europe/Berlin'), 'the test reads what is stored');
    await ask();
    assert.deepEqual((await get('/api/friends', bob)).body.data, []);
    const kept = (await keep(await ticket())).body.data;
    assert.deepEqual(await read(kept), before);
    assert.deepEqual((await get('/api/push/devices', kept)).body.data, []);
    const friends = (await get('/api/friends', bob)).body.data;
    assert.deepEqual(
      friends.map(({ id }: Person) => id),
      [alice.id],
    );
    assert.equal((await get('/api/users?q=wond', bob)).body.data[0].id, alice.id);
    assert.equal((await write(bob, alice, 'four')).status, 200);
  });
});
