import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import type { ClientOptions } from 'ws';
import { ManualClock } from '../../test/clocks.ts';
import { onSqlite } from '../../test/databases.ts';
import { eventually } from '../../test/eventually.ts';
import { countConnections, type SocketService, startSockets, type TestSocket } from '../../test/sockets.ts';

const handshake = {
  Host: 'localhost',
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

/** Sends a request as plain text. @returns the head and the body of the answer */
async function request(
  { port }: SocketService,
  line: string,
  headers: Record<string, string>,
  body = '',
): Promise<{ head: string; body: string }> {
  const socket = connect(port, '127.0.0.1');
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${line} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  let text = '';
  for await (const chunk of socket) {
    text += chunk;
    const end = text.indexOf('\r\n\r\n');
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
    if (end !== -1 && Buffer.byteLength(text.slice(end + 4)) >= length) break;
  }
  const [head = '', answer = ''] = text.split('\r\n\r\n');
  return { head, body: answer };
}

onSqlite('the upgrade to a socket', (database) => {
  test('accepts clients that name no origin or subprotocol, or ours', async (t) => {
    const service = await startSockets(t, database);
    assert.equal((await service.connect()).ws.protocol, '');
    assert.equal((await service.connect({ protocol: 'doorman.v1' })).ws.protocol, 'doorman.v1');
    assert.equal((await service.connect({ protocol: 'other,doorman.v1' })).ws.protocol, 'doorman.v1');
    const compressing = await service.connect({ perMessageDeflate: true, path: '/ws?from=test' });
    assert.equal(compressing.ws.extensions, '');
  });

  test('refuses pages of other origins', async (t) => {
    const env = { PUBLIC_URL: 'https://chat.example.com', ORIGINS: 'https://app.example.com' };
    const service = await startSockets(t, database, { env });
    await service.connect({ origin: 'https://chat.example.com' });
    await service.connect({ origin: 'https://app.example.com' });
    for (const origin of [
      'https://evil.example.com',
      'http://chat.example.com',
      'https://chat.example.com:8443',
      'https://chat.example.com.evil.com',
      'https://chat.example.com/',
      'null',
      'nonsense',
      `http://localhost:${service.port}`,
    ]) {
      const refused = await service.refuse({ origin });
      assert.deepEqual(refused.body, { code: 403, error: 'origin', msg: '不允许的来源' }, origin);
      assert.equal(refused.status, 403);
      assert.match(String(refused.headers['content-type']), /^application\/json/);
      assert.ok(refused.headers['x-request-id']);
    }
  });

  test('refuses two hosts and one that is none', async (t) => {
    const service = await startSockets(t, database);
    for (const [Host, more] of [
      ['localhost', { host: 'localhost' }],
      ['local host', {}],
    ] as const) {
      const { head, body } = await request(service, 'GET /ws', { ...handshake, Host, ...more });
      assert.match(head, /^HTTP\/1\.1 400 /);
      assert.equal(JSON.parse(body).error, 'malformed_request');
    }
  });

  test('on a machine where the service is tried, all its names are one origin', async (t) => {
    const service = await startSockets(t, database);
    const { port } = service;
    for (const origin of [`http://localhost:${port}`, `http://127.0.0.1:${port}`, `http://[::1]:${port}`])
      await service.connect({ origin });
    for (const origin of [
      `http://localhost:${port + 1}`,
      'http://localhost',
      `https://localhost:${port}`,
      `http://evil.example.com:${port}`,
      `http://localhost.evil.example.com:${port}`,
      'null',
    ])
      assert.equal((await service.refuse({ origin })).status, 403, origin);
  });

  test('refuses what is no handshake with 400, in the envelope', async (t) => {
    const service = await startSockets(t, database);
    const refused = await service.refuse({ protocol: 'chat.v9' });
    assert.deepEqual([refused.status, refused.body.code, refused.body.error], [400, 400, 'subprotocol']);
    const cases: [string, Record<string, string>, string][] = [
      ['no upgrade', { Host: 'localhost' }, 'upgrade_required'],
      ['another upgrade', { ...handshake, Upgrade: 'h2c' }, 'upgrade_required'],
      ['no connection header', { ...handshake, Connection: 'keep-alive' }, 'upgrade_required'],
      ['an old version', { ...handshake, 'Sec-WebSocket-Version': '8' }, 'websocket_version'],
      ['no version', { ...handshake, 'Sec-WebSocket-Version': '' }, 'websocket_version'],
      ['a short key', { ...handshake, 'Sec-WebSocket-Key': 'abc' }, 'malformed_request'],
      ['no key', { ...handshake, 'Sec-WebSocket-Key': '' }, 'malformed_request'],
      ['a broken list', { ...handshake, 'Sec-WebSocket-Protocol': 'doorman.v1,,' }, 'subprotocol'],
      ['a doubled name', { ...handshake, 'Sec-WebSocket-Protocol': 'doorman.v1, doorman.v1' }, 'subprotocol'],
    ];
    for (const [name, headers, word] of cases) {
      const { head, body } = await request(service, 'GET /ws', headers);
      assert.match(head, /^HTTP\/1\.1 400 /, name);
      assert.match(head, /content-type: application\/json/i);
      assert.deepEqual([JSON.parse(body).code, JSON.parse(body).error], [400, word], name);
    }
    const accepted = await request(service, 'GET /ws', handshake);
    assert.match(accepted.head, /^HTTP\/1\.1 101 /);
    assert.match(accepted.head, /Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=/, 'RFC 6455, 1.3');
  });

  test('of another path is answered as a plain request', async (t) => {
    const service = await startSockets(t, database);
    const nowhere = await service.refuse({ path: '/nowhere' });
    assert.deepEqual([nowhere.status, nowhere.body.error], [404, 'route_not_found']);
    assert.equal((await service.refuse({ path: '/wsx' })).status, 404);
    assert.equal((await service.refuse({ path: '/api/users' })).status, 401);
    assert.match((await request(service, 'POST /ws', { ...handshake, 'Content-Length': '0' })).head, / 404 /);
  });

  test('opens no socket where Node does not ask first, as before 24.9', async (t) => {
    const service = await startSockets(t, database);
    // Such a Node ignores the option, and every request with `Upgrade` becomes the event.
    Object.assign(service.app.server, { shouldUpgradeCallback: () => true });
    for (const [line, more] of [
      ['GET /ws', { Origin: 'https://evil.example.com' }],
      ['GET /nowhere', {}],
    ] as const)
      assert.equal((await request(service, line, { ...handshake, ...more })).head, '', line);
    await service.connect();
  });

  test('is not needed by requests that offer HTTP/2', async (t) => {
    const service = await startSockets(t, database);
    const body = JSON.stringify({ username: 'alice', password: 'a password' });
    const headers = {
      Host: 'localhost',
      Connection: 'Upgrade, HTTP2-Settings',
      Upgrade: 'h2c',
      'HTTP2-Settings': 'AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
      'Content-Type': 'application/json',
      'Content-Length': String(body.length),
    };
    const answer = await request(service, 'POST /api/register', headers, body);
    assert.equal(JSON.parse(answer.body).code, 200);
  });

  test('survives clients that disconnect midway, send a body, or send frames before the answer', async (t) => {
    const service = await startSockets(t, database);
    const lines = Object.entries(handshake).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `GET /ws HTTP/1.1\r\n${lines.join('')}`;
    for (const bytes of [
      head,
      `${head}Content-Length: 5\r\n\r\nabc`,
      `${head}Content-Length: 5\r\n\r\nabcde`,
      `${head}Transfer-Encoding: chunked\r\n\r\nzz`,
      `${head}\r\n${'x'.repeat(100_000)}`,
      `${head}\r\n`,
    ]) {
      const socket = connect(service.port, '127.0.0.1');
      socket.on('error', () => {}); // reset by the other end, as may be
      await once(socket, 'connect');
      await new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
      socket.destroy();
    }
    const alice = await service.join('alice');
    await service.enter(alice);
    assert.equal(await service.isOnline(alice), 1);
  });
});

onSqlite('connections without hello', (database) => {
  test('20 from one address are accepted, the next is answered 429 with Retry-After', async (t) => {
    const service = await startSockets(t, database, { env: { TRUST_PROXY: 'loopback' } });
    const from = (address: string): ClientOptions => ({ headers: { 'x-forwarded-for': address } });
    const pending: TestSocket[] = [];
    for (let i = 0; i < 20; i++) pending.push(await service.connect(from('2001:db8:0:1::1')));
    const refused = await service.refuse(from('2001:db8:0:1::2'));
    assert.deepEqual([refused.status, refused.body.code, refused.body.error], [429, 429, 'rate_limited']);
    assert.equal(refused.headers['retry-after'], '10');
    await service.connect(from('2001:db8:0:2::1'));

    const alice = await service.join('alice');
    assert.equal((await pending[0]?.ask({ type: 'hello', token: alice.token }))?.code, 200);
    pending.push(await service.connect(from('2001:db8:0:1::1')));
    assert.equal(
      (await service.refuse(from('2001:db8:0:1::1'))).status,
      429,
      'the one that sent hello no longer counts',
    );
    pending[1]?.ws.terminate();
    await pending[1]?.ended;
    await eventually(() =>
      service.connect(from('2001:db8:0:1::3')).then(
        () => true,
        () => false,
      ),
    );
  });

  test('a client that is not behind our proxy cannot choose its address', async (t) => {
    const service = await startSockets(t, database);
    for (let i = 0; i < 20; i++) await service.connect({ headers: { 'x-forwarded-for': `203.0.113.${i}` } });
    assert.equal((await service.refuse({ headers: { 'x-forwarded-for': '203.0.113.99' } })).status, 429);
  });

  test('a thousand of them take little memory, and are closed after 10 s', async (t) => {
    const clock = new ManualClock();
    const env = { TRUST_PROXY: 'loopback' };
    const service = await startSockets(t, database, { env, world: clock.world });
    const before = process.memoryUsage().heapUsed;
    const sockets: TestSocket[] = [];
    for (let i = 0; i < 50; i++) {
      const headers = { 'x-forwarded-for': `203.0.113.${i}` };
      sockets.push(...(await Promise.all(Array.from({ length: 20 }, () => service.connect({ headers })))));
    }
    // Both ends of each are in this process.
    assert.ok(process.memoryUsage().heapUsed - before < 1000 * 60 * 1024);
    await clock.advance(9_500);
    for (const socket of sockets) await socket.roundTrip();
    await clock.advance(500);
    for (const socket of sockets) assert.equal((await socket.ended).code, 4408);
    const alice = await service.join('alice');
    await service.enter(alice, { headers: { 'x-forwarded-for': '203.0.113.1' } });
    await eventually(async () => (await countConnections(service)) === 1);
  });
});
