import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TSchema } from 'typebox';
import Value from 'typebox/value';
import { onEachDatabase, onSqlite } from '../../test/databases.ts';
import { type Answer, type Body, type Person, startService, type TestService } from '../../test/harness.ts';
import { operations, readDescription } from '../../test/openapi.ts';
import { createPasswordLink } from '../accounts/password-links.ts';
import { isHidden } from './openapi.ts';

/** Public by interface 4.2, and `options`, `password-link` and `receipt`, which are ours. */
const PUBLIC = [
  'GET /api/options',
  'POST /api/register',
  'POST /api/login',
  'POST /api/password-link',
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
    assert.deepEqual(components.securitySchemes.token.scheme, 'bearer');
    const open: string[] = [];
    for (const [path, method, operation] of operations(paths)) {
      const { status } = await service.app
        .inject({ method: method as 'GET', url: path.replace(/{.*}/, 'x') })
        .then(({ statusCode }) => ({ status: statusCode }));
      assert.deepEqual(operation.security, status === 401 ? [{ token: [] }] : [], `${method} ${path}`);
      if (status === 401) assert.ok(operation.responses[401], `${method} ${path}`);
      else if (path.startsWith('/api/')) open.push(`${method} ${path}`);
    }
    assert.deepEqual(open.sort(), [...PUBLIC].sort());
  });
});

onEachDatabase('The description and the answers', (database) => {
  test('every route answers as it is described, with 200 and with what it refuses', async (t) => {
    const service = await startService(t, database, { world: { resolve: async () => [] } });
    const description = await readDescription(service);
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    await service.post('/api/friends/request', { userId: alice.id }, { token: bob.token });
    await service.post('/api/login', { username: 'alice', password: alice.password });
    const { body: sessions } = await service.get('/api/sessions', { token: alice.token });
    const other = sessions.data.find(({ current }: { current: number }) => current === 0);

    const unseen = new Set(operations(description.paths).map(([path, method]) => `${method} ${path}`));
    unseen.delete('GET /ws');

    const { id } = await service.join('dora');
    const link = await service.services.db.transaction((tx) => createPasswordLink(tx, id, Date.now()));
    for (const [method, path, body] of goodCalls(alice, bob, other.id, link?.token)) {
      const answer = await service.call(method, path, { token: alice.token, ...(body && { body }) });
      assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`);
      unseen.delete(`${method} ${assertDescribed(description, method, path, answer)}`);
    }
    assert.deepEqual([...unseen], [], 'routes of which no good answer was seen');

    const people = [alice.token, bob.token, undefined];
    for (const [path, method, { requestBody }] of operations(description.paths).filter(([one]) =>
      one.startsWith('/api/'),
    ))
      for (const token of people)
        for (const raw of requestBody
          ? [
              '{}',
              '{',
              '{"userId":"x","blockedId":"x","id":"x","to":"x","cid":"x","body":"x","peer":"x","read":0}',
            ]
          : [undefined]) {
          const url = path.replace(/{.*}/, 'unknown');
          const answer = await service.call(method, url, { ...(token && { token }), ...(raw && { raw }) });
          assertDescribed(description, method, url, answer);
        }
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

/** Calls of all routes, in an order in which each succeeds. */
function goodCalls(
  alice: Person,
  bob: Person,
  otherSession: string,
  linkToken?: string,
): [method: string, path: string, body?: object][] {
  const subscription = { endpoint: 'https://push.example.net/1', keys: { p256dh: 'BAAA', auth: 'AAAA' } };
  return [
    ['GET', '/api/options'],
    ['POST', '/api/register', { username: 'carol', password: 'password' }],
    ['POST', '/api/login', { username: 'carol', password: 'password' }],
    ['POST', '/api/password-link', { token: linkToken, newPassword: 'a new one' }],
    ['POST', '/api/token', {}],
    ['GET', '/api/sessions'],
    ['POST', '/api/sessions/end', { id: otherSession }],
    ['GET', '/.well-known/jwks.json'],
    ['GET', '/api/users'],
    ['GET', '/api/users?limit=1'],
    ['GET', `/api/user/profile/${bob.id}`],
    ['POST', '/api/user/profile', { bio: 'x', phone: '1', gender: 'male', avatar: 'a.png', email: 'a@b' }],
    ['POST', '/api/user/settings', { pushEnabled: true, pushPreview: 'full' }],
    ['POST', '/api/messages', { to: bob.id, cid: '1', body: 'hello' }],
    ['GET', `/api/messages?peer=${bob.id}`],
    ['POST', '/api/messages/mark', { peer: bob.id, read: 1 }],
    ['GET', '/api/conversations'],
    ['POST', '/api/friends/accept', { userId: bob.id }],
    ['GET', '/api/friends'],
    ['POST', '/api/friends/remove', { userId: bob.id }],
    ['POST', '/api/friends/request', { userId: bob.id }],
    ['POST', '/api/friends/cancel', { userId: bob.id }],
    ['POST', '/api/friends/decline', { userId: bob.id }],
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

/** @returns the path as the description spells it */
function assertDescribed({ paths }: Body, method: string, url: string, answer: Answer): string {
  const [target = ''] = url.split('?');
  const path =
    Object.keys(paths).find((one) => new RegExp(`^${one.replace(/{.*?}/, '[^/]+')}$`).test(target)) ?? '';
  const seen = `${method} ${path}: ${answer.status} ${answer.text.slice(0, 300)}`;
  const schema: TSchema =
    paths[path]?.[method.toLowerCase()]?.responses[answer.status]?.content?.['application/json'].schema;
  assert.ok(schema, `not described: ${seen}`);
  assert.ok(Value.Check(schema, answer.body), seen);
  // The description of the description ends at its first field.
  if (path !== '/openapi.json') assertNothingElse(schema, answer.body, seen);
  return path;
}

/** Checks that every field is in the schema at any depth; our schemas do not forbid other fields. */
function assertNothingElse(schema: Body, value: unknown, seen: string): void {
  if (Array.isArray(value)) for (const one of value) assertNothingElse(schema.items, one, seen);
  else if (typeof value === 'object' && value !== null) {
    const variants: Body[] = schema.anyOf ?? [schema];
    const fitting = variants.find((one) =>
      Object.keys(value).every((name) => name in (one.properties ?? {})),
    );
    assert.ok(fitting, `${Object.keys(value)} in ${seen}`);
    for (const [name, inner] of Object.entries(value))
      assertNothingElse(fitting.properties[name], inner, seen);
  }
}
