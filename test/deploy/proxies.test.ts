import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { type ClientOptions, WebSocket } from 'ws';
import { HEARTBEAT_MS } from '../../src/sockets/heartbeat.ts';
import { onSqlite } from '../databases.ts';
import { eventually } from '../eventually.ts';
import { findFreePort } from '../guarded-server.ts';
import { type LaunchedServer, settingsOf, startServer } from '../processes.ts';
import { DOMAIN, findProgram, startCaddy, startNginx } from './proxies.ts';

const PUBLIC_URL = `https://${DOMAIN}`;
const proxies = {
  nginx: { start: startNginx, clients: ['127.0.0.2', '127.0.0.3', '127.0.0.4'] as const, refusals: [413] },
  caddy: {
    start: (upstream: string) => startCaddy('Caddyfile', upstream),
    clients: ['127.0.0.5', '127.0.0.6', '127.0.0.7'] as const,
    // Caddy passes on what it has read: Doorman may refuse before Caddy does, which answers 502 before version 2.7.
    refusals: [400, 413, 502],
  },
};

function isMissing(name: string): string | false {
  return findProgram(name === 'nginx' ? name : 'caddy') === undefined && `${name} is not installed`;
}

interface Asked {
  readonly body?: string;
  readonly from?: string;
  readonly headers?: Record<string, string>;
}

/** A call through the proxy, from an address of this machine. */
async function call(port: number, path: string, { body, from = '127.0.0.1', headers }: Asked = {}) {
  const sent = request({
    host: '127.0.0.1',
    port,
    path,
    method: body === undefined ? 'GET' : 'POST',
    localAddress: from,
    servername: DOMAIN,
    rejectUnauthorized: false,
    agent: false,
    headers: { host: DOMAIN, 'content-type': 'application/json', ...headers },
  });
  sent.end(body);
  const [response]: IncomingMessage[] = await once(sent, 'response');
  assert.ok(response);
  return { status: response.statusCode, headers: response.headers, text: await text(response) };
}

/** Opens a socket from a page of this origin. @returns the answer to `hello`, or the status that refused it */
async function connectSocket(port: number, origin: string, token: string): Promise<[WebSocket, unknown]> {
  // The library's types do not know the name.
  const options: ClientOptions & { servername: string } = {
    origin,
    servername: DOMAIN,
    rejectUnauthorized: false,
    headers: { host: DOMAIN },
  };
  const socket = new WebSocket(`wss://127.0.0.1:${port}/ws`, 'doorman.v1', options);
  const refused = once(socket, 'unexpected-response').then(([, response]) => response.statusCode);
  const opened = once(socket, 'open').then(async () => {
    socket.send(JSON.stringify({ type: 'hello', id: '1', token }));
    const [frame] = await once(socket, 'message');
    return JSON.parse(String(frame));
  });
  socket.on('error', () => {}); // a refusal
  return [socket, await Promise.race([refused, opened.catch(() => refused)])];
}

onSqlite('behind a proxy with its sample of deploy/', (database) => {
  test('calls, sockets, the addresses of clients and large bodies pass as they should', async (t) => {
    const settings = {
      PUBLIC_URL,
      TRUST_PROXY: '127.0.0.1',
      RATE_LIMIT_AUTH: '2/15m',
      DRAIN_SECONDS: '30',
      LOG_REQUESTS: '1',
    };
    await using server = await startServer(settingsOf(await database.create(t), settings));
    const { host } = new URL(server.url);
    const { body } = await server.post('/api/register', { username: 'alice', password: 'wonderland' });
    await server.post('/api/user/profile', { bio: 'x'.repeat(1000) }, body.data.token);
    for (const [name, { start, clients, refusals }] of Object.entries(proxies))
      await t.test(name, { skip: isMissing(name) }, async () => {
        await using proxy = await start(host);
        assert.equal((await call(proxy.port, '/')).text.includes('<title>'), true);
        await checkAddresses(proxy.port, clients);
        await checkBodies(proxy.port, clients[2], refusals);
        await checkLargestPicture(proxy.port, body.data.token);
        await checkSocket(proxy.port, body.data.token);
        await checkAdminIsClosed(proxy.port, server.url);
        await checkRequestIds(server, proxy.port);
        await checkCompression(proxy.port, body.data.id);
      });
    await t.test('Caddyfile.nodes', { skip: isMissing('caddy') }, async () => {
      const away = await findFreePort();
      await using proxy = await startCaddy('Caddyfile.nodes', `127.0.0.1:${away} ${host}`);
      const answers = await Promise.all(Array.from({ length: 6 }, () => call(proxy.port, '/healthz')));
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
      await checkAdminIsClosed(proxy.port, server.url);
      // A leaving node still serves, but is called no more.
      server.child.kill('SIGTERM');
      await eventually(async () => (await call(proxy.port, '/healthz')).status === 503, 20_000);
      assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
    });
  });
});

/** JSON is compressed by the proxy, a file by Doorman. */
async function checkCompression(port: number, userId: string): Promise<void> {
  for (const path of [`/api/user/profile/${userId}`, '/openapi.json', '/']) {
    const { status, headers } = await call(port, path, { headers: { 'accept-encoding': 'gzip' } });
    assert.deepEqual([status, headers['content-encoding']], [200, 'gzip'], path);
  }
  const { headers } = await call(port, `/api/user/profile/${userId}`);
  assert.equal(headers['content-encoding'], undefined);
}

test('nginx redirects calls without TLS to its own name, whatever the caller names', {
  skip: isMissing('nginx'),
}, async () => {
  await using proxy = await startNginx('127.0.0.1:1');
  const sent = plainRequest({
    host: '127.0.0.1',
    port: proxy.plainPort,
    path: '/chat/1?a=b',
    agent: false,
    headers: { host: 'elsewhere.example.com' },
  });
  sent.end();
  const [response]: IncomingMessage[] = await once(sent, 'response');
  response?.resume();
  assert.deepEqual([response?.statusCode, response?.headers.location], [301, `https://${DOMAIN}/chat/1?a=b`]);
});

test('nginx waits for a silent socket longer than Doorman is silent', async () => {
  const sample = await readFile(new URL('../../deploy/nginx.conf', import.meta.url), 'utf8');
  const seconds = [...sample.slice(sample.indexOf('/ws')).matchAll(/proxy_(?:read|send)_timeout (\d+)s/g)];
  assert.equal(seconds.length, 2);
  for (const [, value] of seconds) assert.ok(Number(value) * 1_000 > 2 * HEARTBEAT_MS);
});

/** Each client is counted by its own address, and by none that it names itself. */
async function checkAddresses(
  port: number,
  [first, second]: readonly [string, string, string],
): Promise<void> {
  const statuses: (number | undefined)[] = [];
  for (const [from, forged] of [
    [first, '203.0.113.1'],
    [first, '203.0.113.2'],
    [first, '203.0.113.3'],
    [second, '203.0.113.3'],
  ] as const) {
    const headers = { 'x-forwarded-for': forged };
    const body = JSON.stringify({ username: 'carol', password: 'wrong password' });
    statuses.push((await call(port, '/api/login', { from, headers, body })).status);
  }
  assert.deepEqual(statuses, [400, 400, 429, 400]);
}

/** Doorman refuses a body above 64 KiB itself; what is far above is refused by nginx. */
async function checkBodies(port: number, from: string, refusals: readonly number[]): Promise<void> {
  const body = (bytes: number) => JSON.stringify({ username: 'x'.repeat(bytes), password: 'y' });
  const refused = await call(port, '/api/login', { body: body(100_000), from });
  assert.deepEqual([refused.status, JSON.parse(refused.text).error], [400, 'body_too_large']);
  const { status } = await call(port, '/api/login', { body: body(1_200_000), from });
  assert.ok(refusals.includes(status ?? 0), `${status}`);
}

/** Doorman judges a picture of as many bytes as it takes; the proxy lets it pass. */
async function checkLargestPicture(port: number, token: string): Promise<void> {
  const { status, text } = await call(port, '/api/pictures', {
    body: '0'.repeat(1024 * 1024),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'image/png' },
  });
  assert.deepEqual([status, JSON.parse(text).error], [400, 'picture_invalid']);
}

/** Each call has an id that the proxy made, never one that the client chose. */
async function checkRequestIds({ lines }: LaunchedServer, port: number): Promise<void> {
  const logged = () => lines.map((line) => JSON.parse(line)).filter(({ path }) => path === '/api/options');
  const before = logged().length;
  for (const headers of [{ 'x-request-id': 'of-the-client' }, undefined])
    assert.equal((await call(port, '/api/options', headers && { headers })).status, 200);
  await eventually(() => logged().length === before + 2);
  const ids: string[] = logged()
    .slice(before)
    .map(({ proxyRequestId }) => proxyRequestId);
  for (const id of ids) assert.match(id, /^[0-9a-f-]{32,36}$/);
  assert.equal(new Set(ids).size, 2);
}

/** Doorman itself asks for a key, in its own envelope. */
async function checkAdminIsClosed(port: number, url: string): Promise<void> {
  assert.equal((await fetch(`${url}/api/admin/users`)).status, 401);
  for (const path of ['/api/admin/users', '/api/admin/users/42', '/api/%61dmin/users', '//api/admin/users']) {
    const { status, text } = await call(port, path);
    assert.equal(status, 404, path);
    if (!path.startsWith('//')) assert.ok(!text.includes('"code"'), path);
  }
  assert.equal((await call(port, '/api/administrators')).text.includes('"code"'), true);
}

async function checkSocket(port: number, token: string): Promise<void> {
  const [socket, reply] = await connectSocket(port, PUBLIC_URL, token);
  assert.equal((reply as { code: number }).code, 200);
  socket.terminate();
  const [, refusal] = await connectSocket(port, 'https://elsewhere.example.com', token);
  assert.equal(refusal, 403);
}
