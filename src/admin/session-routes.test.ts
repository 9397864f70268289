import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { makeKey } from '../../test/api-key.ts';
import { onEachDatabase, onEachDeployment, type TestDatabase } from '../../test/databases.ts';
import type { Body, ServiceOptions } from '../../test/harness.ts';
import { startSockets } from '../../test/sockets.ts';
import { eraseUser, suspendUser } from '../accounts/account-status.ts';
import { readLog } from '../accounts/log/read-log.ts';
import { readEvents } from '../inbox/stored-events.ts';

const UNTIL = 4_000_000_000_000;

async function start(t: TestContext, database: TestDatabase, options: ServiceOptions = {}) {
  const service = await startSockets(t, database, options);
  const key = await makeKey(service);
  const alice = await service.join('alice');
  const { db } = service.services;
  return {
    service,
    db,
    key,
    alice,
    signIn: (body: object) => service.post('/api/admin/sessions', body, key),
    end: (body: object) => service.post('/api/admin/sessions/end', body, key),
    entries: async () =>
      (await readLog(db, alice.id, {})).items.map(({ what, device, address, detail }) => ({
        ...{ what, device, address, detail },
      })),
    sessions: async ({ token }: { token: string }) =>
      (await service.get('/api/sessions', { token })).body.data as Body[],
  };
}

const wordOf = ({ status, body }: { status: number; body: Body }) => [status, body.error];

onEachDeployment('sessions by API key', (database) => {
  test('a sign-in answers a token that every node takes, of a session that the user recognizes', async (t) => {
    const { service, alice, key, signIn, sessions, entries } = await start(t, database);
    const { status, body } = await signIn({ userId: alice.id, device: 'Firefox on Linux' });
    assert.deepEqual([status, Object.keys(body.data)], [200, ['token', 'sessionId']]);
    const { token, sessionId } = body.data;
    for (const node of service.nodes) assert.equal((await node.get('/api/account', { token })).status, 200);
    const [own, first] = await sessions({ token });
    assert.deepEqual([own.id, own.device, own.address, own.current], [sessionId, 'Firefox on Linux', '', 1]);
    assert.equal(first.current, 0, 'that of the registration stays');
    const unnamed = (await signIn({ userId: alice.id })).body.data;
    assert.equal((await sessions(unnamed))[0].device, 'API key crm');
    assert.deepEqual(
      (await entries()).slice(0, 2).map(({ what, device, detail }) => [what, device, detail]),
      [
        ['signed_in', 'API key crm', { by: 'key', key: 'crm' }],
        ['signed_in', 'Firefox on Linux', { by: 'key', key: 'crm' }],
      ],
    );
    const lines = service.logLines.join('\n');
    for (const secret of [token, key.token]) assert.ok(!lines.includes(secret));
    assert.match(lines, /"event":"signed_in","userId":/);
  });

  test('a session ends when it is answered, on every node, with its socket, and the user’s devices learn it', async (t) => {
    const { service, db, alice, signIn, end, entries } = await start(t, database);
    const { token, sessionId } = (await signIn({ userId: alice.id, device: 'phone' })).body.data;
    const socket = await service.enter({ token }, { node: 2 });
    for (const node of service.nodes) assert.equal((await node.get('/api/account', { token })).status, 200);
    assert.deepEqual((await end({ userId: alice.id, sessionId })).body.data, { ended: 1 });
    for (const node of service.nodes) assert.equal((await node.get('/api/account', { token })).status, 401);
    assert.equal((await socket.ended).code, 4409);
    const last = (await readEvents(db, alice.id, 0, 100)).at(-1);
    assert.deepEqual([last?.event, last?.data], ['sessions', { ended: [sessionId] }]);
    assert.equal((await service.get('/api/account', alice)).status, 200);
    const [entry] = await entries();
    assert.deepEqual(
      [entry?.what, entry?.device, entry?.detail],
      ['session_ended', 'API key crm', { by: 'key', key: 'crm', device: 'phone' }],
    );
    assert.deepEqual(wordOf(await end({ userId: alice.id, sessionId })), [404, 'session_not_found']);
  });

  test('without a session’s id all of the user end, and a repeat ends none', async (t) => {
    const { service, alice, signIn, end, entries } = await start(t, database);
    const bob = await service.join('bob');
    const { token } = (await signIn({ userId: alice.id })).body.data;
    const both = [token, alice.token];
    for (const node of service.nodes)
      for (const token of both) assert.equal((await node.get('/api/account', { token })).status, 200);
    assert.deepEqual((await end({ userId: alice.id })).body.data, { ended: 2 });
    for (const node of service.nodes)
      for (const token of both) assert.equal((await node.get('/api/account', { token })).status, 401);
    const [entry] = await entries();
    assert.deepEqual([entry?.what, entry?.detail], ['sessions_ended', { by: 'key', key: 'crm', n: 2 }]);
    assert.deepEqual((await end({ userId: alice.id })).body.data, { ended: 0 });
    assert.equal((await service.get('/api/account', bob)).status, 200);
  });

  test('sign-ins and ends at once: each sign-in gives a session, and each session ends once', async (t) => {
    const { service, alice, signIn, end, sessions } = await start(t, database);
    const answers = await Promise.all(Array.from({ length: 12 }, () => signIn({ userId: alice.id })));
    const opened: Body[] = answers.map(({ body }) => body.data);
    assert.equal(new Set(opened.map(({ sessionId }) => sessionId)).size, 12);
    assert.equal((await sessions(alice)).length, 13);
    const ends = opened.flatMap(({ sessionId }) => [sessionId, sessionId]);
    const ended = await Promise.all(ends.map((sessionId) => end({ userId: alice.id, sessionId })));
    assert.deepEqual(ended.map(({ status }) => status).sort(), [
      ...Array(12).fill(200),
      ...Array(12).fill(404),
    ]);
    assert.equal((await service.get('/api/account', alice)).status, 200);
  });
});

onEachDatabase('sessions by API key', (database) => {
  test('only `confirmed` confirms the session, as a password does', async (t) => {
    const { service, alice, signIn } = await start(t, database);
    const remove = (token: string) => service.post('/api/account/email/remove', {}, { token });
    const until = async (token: string) =>
      (await service.get('/api/account', { token })).body.data.confirmed_until;
    const plain = (await signIn({ userId: alice.id, confirmed: false })).body.data.token;
    const left = (await signIn({ userId: alice.id })).body.data.token;
    const confirmed = (await signIn({ userId: alice.id, confirmed: true })).body.data.token;
    for (const token of [plain, left]) assert.equal(await until(token), 0);
    assert.ok((await until(confirmed)) > 0);
    assert.deepEqual(wordOf(await remove(plain)), [403, 'confirm_required']);
    assert.equal((await remove(confirmed)).status, 200);
  });

  test('a suspended user is refused with the operator’s reason, unknown and deleted ones are not found', async (t) => {
    const { service, db, alice, signIn, end } = await start(t, database);
    const bob = await service.join('bob');
    await db.transaction((tx) => suspendUser(tx, alice.id, { reason: 'spam', until: UNTIL, at: 1 }));
    const refused = await signIn({ userId: alice.id, confirmed: true });
    const byPassword = await service.post('/api/login', { username: 'alice', password: alice.password });
    assert.deepEqual([refused.status, refused.body], [403, byPassword.body]);
    assert.deepEqual(
      [refused.body.error, refused.body.reason, refused.body.until],
      ['account_suspended', 'spam', UNTIL],
    );
    assert.deepEqual((await end({ userId: alice.id })).body.data, { ended: 0 });
    await db.transaction((tx) => eraseUser(tx, bob.id));
    for (const userId of [bob.id, 'nobody', 'constructor'])
      for (const act of [signIn, end])
        assert.deepEqual(wordOf(await act({ userId })), [404, 'user_not_found']);
    assert.deepEqual(await db.all`select id from sessions`, []);
  });

  test('no mail and no event notifies of a sign-in', async (t) => {
    const { db, alice, signIn } = await start(t, database, {
      env: { SMTP_URL: 'smtp://127.0.0.1:1', PUBLIC_URL: 'https://chat.example.org' },
    });
    await db.run`
      insert into emails (user_id, address, address_key, language, verified_at) values (${alice.id}, 'a@b.example', 'a@b.example', 'en', 1)`;
    assert.equal((await signIn({ userId: alice.id, device: 'unknown device' })).status, 200);
    assert.deepEqual(await db.all`select id from mail_jobs`, []);
    assert.deepEqual(await readEvents(db, alice.id, 0, 100), []);
  });

  test('a device’s name is kept as a User-Agent is: 200 characters, none cut in half', async (t) => {
    const { alice, signIn, sessions } = await start(t, database);
    const { data } = (await signIn({ userId: alice.id, device: `${'x'.repeat(199)}😀 and more` })).body;
    assert.equal((await sessions(data))[0].device, `${'x'.repeat(199)}\ufffd`);
    assert.deepEqual(wordOf(await signIn({ userId: alice.id, device: 'x'.repeat(1_001) })), [
      400,
      'invalid_field',
    ]);
    for (const body of [{}, { userId: 7 }, { userId: alice.id, confirmed: 1 }, { userId: '' }])
      assert.deepEqual(wordOf(await signIn(body)), [400, 'invalid_field']);
    const { data: named } = (await signIn({ userId: alice.id, device: '' })).body;
    assert.equal((await sessions(named))[0].device, 'API key crm');
  });

  test('another user’s session is not found', async (t) => {
    const { service, alice, signIn, end } = await start(t, database);
    const bob = await service.join('bob');
    const { sessionId, token } = (await signIn({ userId: bob.id })).body.data;
    assert.deepEqual(wordOf(await end({ userId: alice.id, sessionId })), [404, 'session_not_found']);
    assert.equal((await service.get('/api/account', { token })).status, 200);
  });

  test('a hundred sessions stay, as after logins', async (t) => {
    const { db, alice, signIn } = await start(t, database);
    await db.run`
      insert into sessions (id, user_id, created_at, used_at)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 120)
      select 'old' || cast(n as text), ${alice.id}, 1, 1 from numbers`;
    await signIn({ userId: alice.id });
    assert.equal((await db.all`select id from sessions`).length, 100);
  });

  test('the right `sessions` is needed', async (t) => {
    const { service, alice } = await start(t, database);
    const other = await makeKey(service, 'bot', ['users', 'relations', 'messages']);
    for (const path of ['/api/admin/sessions', '/api/admin/sessions/end'])
      for (const [call, expected] of [
        [other, [403, 'key_not_allowed']],
        [alice, [401, 'key_required']],
        [{}, [401, 'key_required']],
      ] as const)
        assert.deepEqual(wordOf(await service.post(path, { userId: alice.id }, call)), expected);
  });
});
