import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { openConnection } from '../../../test/bad-input/raw-connection.ts';
import { onSqlite } from '../../../test/databases.ts';
import { eventually } from '../../../test/eventually.ts';
import { type Body, startService, type TestService } from '../../../test/harness.ts';
import { startSockets } from '../../../test/sockets.ts';
import { loggedPath } from './request-log.ts';

const on = { LOG_REQUESTS: '1' };
const json = 'Content-Type: application/json\r\n';
const secret = 'c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3JldA';

const linesOf = ({ logLines }: Pick<TestService, 'logLines'>, text = 'request'): Body[] =>
  logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === text);

test('a logged path has no query, no origin and no segment as long as a token', () => {
  const paths: [string, string][] = [
    ['/api/users?q=alice', '/api/users'],
    ['/?', '/'],
    ['http://alice:pw@chat.example.com/api/users?q', '/api/users'],
    [`/api/${secret}/x`, '/api/*/x'],
    [`/api/user/profile/${'7'.repeat(36)}`, `/api/user/profile/${'7'.repeat(36)}`],
    ['*', '*'],
    ['/%zz', '/%zz'],
    ['/a\n?b', '/a\n'],
  ];
  for (const [url, path] of paths) assert.equal(loggedPath(url), path);
  assert.ok(loggedPath(`/${'a/'.repeat(10_000)}`).length <= 256);
});

onSqlite('The log of requests', (database) => {
  test('is off by default: no answer is logged', async (t) => {
    const service = await startService(t, database);
    await service.join('alice');
    assert.deepEqual(linesOf(service), []);
    assert.equal((await service.get('/nowhere')).status, 404);
    assert.deepEqual(linesOf(service), []);
  });

  test('has a line for each answer under its id: route, path, status, time, bytes, user and network', async (t) => {
    const service = await startService(t, database, { env: on });
    const alice = await service.join('alice');
    const answers = [
      await service.get(`/api/user/profile/${alice.id}?x=${secret}`, {
        token: alice.token,
        from: '198.51.100.7',
      }),
      await service.get('/api/users', { from: '2001:db8:1:2::3', token: `${secret}` }),
      await service.post('/api/login', { username: 'alice', password: 'a wrong one' }),
      await service.call('HEAD', '/healthz'),
      await service.get('/%zz'),
      await service.get(`/nowhere/${secret}`),
    ];
    const lines = linesOf(service).slice(1);
    const seen = lines.map(
      ({ requestId, method, route = null, path, status, bytes, userId = null, network }) => {
        const answer = answers.find(({ headers }) => headers['x-request-id'] === requestId);
        assert.equal(status, answer?.status);
        if (method === 'GET') assert.equal(bytes, Buffer.byteLength(answer?.text ?? ''));
        return [method, route, path, status, userId, network];
      },
    );
    assert.deepEqual(seen, [
      ['GET', '/api/user/profile/:userId', `/api/user/profile/${alice.id}`, 200, alice.id, '198.51.100.0/24'],
      ['GET', '/api/users', '/api/users', 401, null, '2001:db8:1::/48'],
      ['POST', '/api/login', '/api/login', 400, null, '127.0.0.0/24'],
      ['HEAD', '/healthz', '/healthz', 200, null, '127.0.0.0/24'],
      ['GET', null, '/%zz', 400, null, '127.0.0.0/24'],
      ['GET', null, '/nowhere/*', 404, null, '127.0.0.0/24'],
    ]);
    assert.equal(lines[3]?.bytes, 0);
    for (const { level, durationMs } of lines) assert.ok(level === 30 && durationMs >= 0);
    const all = service.logLines.join('\n');
    for (const hidden of [secret, alice.token, alice.password, 'a wrong one', '198.51.100.7'])
      assert.ok(!all.includes(hidden), hidden);
  });

  test('has the line of a fault under the id of its answer', async (t) => {
    const service = await startService(t, database, { env: on });
    const { token } = await service.join('alice');
    await service.services.db[Symbol.asyncDispose]();
    const answer = await service.get('/api/friends', { token });
    const id = answer.headers['x-request-id'];
    assert.deepEqual([answer.status, linesOf(service, 'fault')[0]?.requestId], [500, id]);
    assert.deepEqual(
      linesOf(service)
        .filter(({ requestId }) => requestId === id)
        .map(({ status }) => status),
      [500],
    );
  });

  test('has the id of a trusted proxy beside our own, which the answer keeps', async (t) => {
    const service = await startService(t, database, { env: { ...on, TRUST_PROXY: '10.0.0.0/8' } });
    const call = (from: string, id: string) =>
      service.get('/healthz', { from, headers: { 'x-request-id': id, 'x-forwarded-for': '203.0.113.7' } });
    const ids = ['Root=1-67891233-abcdef', 'with space', 'x'.repeat(129)];
    for (const id of ids) assert.notEqual((await call('10.0.0.1', id)).headers['x-request-id'], id);
    await call('192.0.2.1', 'made-up');
    assert.deepEqual(
      linesOf(service).map(({ proxyRequestId = null, network }) => [proxyRequestId, network]),
      [
        ['Root=1-67891233-abcdef', '203.0.113.0/24'],
        [null, '203.0.113.0/24'],
        [null, '203.0.113.0/24'],
        [null, '192.0.2.0/24'],
      ],
    );
  });

  test('has what Node refuses by itself, and requests whose client left', async (t) => {
    const service = await startSockets(t, database, { env: on });
    const ids: unknown[] = [];
    for (const bytes of [
      'nonsense\r\n\r\n',
      `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n\r\n`,
      'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
    ]) {
      using connection = await openConnection(service.port);
      connection.write(bytes);
      ids.push((await connection.answer()).headers['x-request-id']);
    }
    {
      using connection = await openConnection(service.port);
      const requested = once(service.app.server, 'request');
      connection.write(`POST /api/login HTTP/1.1\r\nHost: a\r\n${json}Content-Length: 50\r\n\r\n{`);
      await requested;
      connection.socket.resetAndDestroy();
    }
    await eventually(() => linesOf(service).length === 4);
    const lines = linesOf(service);
    assert.deepEqual(
      lines.slice(0, 3).map(({ requestId, status, network }) => [requestId, status, network]),
      ids.map((id, i) => [id, i === 2 ? 404 : 400, '127.0.0.0/24']),
    );
    assert.deepEqual([lines[3].route, lines[3].aborted], ['/api/login', true]);
  });

  test('has two lines for a socket under the id of its upgrade, and one for a refused one', async (t) => {
    const service = await startSockets(t, database, { env: on });
    const alice = await service.join('alice');
    service.logLines.length = 0;
    const upgraded: unknown[] = [];
    const socket = await service.enter(alice, {
      path: `/ws?token=${secret}`,
      finishRequest: (request) => {
        request.on('upgrade', ({ headers }) => upgraded.push(headers['x-request-id']));
        request.end();
      },
    });
    await socket.ask({ type: 'bye' }).catch(() => undefined);
    await socket.ended;
    const silent = await service.connect();
    silent.ws.terminate();
    const refused = await service.refuse({ origin: 'https://elsewhere.example' });
    assert.equal(refused.status, 403);
    await eventually(() => linesOf(service, 'socket closed').length === 2);
    const network = '127.0.0.0/24';
    assert.deepEqual(
      linesOf(service).map((line) => [line.method, line.route, line.path, line.status, line.network]),
      [
        ['GET', '/ws', '/ws', 101, network],
        ['GET', '/ws', '/ws', 101, network],
        ['GET', '/ws', '/ws', 403, network],
      ],
    );
    const [first, second] = linesOf(service);
    assert.deepEqual(upgraded, [first.requestId]);
    const closed = linesOf(service, 'socket closed');
    assert.deepEqual(
      closed.map(({ requestId, code, userId = null }) => [requestId, code, userId]),
      [
        [first.requestId, 1000, alice.id],
        [second.requestId, 1006, null],
      ],
    );
    for (const { durationMs, bytes } of closed) assert.ok(durationMs >= 0 && bytes >= 0);
    assert.ok(!service.logLines.join().includes(secret));
  });
});

onSqlite('The warnings about proxies', (database) => {
  const warningsOf = ({ logLines }: TestService) =>
    logLines
      .map((line) => JSON.parse(line))
      .filter(({ level, set }) => level === 40 && set !== undefined)
      .map(({ set }) => set);

  test('come for a call, a page or a socket with a forwarding header, and not for a call with a known token', async (t) => {
    const forwarded = { 'x-forwarded-for': '203.0.113.7' };
    const service = await startSockets(t, database);
    const { token } = await service.join('alice');
    await service.get('/api/friends', { token });
    await service.get('/api/friends', { token, headers: forwarded });
    assert.deepEqual(warningsOf(service), []);
    await service.connect({ headers: forwarded });
    assert.deepEqual(warningsOf(service), ['TRUST_PROXY=loopback']);

    const other = await startService(t, database);
    await other.get('/nowhere', { headers: forwarded, from: '172.18.0.5' });
    assert.deepEqual(warningsOf(other), ['TRUST_PROXY=172.18.0.5']);
  });

  test('come when five users sign in from one private address, by calls or sockets', async (t) => {
    const all = (service: TestService) =>
      service.logLines.filter((line) => line.includes('all users come from one private address'));
    const service = await startSockets(t, database, { env: { HOST: '0.0.0.0' } });
    for (const name of ['alice', 'bob', 'carol']) {
      const { token } = await service.join(name);
      await service.get('/api/friends', { token, from: '172.18.0.5' });
    }
    assert.equal(all(service).length, 0);
    const four = await service.join('dave');
    const five = await service.join('erin');
    await service.get('/api/friends', { token: four.token, from: '172.18.0.5' });
    await service.get('/api/friends', { token: five.token, from: '172.18.0.5' });
    assert.equal(all(service).length, 1);

    const local = await startSockets(t, database, { env: { HOST: '0.0.0.0' } });
    for (const name of ['alice', 'bob', 'carol', 'dave', 'erin']) await local.enter(await local.join(name));
    assert.equal(all(local).length, 1, 'sockets from 127.0.0.1');
  });

  test('come for a page that is refused its socket, with its address', async (t) => {
    const service = await startSockets(t, database, { env: { HOST: '0.0.0.0' } });
    await service.refuse({ origin: 'https://chat.example.com' });
    assert.deepEqual(warningsOf(service), ['PUBLIC_URL=https://chat.example.com']);
  });
});
