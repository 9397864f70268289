import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeKey } from '../../test/api-key.ts';
import { onEachDatabase, onSqlite } from '../../test/databases.ts';
import { type Call, type Person, startService, type TestService } from '../../test/harness.ts';
import { checkAnswer, operations, readDescription } from '../../test/openapi.ts';
import { pngOf } from '../../test/pictures-of-noise.ts';
import { pictureCall, upload } from '../../test/picturing.ts';
import { createPasswordLink } from '../accounts/password-links.ts';
import { endLinkToken } from '../accounts/recovery/end-by-link.ts';
import { hashOfSecret } from '../accounts/secrets.ts';
import { isHidden } from './openapi.ts';

/** Public by interface 4.2, and `options`, `receipt` and what links of mails and of the operator call, which are ours. */
const PUBLIC = [
  'GET /api/options',
  'POST /api/register',
  'POST /api/login',
  'POST /api/password-link',
  'POST /api/password/forgot',
  'POST /api/account/email/verify',
  'POST /api/sessions/end-by-link',
  'POST /api/account/keep',
  'GET /api/account/export',
  'GET /api/user/profile/{userId}',
  'GET /api/push/public-key',
  'POST /api/push/subscribe',
  'POST /api/push/receipt',
];

onSqlite('The description of the interface', (database) => {
  test('it has every route except pages and their files', async (t) => {
    const service = await startService(t, database);
    const described = Object.entries<object>((await readDescription(service)).paths).flatMap(
      ([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const hidden = new Set(hiddenRoutes(service));
    const routed = [...routesOf(service)].filter((route) => !hidden.delete(route));
    assert.deepEqual([...hidden], [], 'hidden, but not routed');
    for (const { route } of service.app.definedRoutes)
      assert.ok(
        !isHidden(route.schema ?? {}) || !/^.(api|ws|healthz|readyz|openapi)\b/.test(route.url),
        route.url,
      );
    assert.ok(routed.includes('GET /api/user/profile/{userId}'));
    assert.deepEqual(described.sort(), routed.sort());
    for (const known of PUBLIC) assert.ok(described.includes(known), known);
  });

  test('a route requires a token exactly where the service does', async (t) => {
    const service = await startService(t, database);
    const { paths, components } = await readDescription(service);
    for (const name of ['token', 'key']) assert.equal(components.securitySchemes[name].scheme, 'bearer');
    const open: string[] = [];
    for (const [path, method, operation] of operations(paths)) {
      const { status } = await service.app
        .inject({ method: method as 'GET', url: path.replace(/{.*}/, 'x') })
        .then(({ statusCode }) => ({ status: statusCode }));
      const scheme = path.startsWith('/api/admin/') ? { key: [] } : { token: [] };
      assert.deepEqual(operation.security, status === 401 ? [scheme] : [], `${method} ${path}`);
      if (status === 401) assert.ok(operation.responses[401], `${method} ${path}`);
      else if (path.startsWith('/api/')) open.push(`${method} ${path}`);
    }
    assert.deepEqual(open.sort(), [...PUBLIC].sort());
  });
});

onEachDatabase('The description and the answers', (database) => {
  test('every route answers as it is described, with 200 and with what it refuses', async (t) => {
    const service = await startService(t, database, {
      env: { SMTP_URL: 'smtp://127.0.0.1:1', PUBLIC_URL: 'http://localhost' },
      world: { resolve: async () => [] },
    });
    const description = await readDescription(service);
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    await service.post('/api/friends/request', { userId: alice.id }, { token: bob.token });
    for (let i = 0; i < 2; i++)
      await service.post('/api/login', { username: 'alice', password: alice.password });
    const { body: sessions } = await service.get('/api/sessions', { token: alice.token });
    const [other, another] = sessions.data.filter(({ current }: { current: number }) => current === 0);
    const endLink = endLinkToken(service.services.accounts.mac, another.id);

    const unseen = new Set(operations(description.paths).map(([path, method]) => `${method} ${path}`));
    unseen.delete('GET /ws');
    const see = async (method: string, path: string, call: Call) => {
      const answer = await service.call(method, path, call);
      assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`);
      unseen.delete(`${method} ${await checkAnswer(service.app, method, path, answer)}`);
      return answer;
    };

    const { id } = await service.join('dora');
    const link = await service.services.db.transaction((tx) => createPasswordLink(tx, id, Date.now()));
    const codeLink = 'A'.repeat(43);
    await service.services.db.run`
      insert into email_codes (user_id, address, language, requested_at, expires_at, code_hash, link_hash)
      values (${bob.id}, ${'bob@mail.example'}, ${'en'}, ${0}, ${Date.now() + 60_000}, ${'x'}, ${hashOfSecret(codeLink)})`;
    await service.services.db.run`
      insert into message_requests (user_id, peer_id, state, messages, at) values (${alice.id}, ${bob.id}, ${'waiting'}, ${1}, ${0})`;
    const key = await makeKey(service);
    for (const [token, calls] of [
      [key.token, goodCallsByKey(id)],
      [alice.token, goodCalls(alice, bob, other.id, endLink, codeLink, link?.token)],
    ] as const)
      for (const [method, path, body] of calls) await see(method, path, { token, ...(body && { body }) });
    const { id: picture } = await upload(service, bob);
    const { body: own } = await service.call('POST', '/api/user/avatar', pictureCall(bob, pngOf(16)));
    for (const [method, path, call] of [
      ['POST', '/api/pictures', pictureCall(bob, pngOf(16))],
      ['POST', `/api/pictures/${picture}/preview`, pictureCall(bob, pngOf(16))],
      ['GET', `/api/pictures/${picture}`, { token: bob.token }],
      ['GET', `/api/pictures/${picture}/preview`, { token: bob.token }],
      ['POST', '/api/user/avatar', pictureCall(bob, pngOf(16))],
      ['GET', own.data.avatar, {}],
    ] as const)
      await see(method, path, call);
    const { ticket } = (await see('POST', '/api/account/export', bob)).body.data;
    await see('GET', `/api/account/export?ticket=${ticket}`, {});
    await see('POST', '/api/account/delete', bob);
    const { body: leaving } = await service.post('/api/login', { username: 'bob', password: bob.password });
    const kept = await see('POST', '/api/account/keep', { body: { ticket: leaving.ticket } });
    bob.token = kept.body.data.token;
    // What else would end the accounts below.
    await service.services.db.run`update sessions set confirmed_at = 0`;
    assert.deepEqual([...unseen], [], 'routes of which no good answer was seen');

    const people = [alice.token, bob.token, key.token, (await makeKey(service, 'none', [])).token, undefined];
    for (const [path, method, { requestBody }] of operations(description.paths).filter(([one]) =>
      one.startsWith('/api/'),
    ))
      for (const token of people)
        for (const raw of requestBody
          ? [
              '{}',
              '{',
              '{"userId":"x","blockedId":"x","id":"x","to":"x","cid":"x","body":"x","peer":"x","read":0,"n":1,"emoji":"x","pinned":1}',
            ]
          : [undefined]) {
          const url = path.replace(/{.*}/, 'unknown');
          await service.call(method, url, { ...(token && { token }), ...(raw && { raw }) });
        }
  });
});

onEachDatabase('Answers with values that today has no name for', (database) => {
  test('an earlier version may have stored them: they are sent as they are', async (t) => {
    const service = await startService(t, database);
    const { id, token } = await service.join('alice');
    await service.services.db.transaction(async (tx) => {
      await tx.run`update users set gender = ${'other'} where id = ${id}`;
      await tx.run`
        insert into push_log (id, user_id, at, subscription_id, kind, outcome, detail)
        values (${'entry'}, ${id}, ${1}, ${'device'}, ${'kind'}, ${'told'}, ${''})`;
    });
    const headers = { authorization: `Bearer ${token}` };
    const read = async (url: string) => (await service.app.inject({ url, headers })).json().data[0];
    const { kind, outcome } = await read('/api/push/log');
    assert.deepEqual([kind, outcome], ['kind', 'told']);
    assert.equal((await read('/api/users?limit=1')).gender, 'other');
    await assert.rejects(service.get('/api/push/log', { token }), /openapi.json has other fields or values/);
  });
});

onSqlite('The check of answers against the description', (database) => {
  test('it finds another field, value, code, word and header', async (t) => {
    const service = await startService(t, database);
    const { app } = service;
    const { token } = await service.join('alice');
    const [path, answer] = ['/api/push/devices', await service.get('/api/push/devices', { token })];
    assert.equal(await checkAnswer(app, 'GET', path, answer), path);
    assert.equal(await checkAnswer(app, 'GET', '/nothing', answer), undefined);
    const { headers, body } = answer;
    const device = {
      id: 'x',
      service: 'x',
      device: 'x',
      confirmed: 1,
      current: 0,
      usable: 1,
      create_time: 1,
    };
    const changed: [object, RegExp][] = [
      [{ body: { ...body, more: 1 } }, /does not have "code, data, more"/],
      [{ body: { ...body, data: [{ ...device, p256dh: 'x' }] } }, /does not have "id, .*p256dh"/],
      [{ body: { ...body, data: [{ ...device, usable: 2 }] } }, /other fields or values/],
      [{ body: { ...body, code: 201 } }, /other fields or values/],
      [{ status: 404 }, /does not have this code/],
      [{ status: 401, body: { code: 401, error: 'tired', msg: 'x' } }, /refused with 401 "tired"/],
      [{ headers: { ...headers, 'device-proof': 'x' } }, /does not fit the header Device-Proof, x/],
      [{ headers: { ...headers, 'retry-after': '7' } }, /does not fit the header Retry-After, 7/],
      [{ headers: { ...headers, 'x-request-id': undefined } }, /does not fit the header X-Request-Id/],
    ];
    for (const [change, error] of changed)
      await assert.rejects(checkAnswer(app, 'GET', path, { ...answer, ...change }), error);
    const limited = { code: 429, error: 'rate_limited', msg: 'x' };
    const refused = { ...answer, status: 429, body: limited, headers: { ...headers, 'retry-after': 'soon' } };
    await assert.rejects(checkAnswer(app, 'GET', path, refused), /Retry-After is no integer, soon/);
  });
});

/** The routes that the router prints, without HEAD: a tree in which each line has the rest of a path. */
function* routesOf({ app }: TestService): Generator<string> {
  const starts: string[] = [];
  for (const line of app.printRoutes({ commonPrefix: false }).split('\n')) {
    const [, indent = '', rest = '', methods] =
      /^((?:│ {3}| {4})*)[├└]── (\S+)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? [];
    const level = indent.length / 4;
    starts[level] = (starts[level - 1] ?? '') + rest;
    for (const method of methods?.split(', ') ?? [])
      if (method !== 'HEAD') yield `${method} ${spell(starts[level] ?? '')}`;
  }
}

/** Pages, and the files that they load. */
function hiddenRoutes({ app }: TestService): string[] {
  return app.definedRoutes
    .filter(({ route }) => isHidden(route.schema ?? {}))
    .map(({ route }) => `${route.method} ${spell(route.url)}`);
}

function spell(url: string): string {
  return url.replace(/:(\w+)/g, '{$1}');
}

/** Calls of all routes for API keys, in an order in which each succeeds. @param id of a user who is deleted in the end */
function goodCallsByKey(id: string): [method: string, path: string, body?: object][] {
  const message = { from: id, to: 'shop|7', cid: 'k1', body: 'hello' };
  return [
    ['POST', '/api/admin/users', { id: 'shop|7', username: 'erin', verified_email: 'erin@mail.example' }],
    ['GET', '/api/admin/users'],
    ['GET', '/api/admin/users?limit=1'],
    ['GET', `/api/admin/users/${encodeURIComponent('shop|7')}`],
    ['GET', `/api/admin/presence?ids=${id},unknown`],
    ['POST', '/api/admin/sessions', { userId: id, device: 'x', confirmed: true }],
    ['POST', '/api/admin/friends/set', { userId: id, peerId: 'shop|7', friends: true }],
    ['POST', '/api/admin/messages', { messages: [message, message, { ...message, to: 'unknown' }] }],
    ['POST', '/api/admin/block', { userId: id, blockedId: 'shop|7' }],
    ['POST', '/api/admin/unblock', { userId: id, blockedId: 'shop|7' }],
    ['POST', '/api/admin/sessions/end', { userId: id }],
    ['POST', '/api/admin/users/suspend', { userId: 'shop|7' }],
    ['POST', '/api/admin/users/restore', { userId: 'shop|7' }],
    ['POST', '/api/admin/users/delete', { userId: 'shop|7' }],
  ];
}

/** Calls of all other routes, in an order in which each succeeds. */
function goodCalls(
  alice: Person,
  bob: Person,
  otherSession: string,
  endLink: string,
  codeLink: string,
  linkToken?: string,
): [method: string, path: string, body?: object][] {
  const subscription = { endpoint: 'https://push.example.net/1', keys: { p256dh: 'BAAA', auth: 'AAAA' } };
  return [
    ['GET', '/api/options'],
    ['POST', '/api/register', { username: 'carol', password: 'password' }],
    ['POST', '/api/login', { username: 'carol', password: 'password' }],
    ['POST', '/api/password/forgot', { account: 'carol' }],
    ['POST', '/api/password-link', { token: linkToken, newPassword: 'a new one' }],
    ['POST', '/api/token', {}],
    ['GET', '/api/account'],
    ['POST', '/api/account/confirm', { password: alice.password }],
    ['GET', '/api/sessions'],
    ['POST', '/api/sessions/end', { id: otherSession }],
    ['POST', '/api/sessions/end-by-link', { token: endLink }],
    ['POST', '/api/account/email', { email: 'alice@mail.example' }],
    ['POST', '/api/account/email/verify', { token: codeLink }],
    ['POST', '/api/account/email/remove', {}],
    ['GET', '/api/account/log'],
    ['GET', '/.well-known/jwks.json'],
    ['GET', '/api/users'],
    ['GET', '/api/users?limit=1'],
    ['GET', `/api/user/profile/${bob.id}`],
    ['POST', '/api/user/profile', { bio: 'x', phone: '1', gender: 'male', avatar: 'a.png', email: 'a@b' }],
    ['POST', '/api/user/settings', { pushEnabled: true, pushPreview: 'full' }],
    ['GET', '/api/user/quiet'],
    ['POST', '/api/user/quiet', { timeZone: 'UTC', windows: [] }],
    ['GET', '/api/user/privacy'],
    ['POST', '/api/user/privacy', { messages: 'everyone', readReceipts: true }],
    ['POST', '/api/conversations/request', { peer: bob.id, act: 'accept' }],
    ['POST', '/api/messages', { to: bob.id, cid: '1', body: 'hello' }],
    ['POST', '/api/messages', { to: bob.id, cid: '2', body: 'hello', replyTo: 1 }],
    ['POST', '/api/messages/edit', { peer: bob.id, n: 1, body: 'hello again' }],
    ['POST', '/api/messages/react', { peer: bob.id, n: 1, emoji: '👍' }],
    ['POST', '/api/conversations/settings', { peer: bob.id, pinned: 1 }],
    ['GET', `/api/messages?peer=${bob.id}`],
    ['GET', '/api/search?q=hello'],
    ['POST', '/api/messages/mark', { peer: bob.id, read: 1 }],
    ['GET', '/api/conversations'],
    ['POST', '/api/messages/unsend', { peer: bob.id, n: 2 }],
    ['POST', '/api/conversations/clear', { peer: bob.id, n: 2 }],
    ['POST', '/api/friends/accept', { userId: bob.id }],
    ['GET', '/api/friends'],
    ['POST', '/api/friends/remove', { userId: bob.id }],
    ['POST', '/api/friends/request', { userId: bob.id }],
    ['POST', '/api/friends/cancel', { userId: bob.id }],
    ['POST', '/api/friends/decline', { userId: bob.id }],
    ['POST', '/api/report', { userId: bob.id, reason: 'spam', text: 'x', messages: [1] }],
    ['GET', '/api/sync'],
    ['POST', '/api/user/block', { blockedId: bob.id }],
    ['GET', '/api/user/blocked'],
    ['POST', '/api/user/unblock', { blockedId: bob.id }],
    ['GET', '/api/push/public-key'],
    ['POST', '/api/push/subscribe', { userId: alice.id, subscription }],
    ['GET', '/api/push/devices'],
    ['GET', `/api/push/test-send?userId=${alice.id}`],
    ['GET', `/api/push/test-send?userId=${alice.id}&detail=1`],
    ['POST', '/api/push/receipt', { receipt: 'A'.repeat(43), event: 'shown' }],
    ['GET', '/api/push/log'],
    ['POST', '/api/push/unsubscribe', { endpoint: subscription.endpoint }],
    ['GET', '/healthz'],
    ['GET', '/readyz'],
    ['GET', '/openapi.json'],
    ['POST', '/api/user/change-password', { oldPassword: alice.password, newPassword: 'another one' }],
    ['POST', '/api/logout', {}],
  ];
}
