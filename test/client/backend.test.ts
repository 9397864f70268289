import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { type Backend, type BackendOptions, createBackend } from 'doorman-client/server';
import { Value } from 'typebox/value';
import { SHAPES } from '../../src/health/shapes.ts';
import { makeKey } from '../api-key.ts';
import { onEachDeployment, onSqlite } from '../databases.ts';
import type { Body } from '../harness.ts';
import { operations, readDescription } from '../openapi.ts';
import { Device } from './device.ts';
import { serve } from './serving.ts';

const KEY = `dk_${'x'.repeat(43)}`;

interface Arrived {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: Body;
}

interface Answered {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body: object | string;
}

/** A server that records what arrives and answers as `answers` says. */
async function startRecorder(t: TestContext, answers: (arrived: Arrived) => Answered | undefined) {
  const arrived: Arrived[] = [];
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    const one = { method, url, headers, body: method === 'POST' ? await json(request) : undefined };
    arrived.push(one);
    const answer = answers(one);
    if (!answer) return; // it hangs
    const { status = 200, headers: more, body } = answer;
    response.writeHead(status, more).end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens on a port
  const open = (options: Partial<BackendOptions> = {}) =>
    createBackend({ baseUrl: `http://127.0.0.1:${port}/`, key: KEY, ...options });
  return { arrived, open };
}

const GOOD: Answered = { body: { code: 200, data: [] } };
const limited = (seconds?: number): Answered => ({
  status: 429,
  ...(seconds !== undefined && { headers: { 'retry-after': String(seconds) } }),
  body: { code: 429, error: 'rate_limited', msg: 'Too many' },
});

test('a backend sends its key in the header alone, and no origin', async (t) => {
  const { arrived, open } = await startRecorder(t, () => GOOD);
  await open().presenceOf(['auth0|7', 'a/b ü']);
  const [{ method, url, headers } = assert.fail()] = arrived;
  assert.deepEqual([method, url], ['GET', '/api/admin/presence?ids=auth0|7,a%2Fb%20%C3%BC']);
  assert.equal(headers.authorization, `Bearer ${KEY}`);
  assert.deepEqual([headers.origin, headers.cookie], [undefined, undefined]);
  await open().getUser('../sessions?x=1');
  assert.equal(arrived[1]?.url, '/api/admin/users/..%2Fsessions%3Fx%3D1');
});

test('no user is asked for by an id with a comma, nor the service for no user', async (t) => {
  const { arrived, open } = await startRecorder(t, () => GOOD);
  assert.deepEqual(await open().presenceOf([]), []);
  await open().presenceOf(['42,43', '44']);
  assert.deepEqual(
    arrived.map(({ url }) => url),
    ['/api/admin/presence?ids=44'],
  );
});

test('all calls wait as long as Retry-After says, and are made again', async (t) => {
  let limitedUntil = 0;
  const { arrived, open } = await startRecorder(t, () => {
    limitedUntil ||= performance.now() + 1_000;
    return performance.now() < limitedUntil ? limited(1) : GOOD;
  });
  const isWaiting = Promise.withResolvers<void>();
  const original = globalThis.setTimeout;
  t.mock.method(globalThis, 'setTimeout', (callback: () => void, ms: number) => {
    // A wait for a moment is no whole number.
    if (!Number.isInteger(ms)) isWaiting.resolve();
    return original(callback, ms);
  });
  const backend = open();
  const first = backend.presenceOf(['1']);
  await isWaiting.promise;
  assert.deepEqual(await Promise.all([first, backend.presenceOf(['2'])]), [[], []]);
  // None came too early, or it would have been refused once more.
  assert.deepEqual(arrived.map(({ url }) => url?.at(-1)).sort(), ['1', '1', '2']);
});

test('a longer wait than allowed, or a refusal without a time, is the error of the call', async (t) => {
  for (const [seconds, maxWaitMs] of [
    [1, 0],
    [60, 59_000],
    [3_600, undefined],
    [undefined, undefined],
  ] as const) {
    const { arrived, open } = await startRecorder(t, () => limited(seconds));
    const calling = open(maxWaitMs === undefined ? {} : { maxWaitMs }).getUser('1');
    await assert.rejects(calling, {
      ...{ name: 'DoormanError', code: 429, error: 'rate_limited' },
      retryAfterMs: seconds === undefined ? undefined : seconds * 1_000,
    });
    assert.equal(arrived.length, 1);
  }
});

test('a call that is refused again and again gives up in the end', async (t) => {
  const { arrived, open } = await startRecorder(t, () => limited(1));
  await assert.rejects(open({ maxWaitMs: 3_500 }).getUser('1'), { code: 429 });
  assert.ok(arrived.length > 1 && arrived.length <= 4, String(arrived.length));
});

test('errors are those of the kit', async (t) => {
  const answers: (Answered | undefined)[] = [
    { status: 404, body: { code: 404, error: 'user_not_found', msg: 'No such user' } },
    { status: 404, body: '<h1>Not here</h1>' },
    { status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' },
    undefined,
  ];
  const { arrived, open } = await startRecorder(t, () => answers.shift());
  const backend = open({ deadlineMs: 2_000 });
  await assert.rejects(backend.getUser('1'), { name: 'DoormanError', code: 404, error: 'user_not_found' });
  for (let i = 0; i < 3; i++) await assert.rejects(backend.getUser('1'), { code: 0, error: 'unreachable' });
  await assert.rejects(backend.getUser('\ud800'), { code: 400, error: 'bad_text' });
  assert.equal(arrived.length, 4);
});

test('no backend is created in a page, without an address, or without a key', (t) => {
  const options = { baseUrl: 'http://localhost:3000', key: KEY };
  for (const key of ['', 'dk_', KEY.toUpperCase(), ` ${KEY}`, `${KEY}x`])
    assert.throws(
      () => createBackend({ ...options, key }),
      (error: Error) => error instanceof TypeError && (key === '' || !error.message.includes(key)),
    );
  assert.throws(() => createBackend({ baseUrl: options.baseUrl } as BackendOptions), TypeError);
  assert.throws(() => createBackend({ ...options, baseUrl: '/api' }), TypeError);
  Object.assign(globalThis, { window: {} });
  t.after(() => void Reflect.deleteProperty(globalThis, 'window'));
  assert.throws(() => createBackend(options), /is for servers/);
});

interface Scene {
  readonly bob: string;
}

/** A call of each route, in an order in which each succeeds, and the shape of its body. */
const ROUTES: Record<
  string,
  [call: (backend: Backend, scene: Scene) => Promise<unknown>, body?: keyof typeof SHAPES]
> = {
  'POST /api/admin/users': [
    (one) => one.putUser({ id: 'shop|1', username: 'alice', bio: 'hi' }),
    'PutUserBody',
  ],
  'GET /api/admin/users/{userId}': [(one) => one.getUser('shop|1')],
  'GET /api/admin/users': [(one) => one.listUsers({ limit: 1, after: 'a' })],
  'GET /api/admin/presence': [(one) => one.presenceOf(['shop|1'])],
  'POST /api/admin/sessions': [
    (one) => one.signInUser({ userId: 'shop|1', device: 'a phone', confirmed: true }),
    'SignInBody',
  ],
  'POST /api/admin/sessions/end': [(one) => one.endSessionsOfUser('shop|1'), 'EndSessionsBody'],
  'POST /api/admin/friends/set': [(one, { bob }) => one.setFriends('shop|1', bob, true), 'SetFriendsBody'],
  'POST /api/admin/block': [(one, { bob }) => one.blockAsUser('shop|1', bob), 'BlockOfBody'],
  'POST /api/admin/unblock': [(one, { bob }) => one.unblockAsUser('shop|1', bob), 'BlockOfBody'],
  'POST /api/admin/messages': [
    (one, { bob }) => one.sendMessages([{ from: 'shop|1', to: bob, cid: 'c', body: 'hi' }]),
    'SendMessagesBody',
  ],
  'POST /api/admin/users/suspend': [(one) => one.suspendUser('shop|1')],
  'POST /api/admin/users/restore': [(one) => one.restoreUser('shop|1')],
  'POST /api/admin/users/delete': [(one) => one.deleteUser('shop|1')],
};

onSqlite('A backend against the interface', (database) => {
  test('every route for keys has a method of its name, which calls it with the described body', async (t) => {
    const service = await serve(t, database);
    const { id: bob } = await service.join('bob');
    const { token: key } = await makeKey(service);
    const { paths } = await readDescription(service);
    const described = new Map(
      operations(paths).map(([path, method, operation]) => [`${method} ${path}`, operation]),
    );
    assert.deepEqual(
      [...described.keys()].filter((name) => name.includes('/api/admin/')).sort(),
      Object.keys(ROUTES).sort(),
    );

    const calls: { url: string; init: RequestInit }[] = [];
    const original = globalThis.fetch;
    t.mock.method(globalThis, 'fetch', (url: string, init: RequestInit) => {
      calls.push({ url, init });
      return original(url, init);
    });
    const backend = createBackend({ baseUrl: service.url, key });
    for (const [name, [call, body]] of Object.entries(ROUTES)) {
      const used: (keyof Backend)[] = [];
      const watched = new Proxy(backend, {
        get(target, method: keyof Backend) {
          used.push(method);
          return target[method];
        },
      });
      await call(watched, { bob });
      const [{ url, init } = assert.fail(name), ...others] = calls.splice(0);
      assert.deepEqual(used, [described.get(name).operationId], name);
      assert.deepEqual(others, [], name);
      const [method = '', path = ''] = name.split(' ');
      assert.equal(init.method, method, name);
      assert.match(new URL(url).pathname, new RegExp(`^${path.replace(/{.*?}/, '[^/]+')}$`), name);
      if (body) assert.ok(Value.Check(SHAPES[body], JSON.parse(String(init.body))), `${name}: ${init.body}`);
    }
  });
});

onEachDeployment('A product’s backend', (database) => {
  test('creates users, signs them in, keeps them in step, and sends', async (t) => {
    const service = await serve(t, database);
    const { token: key } = await makeKey(service);
    const backend = createBackend({ baseUrl: service.url, key });
    for (const [id, username] of [
      ['42', 'alice'],
      ['auth0|43', 'bob'],
    ] as const) {
      const { created, user } = await backend.putUser({ id, username, nickname: username.toUpperCase() });
      assert.deepEqual([created, user.hasPassword, user.status], [true, false, 'active']);
    }
    const { created, user } = await backend.putUser({ id: '42', username: 'alice', bio: 'Down the hole' });
    assert.deepEqual([created, user.nickname, user.bio], [false, 'ALICE', 'Down the hole']);
    await assert.rejects(backend.putUser({ id: '42', username: 'mallory' }), { error: 'username_fixed' });
    const listed = await backend.listUsers({ limit: 1 });
    const rest = await backend.listUsers({ ...(listed.next && { after: listed.next }) });
    assert.deepEqual(
      [...listed.users, ...rest.users].map(({ id }) => id),
      ['42', 'auth0|43'],
    );
    assert.equal(rest.next, undefined);

    const getToken = async () => (await backend.signInUser({ userId: 'auth0|43', device: 'a phone' })).token;
    const bob = new Device(t, service.url, { getToken });
    assert.deepEqual((await bob.doorman.restore())?.userId, 'auth0|43');
    await bob.connect();
    const longest = Array.from({ length: 99 }, (_, n) => `x${n}`.padEnd(64, '|'));
    assert.deepEqual(
      (await backend.presenceOf([...longest, '42'])).map(({ id }) => id),
      ['42'],
    );
    assert.deepEqual(
      (await backend.presenceOf(['nobody', 'auth0|43', '42'])).map(({ id, isOnline }) => [id, isOnline]),
      [
        ['auth0|43', 1],
        ['42', 0],
      ],
    );

    assert.equal((await backend.setFriends('42', 'auth0|43', true)).state, 'friends');
    await bob.first('friend', ({ userId, state }) => userId === '42' && state === 'friends');
    const message = { from: '42', to: 'auth0|43', cid: 'order-7', body: 'Your order is on its way' };
    const sent = await backend.sendMessages([message, message, { ...message, to: 'nobody', cid: 'x' }]);
    assert.deepEqual(
      sent.map((one) => ('error' in one ? one.error : [one.n, one.duplicate])),
      [[1, false], [1, true], 'user_not_found'],
    );
    await bob.hears('Your order is on its way');
    await backend.blockAsUser('auth0|43', '42');
    const [refused] = await backend.sendMessages([{ ...message, cid: 'order-8' }]);
    assert.ok(refused && 'error' in refused);
    assert.equal(refused.error, 'not_accepting');
    await assert.rejects(backend.setFriends('42', 'auth0|43', true), { code: 403 });
    await backend.unblockAsUser('auth0|43', '42');

    const { token, sessionId } = await backend.signInUser({ userId: '42' });
    assert.equal((await service.get('/api/sessions', { token })).status, 200);
    await backend.endSessionsOfUser('42', sessionId);
    assert.equal((await service.get('/api/sessions', { token })).status, 401);

    await backend.suspendUser('auth0|43');
    await bob.first('session', ({ end }) => end === 'suspended');
    await bob.is('off');
    await assert.rejects(bob.doorman.restore(), (error: Body) => error.cause.error === 'account_suspended');
    await backend.restoreUser('auth0|43');
    assert.equal((await bob.doorman.restore())?.userId, 'auth0|43');
    await backend.deleteUser('42');
    assert.equal((await backend.getUser('42')).status, 'deleted');
    await assert.rejects(backend.signInUser({ userId: '42' }), { code: 404, error: 'user_not_found' });
  });
});

onSqlite('A backend at the limit of its key', (database) => {
  test('waits for it', async (t) => {
    const service = await serve(t, database, { env: { RATE_LIMIT_KEYS: '3/2s' } });
    const { token: key } = await makeKey(service);
    const backend = createBackend({ baseUrl: service.url, key });
    const calls = await Promise.all(Array.from({ length: 8 }, () => backend.listUsers()));
    assert.equal(calls.length, 8);
  });
});
