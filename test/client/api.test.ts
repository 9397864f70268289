import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Api } from 'doorman-client';
import type { Static, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { writeWire } from '../../scripts/client-wire.ts';
import { suspendUser } from '../../src/accounts/account-status.ts';
import { SHAPES } from '../../src/health/shapes.ts';
import { onSqlite } from '../databases.ts';
import type { Body } from '../harness.ts';
import { readDescription } from '../openapi.ts';
import { startPushService } from '../push-service.ts';
import { Device } from './device.ts';
import { startLine } from './line.ts';
import { serve } from './serving.ts';

type Shape = keyof typeof SHAPES;

/** What a method of the kit calls, and the types it is declared with, by their names in `client/src/wire.ts`. */
interface Endpoint {
  readonly call: (api: Api, scene: Scene) => Promise<unknown>;
  readonly body?: Shape;
  /** The query parameters it accepts. */
  readonly query?: readonly string[];
  /** In brackets: an array of it. */
  readonly data?: Shape | readonly [Shape];
  /** Fields of the answer besides the data. */
  readonly beside?: readonly string[];
}

interface Scene {
  /** Lets time pass until calls of the account ask for the password. */
  readonly unconfirm: () => Promise<unknown>;
  readonly bob: string;
  readonly session: string;
  readonly subscription: { endpoint: string; keys: { p256dh: string; auth: string } };
}

/** The return type of a method whose answer has this shape. */
type Of<Name extends Shape> = Static<(typeof SHAPES)[Name]>;

function one<Name extends Shape>(
  data: Name,
  call: (api: Api, scene: Scene) => Promise<Of<Name>>,
  more: Pick<Endpoint, 'body' | 'query'> = {},
): Endpoint {
  return { data, call, ...more };
}

function many<Name extends Shape>(
  data: Name,
  call: (api: Api, scene: Scene) => Promise<Of<Name>[]>,
  more: Pick<Endpoint, 'query' | 'beside'> = {},
): Endpoint {
  return { data: [data], call, ...more };
}

function nothing(call: (api: Api, scene: Scene) => Promise<void>, body?: Shape): Endpoint {
  return { call, ...(body && { body }) };
}

function friend(act: Parameters<Api['friend']>[0]): Endpoint {
  return one('FriendAnswer', (api, { bob }) => api.friend(act, bob), { body: 'FriendBody' });
}

const ENDPOINTS: Record<string, Endpoint> = {
  'GET /api/options': one('ServiceOptions', (api) => api.options()),
  'POST /api/register': one(
    'Registered',
    (api) => api.register({ username: 'carol', password: 'password-of-carol' }),
    { body: 'RegisterBody' },
  ),
  'POST /api/login': one(
    'LoggedIn',
    (api) => api.login({ username: 'alice', password: 'password-of-alice' }),
    { body: 'LoginBody' },
  ),
  'POST /api/password-link': {
    call: (api) =>
      assert.rejects(api.usePasswordLink({ token: 'of no link', newPassword: 'another password' }), {
        code: 400,
        error: 'link_invalid',
      }),
    body: 'PasswordLinkBody',
  },
  'POST /api/token': one('FreshToken', (api) => api.freshToken()),
  'GET /api/sessions': many('SessionEntry', (api) => api.sessions()),
  'POST /api/sessions/end': nothing((api, { session }) => api.endSession(session), 'EndSessionBody'),
  'POST /api/sessions/end-by-link': {
    call: (api) => assert.rejects(api.endSessionByLink('of no link'), { code: 400, error: 'link_invalid' }),
    body: 'EndByLinkBody',
  },
  'GET /api/account': one('Account', (api) => api.account()),
  'POST /api/account/confirm': one('Confirmed', (api) => api.confirm('password-of-alice'), {
    body: 'ConfirmBody',
  }),
  'POST /api/account/email': {
    call: (api) =>
      assert.rejects(api.setEmail({ email: 'alice@example.org', lang: 'en' }), {
        code: 403,
        error: 'mail_off',
      }),
    body: 'SetEmailBody',
  },
  'POST /api/account/email/verify': one(
    'VerifiedEmail',
    async (api) => {
      await assert.rejects(api.verifyEmail({ code: '12345678' }), { code: 400, error: 'code_invalid' });
      return { email: '' };
    },
    { body: 'VerifyEmailBody' },
  ),
  'POST /api/account/email/remove': nothing((api) => api.removeEmail()),
  'POST /api/account/export': one('ExportTicket', (api) => api.exportTicket()),
  'POST /api/account/delete': {
    ...one('DeletionAsked', (api) => api.deleteAccount()),
    // It would end the session, which the next calls need.
    call: async (api, { unconfirm }) => {
      await unconfirm();
      await assert.rejects(api.deleteAccount(), { code: 403, error: 'confirm_required' });
    },
  },
  'POST /api/account/keep': {
    ...one('LoggedIn', (api) => api.keepAccount('of nobody'), { body: 'KeepBody' }),
    call: (api) => assert.rejects(api.keepAccount('of nobody'), { code: 400, error: 'ticket_invalid' }),
  },
  'POST /api/password/forgot': {
    call: (api) => assert.rejects(api.forgotPassword({ account: 'alice' }), { code: 403, error: 'mail_off' }),
    body: 'ForgotPasswordBody',
  },
  'GET /api/account/log': one('AccountLogPage', (api) => api.accountLog({ before: 'x', limit: 5 }), {
    query: ['before', 'limit'],
  }),
  'GET /api/users': many(
    'DirectoryEntry',
    async (api) => (await api.users({ q: 'ali ce&', online: true, limit: 10 })).users,
    { query: ['q', 'online', 'limit', 'after'], beside: ['next'] },
  ),
  'GET /api/user/profile/{userId}': one('PublicProfile', (api, { bob }) => api.profileOf(bob)),
  'POST /api/user/profile': one(
    'OwnUser',
    (api) => api.updateProfile({ nickname: 'Ally', bio: 'Down the rabbit hole' }),
    { body: 'ProfileBody' },
  ),
  'POST /api/user/settings': one('Settings', (api) => api.updateSettings({ dndEnabled: true }), {
    body: 'SettingsBody',
  }),
  'GET /api/user/privacy': one('Privacy', (api) => api.privacy()),
  'POST /api/user/privacy': one('Privacy', (api) => api.setPrivacy({ friendRequests: 'everyone' }), {
    body: 'PrivacyBody',
  }),
  'GET /api/user/quiet': one('Quiet', (api) => api.quiet()),
  'POST /api/user/quiet': one(
    'Quiet',
    (api) =>
      api.setQuiet({
        until: 0,
        timeZone: 'Europe/Berlin',
        windows: [{ days: [1, 7], from: '22:00', to: '07:00' }],
      }),
    { body: 'QuietBody' },
  ),
  'POST /api/user/block': one('BlockedUser', (api, { bob }) => api.block(bob), { body: 'BlockBody' }),
  'GET /api/user/blocked': many('BlockedUser', async (api) => (await api.blockedPage({ limit: 5 })).blocked, {
    query: ['limit', 'after'],
    beside: ['next'],
  }),
  'POST /api/user/unblock': nothing((api, { bob }) => api.unblock(bob), 'BlockBody'),
  'POST /api/messages': one('Stored', (api, { bob }) => api.sendMessage({ to: bob, cid: 'c1', body: 'hi' }), {
    body: 'SendBody',
  }),
  'POST /api/messages/edit': one(
    'EditedAnswer',
    (api, { bob }) => api.editMessage({ peer: bob, n: 1, body: 'hello' }),
    { body: 'EditBody' },
  ),
  'POST /api/messages/react': one(
    'ReactedAnswer',
    (api, { bob }) => api.reactToMessage({ peer: bob, n: 1, emoji: '👍' }),
    { body: 'ReactBody' },
  ),
  'POST /api/messages/unsend': one('UnsentAnswer', (api, { bob }) => api.unsendMessage({ peer: bob, n: 1 }), {
    body: 'UnsendBody',
  }),
  'GET /api/messages': one(
    'HistoryPage',
    (api, { bob }) => api.history({ peer: bob, before: 100, after: 1, limit: 5 }),
    { query: ['peer', 'before', 'after', 'limit'] },
  ),
  'GET /api/search': many(
    'FoundMessage',
    async (api, { bob }) => (await api.search({ q: 'hi', peer: bob, limit: 5 })).items,
    { query: ['q', 'peer', 'limit', 'after'], beside: ['people', 'searched', 'next'] },
  ),
  'POST /api/messages/mark': one('MarkedAnswer', (api, { bob }) => api.markRead({ peer: bob, read: 1 }), {
    body: 'MarkBody',
  }),
  'GET /api/conversations': many(
    'Conversation',
    async (api, { bob }) => (await api.conversations({ peer: bob, limit: 5 })).conversations,
    { query: ['limit', 'after', 'peer', 'list'], beside: ['pinned', 'people', 'seq', 'next'] },
  ),
  'POST /api/conversations/settings': one(
    'KeptConversation',
    (api, { bob }) => api.setConversation({ peer: bob, pinned: 1 }),
    { body: 'ConversationBody' },
  ),
  'POST /api/conversations/clear': one(
    'KeptConversation',
    (api, { bob }) => api.clearConversation({ peer: bob, n: 1 }),
    { body: 'ClearBody' },
  ),
  'POST /api/conversations/request': {
    ...one('MessageRequestAnswer', (api, { bob }) => api.answerMessageRequest(bob, 'accept'), {
      body: 'MessageRequestBody',
    }),
    // Nothing waits, so the answer is refused.
    call: (api, { bob }) =>
      assert.rejects(api.answerMessageRequest(bob, 'accept'), { code: 404, error: 'no_request' }),
  },
  'POST /api/friends/request': friend('request'),
  'POST /api/friends/cancel': friend('cancel'),
  'POST /api/friends/accept': {
    ...friend('accept'),
    // There is no open request, so the act is refused.
    call: (api, { bob }) => assert.rejects(api.friend('accept', bob), { code: 400, error: 'friend_state' }),
  },
  'POST /api/friends/decline': friend('decline'),
  'POST /api/friends/remove': friend('remove'),
  'GET /api/friends': many(
    'FriendEntry',
    async (api) => (await api.friends({ list: 'requests', limit: 5 })).friends,
    { query: ['limit', 'after', 'list'], beside: ['seq', 'next'] },
  ),
  'POST /api/report': one(
    'FiledReport',
    (api, { bob }) => api.report({ userId: bob, reason: 'spam', text: 'x', messages: [1] }),
    { body: 'ReportBody' },
  ),
  'GET /api/sync': one('Snapshot', (api) => api.snapshot()),
  'GET /api/push/public-key': { call: (api) => api.pushKey(), beside: ['publicKey'] },
  'POST /api/push/subscribe': nothing(
    (api, { subscription }) => api.pushSubscribe(subscription),
    'SubscribeBody',
  ),
  'GET /api/push/devices': many('PushDevice', (api) => api.pushDevices()),
  'GET /api/push/test-send': many('PushLogEntry', (api) => api.pushTest(), {
    query: ['userId', 'detail', 'device'],
  }),
  'POST /api/push/receipt': nothing(
    (api) => api.pushReceipt({ receipt: 'of no push', event: 'shown' }),
    'ReceiptBody',
  ),
  'GET /api/push/log': many('PushLogEntry', (api) => api.pushLog()),
  'POST /api/push/unsubscribe': nothing(
    (api, { subscription: { endpoint } }) => api.pushUnsubscribe({ endpoint }),
    'UnsubscribeBody',
  ),
  'POST /api/user/change-password': nothing(
    (api) => api.changePassword({ oldPassword: 'password-of-alice', newPassword: 'another password' }),
    'ChangePasswordBody',
  ),
  'POST /api/logout': nothing((api) => api.logout()),
};

/** Endpoints without a method of the kit, and why. */
const NOT_IN_THE_KIT: Record<string, string> = {
  ...Object.fromEntries(
    ['POST /api/pictures', 'GET /api/pictures/{id}'].flatMap((name) =>
      [name, `${name.replace('/{id}', '')}/{id}/preview`].map((one) => [
        one,
        'of bytes, which are described by their media type alone',
      ]),
    ),
  ),
  'POST /api/user/avatar': 'of bytes: `uploadAvatar`, which avatars.test.ts calls',
  'GET /api/account/export': 'for a browser that downloads, by `exportUrl`',
  'GET /media/avatars/{id}': 'for an element that shows a picture, by `avatarUrl`',
  'GET /.well-known/jwks.json': 'for other services that verify tokens',
  'GET /healthz': 'for the operator',
  'GET /readyz': 'for the operator',
  'GET /openapi.json': 'for programmers',
  'GET /ws': 'the socket, which the kit speaks by itself',
};

/** Endpoints of a product's backend are those of another entry. */
const isForKeys = (name: string) => name.includes(' /api/admin/');

/** The endpoints that are called without a token, also by a user who is signed in. */
const STRANGERS = [
  'POST /api/register',
  'POST /api/login',
  'POST /api/account/keep',
  'POST /api/password-link',
  'POST /api/password/forgot',
  'POST /api/sessions/end-by-link',
];

/** The methods of the kit whose endpoints have another `operationId`. */
const OTHER_NAMES: Record<string, string> = {
  blocked: 'blockedPage',
  ...Object.fromEntries(
    ['request', 'cancel', 'accept', 'decline', 'remove'].map((act) => [`${act}Friend`, 'friend']),
  ),
};

/** A schema without the order of its fields, which a type does not know. */
function unordered(schema: Body): Body {
  return schema?.required ? { ...schema, required: schema.required.toSorted() } : schema;
}

onSqlite('The kit against the interface', (database) => {
  test('every endpoint has a method, which calls it with the described body', async (t) => {
    const service = await serve(t, database);
    await using pushService = await startPushService();
    const alice = await new Device(t, service.url).signUp('alice');
    const bob = await new Device(t, service.url).signUp('bob');
    await new Device(t, service.url).signIn('alice');
    const { data: sessions } = (await service.get('/api/sessions', { token: alice.session.token })).body;
    const key = await alice.doorman.api.pushKey();
    const scene: Scene = {
      bob: bob.id,
      unconfirm: () => service.services.db.run`update sessions set confirmed_at = 0`,
      session: sessions.find(({ current }: Body) => current === 0).id,
      subscription: pushService.subscribe(key),
    };
    const calls = recordCalls(t);
    const { paths } = await readDescription(service);
    const described = Object.entries<object>(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    assert.deepEqual(
      described.filter((name) => !isForKeys(name)).sort(),
      [...Object.keys(ENDPOINTS), ...Object.keys(NOT_IN_THE_KIT)].sort(),
    );

    for (const [name, { call, body, query = [] }] of Object.entries(ENDPOINTS)) {
      const from = calls.length;
      const used: string[] = [];
      await call(recordMethods(alice.doorman.api, used), scene);
      const [first] = calls.slice(from);
      assert.ok(first, name);
      const [method = '', path = ''] = name.split(' ');
      const { operationId } = paths[path][method.toLowerCase()];
      assert.deepEqual(used.slice(0, 1), [OTHER_NAMES[operationId] ?? operationId], `${name}: operationId`);
      assert.equal(first.method, method, name);
      assert.match(
        first.path,
        new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/{.*?}/, '[^/]+')}$`),
        name,
      );
      if (body) assert.ok(Value.Check(SHAPES[body], first.body), `${name}: ${JSON.stringify(first.body)}`);
      for (const sent of first.query) assert.ok(query.includes(sent), `${name}: ${sent}`);
      const isStranger = STRANGERS.includes(name);
      assert.equal(first.token, isStranger ? undefined : alice.session.token, name);
    }
  });

  test('the types of the kit are those that the service describes', async (t) => {
    const service = await serve(t, database);
    const { paths } = await readDescription(service);
    for (const [name, { body, query = [], data, beside = [] }] of Object.entries(ENDPOINTS)) {
      const [method = '', path = ''] = name.split(' ');
      const described = paths[path][method.toLowerCase()];
      const parameters = (described.parameters ?? []).filter((one: Body) => one.in === 'query');
      assert.deepEqual(
        parameters.map((one: Body) => one.name),
        query,
        name,
      );
      const asked = described.requestBody?.content['application/json'].schema;
      const none = { type: 'object', properties: {}, description: 'May be left out' };
      const shape = body ? plain(SHAPES[body]) : none;
      if (method === 'POST') assert.deepEqual(asked, shape, `${name}: what is asked`);
      else assert.equal(asked, undefined, name);
      const { properties } = described.responses[200].content['application/json'].schema;
      const { code: _code, message: _message, data: answered, ...rest } = properties;
      assert.deepEqual(unordered(answered), unordered(toSchema(data)), `${name}: what is answered`);
      assert.deepEqual(Object.keys(rest), beside, name);
    }
  });

  test('client/src/wire.ts is what scripts/client-wire.ts makes of the schemas today', async () => {
    const { readFile } = await import('node:fs/promises');
    assert.equal(await readFile(new URL('../../client/src/wire.ts', import.meta.url), 'utf8'), writeWire());
  });

  test('pages of the directory, and history in both directions, come as requested', async (t) => {
    const service = await serve(t, database);
    const names = ['alice', 'bob', 'carol', 'dave', 'erin'];
    const people = await Promise.all(names.map((name) => new Device(t, service.url).signUp(name)));
    const [alice, bob] = people;
    assert.ok(alice && bob);
    const { api } = alice.doorman;
    const first = await api.users({ limit: 3 });
    assert.equal(first.users.length, 3);
    const second = await api.users({ limit: 3, ...(first.next && { after: first.next }) });
    assert.equal(second.users.length, 2);
    assert.equal(second.next, undefined);
    assert.deepEqual([...first.users, ...second.users].map(({ username }) => username).sort(), names);
    assert.deepEqual(
      (await api.users({ q: 'CAR' })).users.map(({ username }) => username),
      ['carol'],
    );
    assert.equal((await api.users()).users.length, 5);
    await bob.connect();
    assert.deepEqual(
      (await api.users({ online: true })).users.map(({ username }) => username),
      ['bob'],
    );
    assert.equal((await api.users({ online: false })).users.length, 5);

    for (let i = 1; i <= 4; i++) await api.sendMessage({ to: bob.id, cid: `c${i}`, body: `${i}` });
    const before = await api.history({ peer: bob.id, before: 4, limit: 2 });
    assert.deepEqual([before.items.map(({ n }) => n), before.more], [[2, 3], true]);
    const after = await api.history({ peer: bob.id, after: 2 });
    assert.deepEqual([after.items.map(({ n }) => n), after.more], [[3, 4], false]);
    assert.equal((await api.profileOf(bob.id)).username, 'bob');
    await assert.rejects(api.profileOf('../login'), { code: 404, error: 'user_not_found' });
    // Without a session too.
    const stranger = new Device(t, service.url);
    assert.equal((await stranger.doorman.api.profileOf(bob.id)).username, 'bob');
    assert.equal(await stranger.doorman.api.pushKey(), await api.pushKey());
  });

  test('a search leaves out hits that are known, and ends with its signal', async (t) => {
    const service = await serve(t, database);
    const [alice, bob] = [
      await new Device(t, service.url).signUp('alice'),
      await new Device(t, service.url).signUp('bob'),
    ];
    const { api } = alice.doorman;
    for (let i = 1; i <= 4; i++)
      await api.sendMessage({ to: bob.id, cid: `c${i}`, body: i === 2 ? 'milk' : `Tea ${i}` });
    const first = await api.search({ q: 'tea', limit: 1 });
    assert.deepEqual([first.items.map(({ n }) => n), first.searched], [[4], 1]);
    assert.deepEqual(
      first.people.map(({ username }) => username),
      ['bob'],
    );
    const rest = await api.search(
      { q: 'tea', ...(first.next && { after: first.next }) },
      {
        known: [
          { peer: bob.id, n: 3 },
          { peer: alice.id, n: 1 },
        ],
      },
    );
    assert.deepEqual([rest.items.map(({ peer, n }) => [peer, n]), rest.searched], [[[bob.id, 1]], 3]);
    assert.equal(rest.next, undefined);
    const leaving = new AbortController();
    const search = api.search({ q: 'tea' }, { signal: leaving.signal });
    leaving.abort(new Error('typed on'));
    await assert.rejects(search, /^Error: typed on$/);
  });

  test('a device is tested, and removed', async (t) => {
    const service = await serve(t, database);
    await using pushService = await startPushService();
    const alice = await new Device(t, service.url).signUp('alice');
    const { api } = alice.doorman;
    await assert.rejects(api.pushTest(), {
      code: 404,
      error: 'not_found',
      msg: 'No push subscription found',
    });
    const subscription = pushService.subscribe(await api.pushKey());
    await api.pushSubscribe(subscription);
    const [device] = await api.pushDevices();
    assert.deepEqual([device?.current, device?.confirmed], [1, 1]);
    await api.pushSubscribe(pushService.subscribe(await api.pushKey()));
    const [entry, ...others] = await api.pushTest(device?.id);
    assert.deepEqual([entry?.outcome, entry?.device, others], ['accepted', device?.id, []]);
    assert.equal(pushService.received(subscription.endpoint).length, 1);
    assert.equal((await api.pushLog()).length, 1);
    await api.pushUnsubscribe({ id: device?.id ?? '' });
    assert.equal((await api.pushDevices()).length, 1);
  });
});

onSqlite('Errors of the kit', (database) => {
  test('after too many calls the error says how long to wait', async (t) => {
    const service = await serve(t, database, {
      env: { RATE_LIMIT_API: '3/1m' },
      world: { monotonicMs: () => 1_000 },
    });
    const alice = await new Device(t, service.url).signUp('alice');
    for (let i = 0; i < 3; i++) await alice.doorman.api.friends();
    await assert.rejects(alice.doorman.api.friends(), (error: Body) => {
      assert.deepEqual([error.name, error.code, error.error], ['DoormanError', 429, 'rate_limited']);
      assert.equal(error.retryAfterMs, 60_000);
      assert.equal(error.message, `429 rate_limited: ${error.msg}`);
      return true;
    });
  });

  test('the error of a suspended user has the reason and the end that the operator gave', async (t) => {
    const service = await serve(t, database);
    const alice = await new Device(t, service.url).signUp('alice');
    await service.services.db.transaction((tx) =>
      suspendUser(tx, alice.id, { reason: 'spam', until: 4_000_000_000_000, at: 1 }),
    );
    const account = { username: 'alice', password: 'password-of-alice' };
    const stranger = new Device(t, service.url).doorman.api;
    await assert.rejects(stranger.login(account), {
      error: 'account_suspended',
      suspension: { reason: 'spam', until: 4_000_000_000_000 },
    });
    await assert.rejects(stranger.login({ ...account, password: 'a guess' }), {
      error: 'wrong_password',
      suspension: undefined,
    });
  });

  test('a stopped service, one that does not answer, and a proxy in its place count as unreachable', async (t) => {
    const service = await serve(t, database);
    const line = await startLine(t, service.url);
    // The stalled line below waits for the deadline; all other calls, also on a busy machine, are answered long before it.
    const alice = await new Device(t, line.url, { times: { deadlineMs: 5_000 } }).signUp('alice');
    const unreachable = { name: 'DoormanError', code: 0, error: 'unreachable', retryAfterMs: undefined };
    line.answers = () => ({
      status: 502,
      headers: { 'content-type': 'text/html' },
      text: '<h1>Bad gateway</h1>',
    });
    await assert.rejects(alice.doorman.api.friends(), unreachable);
    line.answers = () => ({
      status: 200,
      headers: { 'content-type': 'application/json' },
      text: '{"status":"ok"}',
    });
    await assert.rejects(alice.doorman.api.friends(), unreachable);
    line.answers = () => ({ status: 302, headers: { location: `${service.url}/api/friends` }, text: '' });
    await assert.rejects(alice.doorman.api.friends(), unreachable);
    line.answers = () => undefined;
    line.isStalled = true;
    await assert.rejects(alice.doorman.api.friends(), unreachable);
    line.isStalled = false;
    line.isDown = true;
    await assert.rejects(alice.doorman.api.friends(), unreachable);
    line.isDown = false;
    assert.deepEqual((await alice.doorman.api.friends()).friends, []);
    assert.ok(alice.doorman.session);
  });

  test('an address that is not http(s) is refused at once', (t) => {
    for (const url of ['ftp://example.org', 'not an address', '/api']) {
      assert.throws(() => new Device(t, url), TypeError, url);
    }
  });
});

interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  readonly token: string | undefined;
  readonly body: unknown;
}

/** Records every call over HTTP, and passes it on. */
function recordCalls(t: TestContext): Recorded[] {
  const calls: Recorded[] = [];
  const { fetch } = globalThis;
  t.mock.method(globalThis, 'fetch', (url: string, init: RequestInit) => {
    const headers = new Headers(init.headers);
    calls.push({
      method: init.method ?? '',
      path: new URL(url).pathname,
      query: [...new URL(url).searchParams.keys()],
      token: headers.get('authorization')?.replace('Bearer ', ''),
      body: init.body === undefined ? undefined : JSON.parse(String(init.body)),
    });
    return fetch(url, init);
  });
  return calls;
}

/** @returns the same methods, which add their names to `used` */
function recordMethods(api: Api, used: string[]): Api {
  return new Proxy(api, {
    get(target, name: keyof Api) {
      used.push(name);
      return target[name];
    },
  });
}

function toSchema(data: Endpoint['data']): unknown {
  if (data === undefined) return undefined;
  return typeof data === 'string' ? plain(SHAPES[data]) : { type: 'array', items: plain(SHAPES[data[0]]) };
}

/** A schema as `/openapi.json` shows it: without our own annotations. */
function plain(schema: TSchema): unknown {
  const own = ['refusal', 'tooLong', 'refine', 'shape'];
  return JSON.parse(JSON.stringify(schema), (key, value) =>
    own.includes(key) ? undefined : (value?.described ?? value),
  );
}
