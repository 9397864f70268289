import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openConnection } from '../bad-input/raw-connection.ts';
import { onPostgres, onSqlite, type TestDatabase } from '../databases.ts';
import { settingsOf } from '../processes.ts';

const half =
  'POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"user';

onSqlite('Stopping', (database) => {
  describe('all at once', { concurrency: true }, () => {
    test('every login under way is answered, nobody new is let down, and the exit code is 0', async (t) => {
      const server = await startServer(t, database, { BCRYPT_COST: '11' });
      const url = await server.serving;
      const alice = { username: 'alice', password: 'password' };
      assert.equal((await post(`${url}/api/register`, alice)).status, 200);

      const logins = Array.from({ length: 16 }, () => post(`${url}/api/login`, alice));
      await Promise.any(logins);
      const stoppedAt = performance.now();
      server.child.kill('SIGTERM');
      await server.logged('stopping');
      const late = await fetch(`${url}/healthz`).then(
        ({ status }) => status,
        (error) => error.cause.code,
      );
      assert.ok([200, 'ECONNREFUSED', 'ECONNRESET'].includes(late), String(late));

      for (const { status, body } of await Promise.all(logins)) {
        assert.equal(status, 200);
        assert.equal(typeof body.data.token, 'string');
      }
      assert.deepEqual(await server.ended, { code: 0, signal: null, errors: '' });
      // Though fetch would keep its connections open for much longer.
      assert.ok(performance.now() - stoppedAt < 10_000);
      await server.logged('stopped');
    });

    test('who never ends his request is cut off, and the exit code is 0 within 15 s', async (t) => {
      const server = await startServer(t, database);
      using connection = await openConnection(Number(new URL(await server.serving).port));
      connection.write(half);
      await ask(await server.serving);
      const stoppedAt = performance.now();
      server.child.kill('SIGINT');
      assert.deepEqual(await server.ended, { code: 0, signal: null, errors: '' });
      const tookMs = performance.now() - stoppedAt;
      assert.ok(tookMs > 10_000 && tookMs < 15_000, `${tookMs} ms`);
    });

    test('who is connected and asks for nothing holds up nothing', async (t) => {
      const server = await startServer(t, database);
      const url = await server.serving;
      using _silent = await openConnection(Number(new URL(url).port));
      using idle = await openConnection(Number(new URL(url).port));
      idle.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
      assert.equal((await idle.answer()).status, 200);
      const stoppedAt = performance.now();
      server.child.kill('SIGTERM');
      assert.equal((await server.ended).code, 0);
      assert.ok(performance.now() - stoppedAt < 3_000);
    });

    test('a second signal ends it at once', async (t) => {
      for (const second of ['SIGTERM', 'SIGINT'] as const) {
        const server = await startServer(t, database);
        using connection = await openConnection(Number(new URL(await server.serving).port));
        connection.write(half);
        await ask(await server.serving);
        server.child.kill('SIGTERM');
        await server.logged('stopping');
        const askedAt = performance.now();
        server.child.kill(second);
        assert.deepEqual(await server.ended, { code: 1, signal: null, errors: '' });
        assert.ok(performance.now() - askedAt < 2_000);
      }
    });

    test('all that is wrong with the settings is told at once, a line each, without their values', async (t) => {
      const wrong = {
        PORT: 'geheim',
        HOST: '[::1]',
        BCRYPT_COST: '99',
        TRUST_PROXY: '0.0.0.0/0',
        DATABASE_URL: 'geheim',
        DOORMAN_PORT: '1',
      };
      const { code, errors } = await (await startServer(t, database, wrong)).ended;
      assert.equal(code, 1);
      const lines = errors.split('\n').filter((line) => line !== '');
      assert.deepEqual(lines.map((line) => line.split(' ')[0]).sort(), Object.keys(wrong).sort());
      for (const line of lines) assert.match(line, /^[A-Z_]+ (must|is not) [^\n]+$/);
      assert.ok(!errors.includes('geheim'));
    });

    test('a second server on the same folder, or the same port, says so in one line', async (t) => {
      const folder = await database.create(t);
      const first = start(t, settingsOf(folder));
      const { port } = new URL(await first.serving);
      const sameFolder = await start(t, settingsOf(folder)).ended;
      assert.equal(sameFolder.code, 1);
      assert.match(
        sameFolder.errors,
        /^Doorman could not start: Another Doorman server is running on \S+: stop it, or set another DATA_DIR\.\n$/,
      );
      const samePort = await (await startServer(t, database, { PORT: port })).ended;
      assert.equal(samePort.code, 1);
      assert.equal(
        samePort.errors,
        `Doorman could not start: listen EADDRINUSE: address already in use 127.0.0.1:${port}\n`,
      );
      assert.equal((await ask(await first.serving)).status, 200);
    });

    test('a database that is away is told in one line, without its password', async (t) => {
      const settings = { DATA_DIR: '', DATABASE_URL: 'postgres://doorman:geheim@127.0.0.1:1/doorman' };
      const { code, errors } = await (await startServer(t, database, settings)).ended;
      assert.equal(code, 1);
      assert.match(errors, /^Doorman could not start: [^\n]*ECONNREFUSED[^\n]*\n$/);
      assert.ok(!errors.includes('geheim'));
    });
  });
});

onPostgres('Stopping', (database) => {
  test('a second server waits for the first one: it can be stopped meanwhile, and else takes over', async (t) => {
    const settings = settingsOf(await database.create(t));
    const first = start(t, settings);
    await first.serving;
    const waiting = [start(t, settings), start(t, settings)] as const;
    for (const one of waiting) await one.logged('another server uses the database; waiting until it ends');
    waiting[0].child.kill('SIGTERM');
    assert.equal((await waiting[0].ended).signal, 'SIGTERM');
    assert.equal((await ask(await first.serving)).status, 200);
    first.child.kill('SIGTERM');
    assert.equal((await first.ended).code, 0);
    assert.equal((await ask(await waiting[1].serving)).status, 200);
  });
});

/** A server in a process of its own, which ends with the test. */
interface Server {
  readonly child: ChildProcessWithoutNullStreams;
  /** Its address, once it serves. */
  readonly serving: Promise<string>;
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; errors: string }>;
  /** Waits for a line of the log. */
  logged(message: string): Promise<{ url: string }>;
}

async function startServer(
  t: TestContext,
  database: TestDatabase,
  settings: Record<string, string> = {},
): Promise<Server> {
  return start(t, settingsOf(await database.create(t), settings));
}

function start(t: TestContext, settings: Record<string, string>): Server {
  const child = spawn(process.execPath, ['src/main.ts'], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { PATH: process.env.PATH, ...settings },
  });
  const errors = text(child.stderr);
  const ended = once(child, 'close').then(async ([code, signal]) => ({ code, signal, errors: await errors }));
  t.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const lines: { msg: string; url: string }[] = [];
  const waiting = new Set<() => void>();
  createInterface(child.stdout).on('line', (line) => {
    lines.push(JSON.parse(line));
    for (const look of waiting) look();
  });

  function logged(message: string): Promise<{ url: string }> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = lines.find(({ msg }) => msg === message);
        if (!found) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
      ended.then(
        ({ errors }) => reject(new Error(`it ended without saying "${message}": ${errors}`)),
        reject,
      );
    });
  }

  const serving = logged('serving').then(({ url }) => url);
  serving.catch(() => {}); // some are not meant to get so far
  return { child, serving, ended, logged };
}

async function ask(url: string): Promise<Response> {
  return fetch(`${url}/healthz`);
}

async function post(url: string, body: object) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const answer: { data: { token: string } } = JSON.parse(await response.text());
  return { status: response.status, body: answer };
}
