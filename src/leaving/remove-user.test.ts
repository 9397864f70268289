import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeKey } from '../../test/api-key.ts';
import { Clock } from '../../test/clocks.ts';
import { onEachDatabase } from '../../test/databases.ts';
import { type Person, startService } from '../../test/harness.ts';
import { startHeld } from '../../test/held-push-service.ts';
import { startPushing } from '../../test/pushing.ts';
import { startSockets } from '../../test/sockets.ts';
import { restoreUser } from '../accounts/account-status.ts';
import { recordExternalChange } from '../events/changes.ts';
import type { Services } from '../services.ts';
import type { UserRow } from '../users/schemas.ts';
import { deleteUser } from './remove-user.ts';

const KEYS = {
  p256dh: Buffer.alloc(65, 4).toString('base64url'),
  auth: Buffer.alloc(16).toString('base64url'),
};

/** As the operator's command `user delete` does it. */
async function removeAccount({ db }: Services, { id }: Person): Promise<void> {
  await db.transaction(async (tx) => {
    await deleteUser(tx, id);
    await recordExternalChange(tx);
  });
}

onEachDatabase('a deleted account', (database) => {
  test('has its name held, and keeps nothing that was stored of its user', async (t) => {
    const service = await startService(t, database);
    const { services, get, post } = service;
    const { db } = services;
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const carol = await service.join('carol');
    const profile = {
      nickname: 'Wonder',
      email: 'a@example.org',
      phone: '+49 30 1',
      bio: 'b',
      gender: 'female',
      avatar: '/a.png',
    };
    await post('/api/user/profile', profile, { token: alice.token });
    await post(
      '/api/user/privacy',
      {
        ...{ messages: 'friends', friendRequests: 'nobody', presence: 'nobody' },
        readReceipts: false,
        listed: false,
      },
      { token: alice.token },
    );
    const switches = { pushEnabled: false, dndEnabled: true, pushPreview: 'none' };
    assert.equal((await post('/api/user/settings', switches, { token: alice.token })).status, 200);
    for (const token of [alice.token, undefined]) {
      const subscription = { endpoint: `https://push.example.com/${token?.length}`, keys: KEYS };
      const stored = await post(
        '/api/push/subscribe',
        { userId: alice.id, subscription },
        { ...(token && { token }) },
      );
      assert.equal(stored.status, 200);
    }
    for (const [from, to] of [
      [alice, bob],
      [bob, alice],
    ] as const)
      await post('/api/messages', { to: to.id, cid: from.id, body: 'hi' }, { token: from.token });
    for (const [person, peer] of [
      [alice, bob],
      [bob, alice],
    ] as const)
      await post('/api/conversations/settings', { peer: peer.id, pinned: 1 }, { token: person.token });
    await post('/api/friends/request', { userId: alice.id }, { token: bob.token });
    await post('/api/friends/accept', { userId: bob.id }, { token: alice.token });
    await post('/api/friends/request', { userId: carol.id }, { token: alice.token });

    await makeKey(service);
    await db.run`
      insert into api_key_sessions (key_id, user_id, session_id)
      select api_keys.id, user_id, sessions.id from api_keys, sessions where user_id = ${alice.id}`;

    await removeAccount(services, alice);
    // All columns, so that a new one is red until someone decides what becomes of it.
    const row = await db.get<UserRow>`select * from users where id = ${alice.id}`;
    assert.ok(row);
    const { created_at: createdAt, ...rest } = row;
    assert.ok(createdAt > 0);
    assert.deepEqual(
      { ...rest },
      {
        id: alice.id,
        username: '',
        username_key: row.username_key,
        nickname: '',
        nickname_key: '',
        keyed_names: '',
        status: 'deleted',
        password_hash: '',
        email: '',
        phone: '',
        bio: '',
        gender: '',
        avatar: '',
        push_enabled: 1,
        dnd_enabled: 0,
        push_preview: 'sender',
        who_messages: 'everyone',
        who_friend_requests: 'everyone',
        who_presence: 'everyone',
        shows_read: 1,
        is_listed: 1,
      },
    );
    assert.match(row.username_key, /^HELD:[\w-]{43}$/);
    const { id } = alice;
    const left = await Promise.all([
      db.all`select id from sessions where user_id = ${id}`,
      db.all`select id from push_subscriptions where user_id = ${id}`,
      db.all`select peer_id from push_pending where user_id = ${id} or peer_id = ${id}`,
      db.all`select peer_id from push_jobs where user_id = ${id} or peer_id = ${id}`,
      db.all`select removed_at from push_last_confirmed where user_id = ${id}`,
      db.all`select id from push_log where user_id = ${id}`,
      db.all`select state from friends where user_id = ${id} or peer_id = ${id}`,
      db.all`select seq from inbox where user_id = ${id}`,
      db.all`select peer_id from conversation_settings where user_id = ${id}`,
      db.all`select key_id from api_key_sessions where user_id = ${id}`,
      db.all`select key from name_keys where user_id = ${id}`,
      db.all`select at from last_seen where user_id = ${id}`,
      db.all`select blocked_id from blocks where blocker_id = ${id}`,
      db.all`select hash from tickets where user_id = ${id}`,
    ]);
    assert.deepEqual(
      left,
      left.map(() => []),
    );
    const { pinned } = (await get('/api/conversations', { token: bob.token })).body;
    assert.deepEqual(
      pinned.map((one: { peer: string }) => one.peer),
      [id],
      'the peer keeps what they set',
    );
    assert.equal((await post('/api/register', alice)).body.error, 'username_taken');
    await assert.rejects(
      db.transaction((tx) => restoreUser(tx, id)),
      { name: 'ServiceError', kind: 'not-found' },
    );
    await removeAccount(services, alice);
  });

  for (const status of [201, 400, 410, 500])
    for (const kind of ['push', 'test send'])
      test(`has no push log, also when a ${kind} is answered with ${status} after the deletion`, async (t) => {
        const { service, pushService, alice, bob, subscribe, write } = await startPushing(t, database);
        const held = await startHeld(t);
        await subscribe(bob, { of: held.at(pushService.subscribe()) });
        const sent =
          kind === 'push'
            ? write(alice, bob)
            : service.get(`/api/push/test-send?userId=${bob.id}`, { token: bob.token });
        await held.untilHeld();
        await removeAccount(service.services, bob);
        await held.answer(status);
        await sent;
        await service.pushes.runDue();
        assert.deepEqual(await service.services.db.all`select * from push_log`, []);
      });

  test('is in no list, while its messages stay readable', async (t) => {
    const clock = new Clock();
    const service = await startSockets(t, database, { world: clock.world });
    const { services, get, post } = service;
    const [alice, bob, carol] = [
      await service.join('alice'),
      await service.join('bob'),
      await service.join('carol'),
    ];
    await post('/api/messages', { to: bob.id, cid: 'c1', body: 'hi' }, { token: alice.token });
    await post('/api/friends/request', { userId: bob.id }, { token: alice.token });
    await post('/api/friends/accept', { userId: alice.id }, { token: bob.token });
    for (const { id: blockedId } of [alice, carol])
      await post('/api/user/block', { blockedId }, { token: bob.token });
    const own = await service.enter(alice);
    const watching = await service.enter(await service.join('dora'));
    const watch = async () => (await watching.ask({ type: 'watch', userIds: [alice.id] })).data;
    assert.deepEqual(await watch(), [{ id: alice.id, online: 1, idle: 0, lastSeen: 0 }]);

    await removeAccount(services, alice);
    assert.equal((await own.ended).code, 4409);
    const gone = { id: alice.id, online: 0, idle: 0, lastSeen: 0 };
    clock.add(10_000); // for which a user who did not say bye stays online
    const offline = await watching.first(({ type, users }) => type === 'presence' && users[0].online === 0);
    assert.deepEqual(offline.users, [gone]);
    assert.deepEqual(await watch(), [gone]);

    const token = bob.token;
    assert.equal((await get('/api/sessions', { token: alice.token })).status, 401);
    assert.equal((await get(`/api/user/profile/${alice.id}`)).status, 404);
    for (const query of ['', '?q=alice', '?limit=1000', '?online=1', '?q=al&online=1']) {
      const names = (await get(`/api/users${query}`, { token })).body.data.map(
        (one: { id: string }) => one.id,
      );
      assert.ok(!names.includes(alice.id), query);
    }
    for (const query of ['', '?limit=10']) {
      const blocked = (await get(`/api/user/blocked${query}`, { token })).body.data;
      assert.deepEqual(
        blocked.map((one: { username: string }) => one.username),
        ['carol'],
        query,
      );
    }
    assert.deepEqual((await get('/api/friends', { token })).body.data, []);
    const { data } = (await get('/api/sync', { token })).body;
    assert.ok(!JSON.stringify({ ...data, conversations: [] }).includes(alice.id));
    assert.equal(data.conversations.length, 1);
    const history = (await get(`/api/messages?peer=${alice.id}`, { token })).body.data;
    assert.deepEqual(
      (history.items ?? history).map((one: { body: string }) => one.body),
      ['hi'],
    );
    const send = await post(
      '/api/messages',
      { to: alice.id, cid: 'c2', body: 'there?' },
      { token: carol.token },
    );
    assert.deepEqual([send.status, send.body.error], [403, 'not_accepting']);
  });
});
