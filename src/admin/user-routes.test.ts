import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { makeKey } from '../../test/api-key.ts';
import { onEachDatabase, onEachDeployment, type TestDatabase } from '../../test/databases.ts';
import type { Answer, Body, ServiceOptions } from '../../test/harness.ts';
import { NO_IDS, OWN_IDS } from '../../test/ids.ts';
import { startSockets } from '../../test/sockets.ts';
import { readLog } from '../accounts/log/read-log.ts';

async function start(t: TestContext, database: TestDatabase, options: ServiceOptions = {}) {
  const service = await startSockets(t, database, options);
  const key = await makeKey(service);
  const put = (body: object) => service.post('/api/admin/users', body, key);
  const read = async (id: string) => service.get(`/api/admin/users/${encodeURIComponent(id)}`, key);
  const act = (what: string, userId: string) => service.post(`/api/admin/users/${what}`, { userId }, key);
  const acts = async (id: string) =>
    (await readLog(service.services.db, id, {})).items.map(({ what, detail }) => [what, detail]);
  return { service, db: service.services.db, key, put, read, act, acts };
}

const wordOf = ({ status, body }: Answer) => [status, body.error];
const BY_KEY = { by: 'key', key: 'crm' };

onEachDeployment('Users by API key', (database) => {
  test('a user is created with the id of the product, whatever REGISTRATION says, and every node shows them', async (t) => {
    const { service, put, read, acts } = await start(t, database, { env: { REGISTRATION: 'closed' } });
    const id = 'auth0|7:eu.a@b~c';
    const profile = {
      nickname: 'Wonder',
      email: 'a@b',
      avatar: '/a.png',
      gender: 'female',
      bio: 'hi',
      phone: '1',
    };
    const sent = {
      id,
      username: 'alice',
      ...profile,
      password: 'wonderland',
      verified_email: 'Alice@Example.org',
    };
    const { status, body } = await put(sent);
    const { created_at, ...user } = body.data.user;
    assert.deepEqual([status, body.data.created], [200, true]);
    const own = { id, username: 'alice', ...profile, push_enabled: 1, dnd_enabled: 0 };
    assert.deepEqual(user, { ...own, status: 'active', hasPassword: true });
    assert.ok(Math.abs(created_at - Date.now()) < 600_000);
    for (const _ of service.nodes) assert.deepEqual((await read(id)).body.data, body.data.user);
    for (const name of ['alice', 'alice@example.org'])
      assert.equal(
        (await service.post('/api/login', { username: name, password: 'wonderland' })).status,
        200,
      );
    assert.deepEqual((await acts(id)).slice(-2), [
      ['email_verified', BY_KEY],
      ['signed_up', BY_KEY],
    ]);
  });

  test('without a password there is none: a login is refused as with a wrong one', async (t) => {
    const { service, put } = await start(t, database);
    assert.equal((await put({ id: '42', username: 'bob' })).body.data.user.hasPassword, false);
    const login = (password: string) => service.post('/api/login', { username: 'bob', password });
    assert.deepEqual(wordOf(await login('!')), [400, 'wrong_password']);
    assert.equal((await put({ id: '42', username: 'bob', password: 'wonderland' })).body.data.created, false);
    assert.deepEqual(wordOf(await login('wonderland')), [400, 'wrong_password']);
  });

  test('what is sent later changes the profile, on the devices and at every node too; a repeat changes nothing', async (t) => {
    const { service, put } = await start(t, database);
    const alice = await service.join('alice');
    const device = await service.enter(alice);
    const { id, username } = alice;
    for (const node of service.nodes) await node.get(`/api/user/profile/${id}`);
    const { body } = await put({ id, username, nickname: 'Wonder', bio: 'hi' });
    assert.deepEqual([body.data.created, body.data.user.nickname], [false, 'Wonder']);
    const event = await device.first(({ type, event }) => type === 'event' && event === 'profile');
    assert.deepEqual([event.data.nickname, event.data.bio], ['Wonder', 'hi']);
    for (const node of service.nodes)
      assert.equal((await node.get(`/api/user/profile/${id}`)).body.data.nickname, 'Wonder');
    for (const same of [{ nickname: 'Wonder' }, { bio: 'hi', password: 'another one' }, {}])
      assert.equal((await put({ id, username, ...same })).body.data.user.nickname, 'Wonder');
    assert.equal((await put({ id, username, nickname: '' })).body.data.user.nickname, 'alice');
    await put({ id, username, nickname: 'alice' });
    const log = await service.services.db.all`select event from inbox where user_id = ${id}`;
    assert.deepEqual(log, [{ event: 'profile' }, { event: 'profile' }]);
    assert.equal((await service.post('/api/login', alice)).status, 200, 'the password stays');
  });

  test('a suspended user is refused by every node and their socket closes; restored, they sign in again', async (t) => {
    const { service, act, acts, read } = await start(t, database);
    const alice = await service.join('alice');
    const device = await service.enter(alice);
    for (const node of service.nodes) assert.equal((await node.get('/api/sessions', alice)).status, 200);
    assert.equal((await act('suspend', alice.id)).status, 200);
    for (const node of service.nodes) assert.equal((await node.get('/api/sessions', alice)).status, 401);
    assert.equal((await device.ended).code, 4403);
    assert.deepEqual(wordOf(await service.post('/api/login', alice)), [403, 'account_suspended']);
    assert.equal((await read(alice.id)).body.data.status, 'suspended');
    assert.equal((await act('suspend', alice.id)).status, 200);
    for (let i = 0; i < 2; i++) assert.equal((await act('restore', alice.id)).status, 200);
    assert.equal((await read(alice.id)).body.data.status, 'active');
    assert.equal((await service.post('/api/login', alice)).status, 200);
    assert.deepEqual((await acts(alice.id)).slice(1, 4), [
      ['restored', BY_KEY],
      ['suspended', { ...BY_KEY, ended: 0 }],
      ['suspended', { ...BY_KEY, ended: 1 }],
    ]);
  });

  test('a deleted user is gone from every node; only the two reads still know them', async (t) => {
    const { service, key, act, read, put } = await start(t, database);
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const device = await service.enter(alice);
    const listed = async (node: { get: typeof service.get }) =>
      (await node.get('/api/users', bob)).body.data.map(({ id }: { id: string }) => id);
    for (const node of service.nodes) assert.ok((await listed(node)).includes(alice.id));
    const both = await Promise.all([act('delete', alice.id), act('delete', alice.id)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 404]);
    assert.equal((await device.ended).code, 4409);
    for (const node of service.nodes) {
      assert.equal((await node.get('/api/sessions', alice)).status, 401);
      assert.equal((await node.get(`/api/user/profile/${alice.id}`)).status, 404);
      assert.ok(!(await listed(node)).includes(alice.id));
    }
    for (const what of ['delete', 'suspend', 'restore'])
      for (const id of [alice.id, 'unknown'])
        assert.deepEqual(wordOf(await act(what, id)), [404, 'user_not_found'], what);
    const { data } = (await read(alice.id)).body;
    assert.deepEqual([data.status, data.username, data.hasPassword], ['deleted', '', false]);
    assert.deepEqual(wordOf(await put({ id: alice.id, username: 'alice' })), [400, 'user_deleted']);
    assert.deepEqual(wordOf(await put({ id: 'new', username: 'alice' })), [400, 'username_taken']);
    const { body } = await service.get('/api/admin/users', key);
    assert.deepEqual(body.data.map(({ status }: Body) => status).sort(), ['active', 'deleted']);
  });

  test('several calls at once create one user', async (t) => {
    const { put, db } = await start(t, database);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => put({ id: '7', username: 'alice', bio: `${i % 3}` })),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal(answers.filter(({ body }) => body.data.created).length, 1);
    const others = await Promise.all(['8', '9'].map((id) => put({ id, username: 'bob' })));
    assert.deepEqual(others.map(({ body }) => body.error ?? '').sort(), ['', 'username_taken']);
    assert.deepEqual(await db.all`select count(*) as n from users`, [{ n: 2 }]);
    const heads = await db.all`select count(*) as n from inbox_heads`;
    assert.deepEqual(heads, [{ n: 2 }]);
  });

  test('presence is what it is, whatever the users show, in the order asked', async (t) => {
    const { service, key } = await start(t, database);
    const [alice, bob, carol] = [
      await service.join('alice'),
      await service.join('bob'),
      await service.join('carol'),
    ];
    await service.post('/api/user/privacy', { presence: 'nobody' }, alice);
    await service.enter(alice);
    const left = await service.enter(bob);
    left.send({ type: 'bye' });
    await left.ended;
    await service.settled();
    const ids = ['x', bob.id, carol.id, alice.id, bob.id].join();
    const presence = async () =>
      (await service.get(`/api/admin/presence?ids=${ids}`, key)).body.data as Body[];
    const found = await presence();
    assert.deepEqual(
      found.map(({ id, isOnline }) => [id, isOnline]),
      [
        [bob.id, 0],
        [carol.id, 0],
        [alice.id, 1],
        [bob.id, 0],
      ],
    );
    assert.equal(found[2].lastSeen, 0);
    assert.equal(found[1].lastSeen, 0);
  });
});

onEachDatabase('What is refused of users by API key', (database) => {
  test('ids of any form are taken, created and read; what is none is refused', async (t) => {
    const { put, read, act } = await start(t, database);
    for (const [i, id] of OWN_IDS.entries()) {
      assert.equal((await put({ id, username: `user${i}` })).body.data?.user.id, id, id);
      assert.equal((await read(id)).body.data.id, id);
      assert.equal((await act('suspend', id)).status, 200, id);
    }
    const named = await put({ id: 'user1', username: 'another' });
    assert.equal(named.body.data.created, true, "another user's name is an id like any other");
    for (const id of [...NO_IDS.filter((one) => one !== 'a\0'), 7, null, ['7'], undefined])
      assert.deepEqual(wordOf(await put({ id, username: 'no-one' })), [400, 'id_invalid'], String(id));
    assert.deepEqual(wordOf(await put({ id: 'a\0', username: 'no-one' })), [400, 'body_bad_text']);
    for (const id of ['constructor', '__proto__', '0', 'x'.repeat(65), 'a b', 'a/b'])
      if (!OWN_IDS.includes(id)) {
        assert.deepEqual(wordOf(await read(id)), [404, 'user_not_found'], id);
        assert.deepEqual(wordOf(await act('delete', id)), [404, 'user_not_found'], id);
      }
    assert.equal((await read('a\0')).status, 400);
    assert.deepEqual(wordOf(await act('delete', 'a\0')), [400, 'body_bad_text']);
  });

  test('each field has its own refusal, and a refused call changes nothing', async (t) => {
    const { service, put, read, db } = await start(t, database, { env: { PASSWORD_LIST: 'refuse' } });
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    assert.equal(
      (await put({ ...alice, id: 'x', username: 'owner', verified_email: 'x@mail.example' })).status,
      200,
    );
    const same = { id: alice.id, username: 'alice', bio: 'changed' };
    const fresh = { id: 'fresh', username: 'fresh' };
    const cases: [body: object, word: string][] = [
      [{ ...same, username: 'alicia' }, 'username_fixed'],
      [{ ...same, username: 'ALICE' }, 'username_fixed'],
      [{ ...same, username: bob.username }, 'username_fixed'],
      [{ ...same, username: 'a' }, 'username_length'],
      [{ id: alice.id }, 'username_length'],
      [{ ...same, verified_email: 'X@mail.example' }, 'email_taken'],
      [{ ...same, verified_email: 'a@x, b@y' }, 'email_invalid'],
      [{ ...same, verified_email: 7 }, 'email_invalid'],
      [{ ...fresh, username: 'Bob' }, 'username_taken'],
      [{ ...fresh, username: 'a\u202eb' }, 'username_invalid'],
      [{ ...fresh, verified_email: 'x@mail.example' }, 'email_taken'],
      [{ ...fresh, password: 'short' }, 'password_too_short'],
      [{ ...fresh, password: 'password' }, 'password_common'],
      [{ ...fresh, password: 'x'.repeat(129) }, 'password_too_long'],
      [{ ...fresh, nickname: '\u200b' }, 'nickname_invalid'],
      [{ ...fresh, avatar: 'data:x' }, 'avatar_invalid'],
      [{ ...fresh, gender: 'other' }, 'invalid_field'],
      [{ ...fresh, bio: 'x'.repeat(1_001) }, 'invalid_field'],
    ];
    for (const [body, word] of cases)
      assert.deepEqual(wordOf(await put(body)), [400, word], JSON.stringify(body));
    assert.equal((await read('fresh')).status, 404);
    assert.equal((await read(alice.id)).body.data.bio, '');
    assert.deepEqual(await db.all`select count(*) as n from users`, [{ n: 3 }]);
  });

  test('a verified address is replaced, kept by a repeat, and removed by an empty one', async (t) => {
    const { service, put, acts, db } = await start(t, database);
    const { id, username } = await service.join('alice');
    const of = async () =>
      (await db.all<{ address: string }>`select address from emails`).map((row) => row.address);
    const set = async (verified_email: string) => (await put({ id, username, verified_email })).status;
    for (const email of ['a@mail.example', 'a@mail.example', 'b@mail.example', '', ''])
      assert.deepEqual([await set(email), await of()], [200, email === '' ? [] : [email]]);
    assert.deepEqual((await acts(id)).slice(0, 3), [
      ['email_removed', BY_KEY],
      ['email_changed', BY_KEY],
      ['email_verified', BY_KEY],
    ]);
    const both = await Promise.all(
      [id, 'other'].map((one) =>
        put({ id: one, username: one === id ? username : one, verified_email: 'c@mail.example' }),
      ),
    );
    assert.deepEqual(both.map(({ body }) => body.error ?? '').sort(), ['', 'email_taken']);
  });

  test('every route needs the right users, and pages end', async (t) => {
    const { service, key, put } = await start(t, database);
    const other = await makeKey(service, 'other', ['sessions', 'relations', 'messages']);
    for (const [method, path, body] of [
      ['POST', '/api/admin/users', { id: '1', username: 'alice' }],
      ['GET', '/api/admin/users'],
      ['GET', '/api/admin/users/1'],
      ['POST', '/api/admin/users/suspend', { userId: '1' }],
      ['POST', '/api/admin/users/restore', { userId: '1' }],
      ['POST', '/api/admin/users/delete', { userId: '1' }],
      ['GET', '/api/admin/presence?ids=1'],
    ] as const) {
      const call = (token?: string) =>
        service.call(method, path, { ...(body && { body }), ...(token !== undefined && { token }) });
      assert.deepEqual(wordOf(await call(other.token)), [403, 'key_not_allowed'], path);
      assert.deepEqual(wordOf(await call()), [401, 'key_required'], path);
    }
    const ids = ['10', '2', 'a|b', 'B', 'constructor'].toSorted();
    for (const [i, id] of ids.entries()) await put({ id, username: `user${i}` });
    const pages: string[][] = [];
    for (let next: string | undefined = ''; next !== undefined; ) {
      const after: string = next === '' ? '' : `&after=${encodeURIComponent(next)}`;
      const { body }: Answer = await service.get(`/api/admin/users?limit=2${after}`, key);
      pages.push(body.data.map(({ id }: Body) => id));
      next = body.next;
    }
    assert.deepEqual(pages, [ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
    for (const query of [
      'limit=0',
      'limit=1001',
      'limit=x',
      'after=a%20b',
      'after=',
      `after=${'x'.repeat(65)}`,
    ])
      assert.equal((await service.get(`/api/admin/users?${query}`, key)).status, 400, query);
    for (const query of ['', 'ids=', 'ids=,', `ids=${Array(101).fill('a').join()}`, 'ids=a%00'])
      assert.equal((await service.get(`/api/admin/presence?${query}`, key)).status, 400, query);
    assert.deepEqual(
      (await service.get(`/api/admin/presence?ids=constructor,0,a%20b`, key)).body.data.length,
      1,
    );
  });
});
