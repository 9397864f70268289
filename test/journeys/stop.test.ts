import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { openConnection } from '../bad-input/raw-connection.ts';
import { onPostgres, onSqlite } from '../databases.ts';
import { launchServer, settingsOf } from '../processes.ts';

const half =
  'POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"user';
const CUT_OFF = 'the stop takes too long: open connections are cut off';
const FURTHER_SIGNAL = 'a further signal ends the server at once';

onSqlite('Stopping', (database) => {
  describe('all at once', { concurrency: true }, () => {
    test('every login in flight is answered, new calls are answered or refused a connection, and the exit code is 0', async (t) => {
      await using server = launchServer(settingsOf(await database.create(t), { BCRYPT_COST: '10' }));
      const url = await server.serving;
      const alice = { username: 'alice', password: 'password' };
      assert.equal((await post(`${url}/api/register`, alice)).status, 200);

      const logins = Array.from({ length: 16 }, () => post(`${url}/api/login`, alice));
      await untilReceived(url, 1 + logins.length);
      server.child.kill('SIGTERM');
      await server.logged('stopping');
      const late = await fetch(`${url}/healthz`).then(
        ({ status }) => status,
        (error) => error.cause.code,
      );
      // The last one was accepted by the system, and closed when the server stopped listening.
      assert.ok([200, 'ECONNREFUSED', 'ECONNRESET', 'UND_ERR_SOCKET'].includes(late), String(late));

      for (const { status, body } of await Promise.all(logins)) {
        assert.equal(status, 200);
        assert.equal(typeof body.data.token, 'string');
      }
      assert.deepEqual(await server.ended, { code: 0, signal: null, errors: '' });
      await server.logged('stopped');
      // fetch would keep its connections open for much longer.
      assert.ok(!server.messages().includes(CUT_OFF));
    });

    for (const signals of [
      ['SIGTERM', 'SIGINT'],
      ['SIGINT', 'SIGTERM'],
      ['SIGINT', 'SIGINT'],
    ] as const)
      test(`${signals.join(' and ')} in the same instant are one signal: calls and logins under way are answered`, async (t) => {
        await using server = launchServer(settingsOf(await database.create(t)));
        const url = await server.serving;
        const alice = { username: 'alice', password: 'password' };
        const registered = await post(`${url}/api/register`, alice);
        const authorization = `Authorization: Bearer ${registered.body.data.token}\r\n`;
        const login = JSON.stringify(alice);
        const settings = JSON.stringify({ dndEnabled: true });
        const calls = [
          ...Array.from({ length: 8 }, () => ({ path: '/api/login', headers: '', body: login })),
          ...Array.from({ length: 4 }, () => ({
            path: '/api/user/settings',
            headers: authorization,
            body: settings,
          })),
        ];
        using ending = new DisposableStack();
        const underWay = await Promise.all(
          calls.map(async ({ path, headers, body }) => {
            const connection = ending.use(await openConnection(Number(new URL(url).port)));
            connection.write(
              `POST ${path} HTTP/1.1\r\nHost: x\r\n${headers}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
            );
            return { connection, rest: body.slice(5) };
          }),
        );
        await untilReceived(url, 1 + calls.length);

        for (const signal of signals) server.child.kill(signal);
        await server.logged('stopping');
        for (const { connection, rest } of underWay) connection.write(rest);
        for (const { connection } of underWay) assert.equal((await connection.answer()).status, 200);
        assert.deepEqual(await server.ended, { code: 0, signal: null, errors: '' });
        assert.ok(!server.messages().includes(CUT_OFF));
      });

    test('calls that were sent before the signal are answered, also on connections that the server had not accepted', async (t) => {
      await using server = launchServer(settingsOf(await database.create(t)));
      const url = await server.serving;
      using ending = new DisposableStack();
      const connect = async () => ending.use(await openConnection(Number(new URL(url).port)));
      const accepted = await Promise.all(Array.from({ length: 5 }, connect));
      await ask(url);
      // The system completes connections and keeps what is sent on them, as it does for a server that gets no processor time.
      server.child.kill('SIGSTOP');
      const connections = [...accepted, ...(await Promise.all(Array.from({ length: 20 }, connect)))];
      for (const connection of connections) connection.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
      server.child.kill('SIGTERM');
      server.child.kill('SIGCONT');
      for (const connection of connections) assert.equal((await connection.answer()).status, 200);
      assert.deepEqual(await server.ended, { code: 0, signal: null, errors: '' });
      assert.ok(!server.messages().includes(CUT_OFF));
    });

    test('a request that never ends is cut off, and the exit code is 0', async (t) => {
      await using server = launchServer(settingsOf(await database.create(t)));
      using connection = await openConnection(Number(new URL(await server.serving).port));
      connection.write(half);
      await untilReceived(await server.serving, 1);
      server.child.kill('SIGINT');
      assert.deepEqual(await server.ended, { code: 0, signal: null, errors: '' });
      assert.deepEqual(server.messages().slice(-4), ['stopping', FURTHER_SIGNAL, CUT_OFF, 'stopped']);
    });

    test('with DRAIN_SECONDS it first serves on, not ready, and ends the connections of the load balancer', async (t) => {
      // Long enough for the calls below, also on a busy machine.
      const settings = settingsOf(await database.create(t), { DRAIN_SECONDS: '5' });
      await using server = launchServer(settings);
      const url = await server.serving;
      server.child.kill('SIGTERM');
      await server.logged('stopping');
      const ready = await fetch(`${url}/readyz`);
      assert.deepEqual([ready.status, ready.headers.get('connection')], [503, 'close']);
      const alice = { username: 'alice', password: 'password' };
      assert.equal((await post(`${url}/api/register`, alice)).status, 200);
      const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, 'doorman.v1');
      const [[{ data }]] = await Promise.all([once(socket, 'message'), once(socket, 'open')]);
      assert.match(String(data), /"drain"/);
      assert.equal((await server.ended).code, 0);
    });

    test('an idle connection does not delay the stop', async (t) => {
      await using server = launchServer(settingsOf(await database.create(t)));
      const url = await server.serving;
      using _silent = await openConnection(Number(new URL(url).port));
      using idle = await openConnection(Number(new URL(url).port));
      idle.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
      assert.equal((await idle.answer()).status, 200);
      server.child.kill('SIGTERM');
      assert.equal((await server.ended).code, 0);
      assert.ok(!server.messages().includes(CUT_OFF));
    });

    test('a second signal ends it at once, from a second after the first', async (t) => {
      for (const second of ['SIGTERM', 'SIGINT'] as const) {
        await using server = launchServer(settingsOf(await database.create(t)));
        using connection = await openConnection(Number(new URL(await server.serving).port));
        connection.write(half);
        await untilReceived(await server.serving, 1);
        server.child.kill('SIGTERM');
        await server.logged(FURTHER_SIGNAL);
        server.child.kill(second);
        assert.deepEqual(await server.ended, { code: 1, signal: null, errors: '' });
        assert.deepEqual(server.messages().slice(-2), ['stopping', FURTHER_SIGNAL]);
      }
    });

    test('all invalid settings are reported together, a line each, without their values', async (t) => {
      const wrong = {
        PORT: 'geheim',
        HOST: '[::1]',
        BCRYPT_COST: '99',
        TRUST_PROXY: '0.0.0.0/0',
        DATABASE_URL: 'geheim',
        SMTP_URL: 'smtp://chat:geheim@mail.example.com/path',
        DOORMAN_HOST: '1',
      };
      await using server = launchServer(settingsOf(await database.create(t), wrong));
      const { code, errors } = await server.ended;
      assert.equal(code, 1);
      const lines = errors.split('\n').filter((line) => line !== '');
      assert.deepEqual(lines.map((line) => line.split(' ')[0]).sort(), Object.keys(wrong).sort());
      for (const line of lines) assert.match(line, /^[A-Z_]+ (must|is not) [^\n]+$/);
      assert.ok(!errors.includes('geheim'));
    });

    test('no line of a start has the password of SMTP_URL', async (t) => {
      const SMTP_URL = 'smtps://chat:geheim@mail.example.com';
      const mail = { SMTP_URL, PUBLIC_URL: 'https://chat.example.com', LOG_LEVEL: 'debug' };
      await using server = launchServer(settingsOf(await database.create(t), mail));
      await server.serving;
      server.child.kill('SIGTERM');
      const { code, errors } = await server.ended;
      assert.equal(code, 0);
      assert.doesNotMatch(server.lines.join() + errors, /geheim/);
    });

    test('a second server on the same folder, or the same port, says so in one line', async (t) => {
      const folder = await database.create(t);
      await using first = launchServer(settingsOf(folder));
      const { port } = new URL(await first.serving);
      await using second = launchServer(settingsOf(folder));
      const sameFolder = await second.ended;
      assert.equal(sameFolder.code, 1);
      assert.match(
        sameFolder.errors,
        /^Doorman could not start: Another Doorman server is running on \S+: stop it, or set another DATA_DIR\.\n$/,
      );
      await using third = launchServer(settingsOf(await database.create(t), { PORT: port }));
      const samePort = await third.ended;
      assert.equal(samePort.code, 1);
      assert.equal(
        samePort.errors,
        `Doorman could not start: Port ${port} of 127.0.0.1 is in use: stop the program that uses it, or set another PORT.\n`,
      );
      assert.equal((await ask(await first.serving)).status, 200);
    });
  });
});

onPostgres('Stopping', (database) => {
  test('a second server waits for the first one: it can be stopped meanwhile, otherwise it takes over', async (t) => {
    const settings = settingsOf(await database.create(t));
    await using first = launchServer(settings);
    await first.serving;
    await using second = launchServer(settings);
    await using third = launchServer(settings);
    for (const waiting of [second, third])
      await waiting.logged('another server uses the database; waiting until it ends');
    second.child.kill('SIGTERM');
    assert.equal((await second.ended).signal, 'SIGTERM');
    assert.equal((await ask(await first.serving)).status, 200);
    first.child.kill('SIGTERM');
    assert.equal((await first.ended).code, 0);
    assert.equal((await ask(await third.serving)).status, 200);
  });
});

async function ask(url: string): Promise<Response> {
  return fetch(`${url}/healthz`);
}

/** Waits until this many requests have reached the server, besides its own: the id of an answer counts them all. */
async function untilReceived(url: string, requests: number): Promise<void> {
  for (let received = 0, asked = 1; received < requests; asked++) {
    const id = (await ask(url)).headers.get('x-request-id') ?? '';
    received = Number.parseInt(id.split('-').at(-1) ?? '', 36) - asked;
  }
}

async function post(url: string, body: object) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const answer: { data: { token: string } } = JSON.parse(await response.text());
  return { status: response.status, body: answer };
}
