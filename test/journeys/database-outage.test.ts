import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, type TestContext, test } from 'node:test';
import { WebSocket } from 'ws';
import { onPostgres } from '../databases.ts';
import type { Body } from '../harness.ts';
import { connectPostgres } from '../postgres-client.ts';
import { type Cluster, databaseUrl, startCluster, templateDatabase } from '../postgres-cluster.ts';
import { openProxy } from '../postgres-proxy.ts';
import { launchServer, type ServerProcess, settingsOf, startServer } from '../processes.ts';
import { TestSocket } from '../sockets.ts';

/** Ten times the 3 s within which a call is answered while the database is away. */
const HANG_MS = 30_000;
const alice = { username: 'alice', password: 'password' };
const bob = { username: 'bob', password: 'password' };

onPostgres('While PostgreSQL is away', () => {
  let cluster: Promise<Cluster> | undefined;
  after(async () => (await cluster)?.stop());

  /** A database of the test's own on a server that the test may end. */
  async function create(name: string) {
    cluster ??= startCluster();
    const { url, restart } = await cluster;
    await ask(url, `create database ${name} template ${templateDatabase}`);
    return { databaseUrl: databaseUrl(url, name), restart };
  }

  test('a restart of the database: not ready and 500 meanwhile, then everything works and nothing is lost', async (t) => {
    const { databaseUrl, restart } = await create('restarted');
    await using server = await startServer(settingsOf({ databaseUrl }));
    const [{ token }, reader] = [await register(server, alice), await register(server, bob)];
    const socket = await connect(t, server);
    const { data: welcome } = await socket.hello({ token: reader.token });

    const acknowledged: string[] = [];
    let isSending = true;
    const sending = (async () => {
      // Each by a user of their own, so that no limit is reached.
      for (let n = 0; isSending; n++) {
        const joined = await server.post('/api/register', { username: `sender${n}`, password: 'password' });
        if (joined.status !== 200) assert.equal(joined.status, 500, JSON.stringify(joined.body));
        else {
          const { status, body } = await send(server, joined.body.data.token, reader.id, `c${n}`);
          if (status === 200) acknowledged.push(`c${n}`);
          else assert.equal(status, 500, JSON.stringify(body));
        }
      }
    })();
    for (let restarts = 0; restarts < 2; restarts++) {
      const before = acknowledged.length;
      await until(() => acknowledged.length > before + 5);
      await restart(async () => {
        await until(async () => (await readiness(server)) === '503 database');
        assert.equal((await server.get('/healthz')).status, 200);
        const calls = [server.post('/api/login', alice), server.get('/api/conversations', token)];
        for (const { status } of await inTime(Promise.all(calls))) assert.equal(status, 500);
      });
      const returnedAt = performance.now();
      await until(async () => (await readiness(server)) === '200');
      t.diagnostic(`ready ${Math.round(performance.now() - returnedAt)} ms after the database`);
      assert.equal((await server.post('/api/login', alice)).status, 200);
      await until(() => acknowledged.length > before + 10);
    }
    isSending = false;
    await sending;

    const missing = new Set(acknowledged);
    const collect = (frame: Body) => {
      if (frame.event === 'message') missing.delete(frame.data.cid);
      return missing.size === 0;
    };
    const again = await connect(t, server);
    await again.hello({ token: reader.token, epoch: welcome.epoch, seq: welcome.seq });
    await inTime(again.first(collect));
    for (const cid of acknowledged) missing.add(cid);
    assert.ok(socket.isOpen);
    await inTime(socket.first(collect)); // the socket that was open before the first restart
    assert.equal(server.child.exitCode, null);
  });

  test('when the connections stop answering, the backend that still holds the lock is ended and the lock taken again', async (t) => {
    const { databaseUrl } = await create('silent');
    const proxy = await openProxy(t, databaseUrl);
    await using server = await startServer(settingsOf({ databaseUrl: proxy.url }));
    const { token, id } = await register(server, alice);
    const [ghost] = await holders(databaseUrl);
    assert.ok(ghost);

    proxy.freeze();
    const { status } = await inTime(send(server, token, id, 'in the silence'));
    assert.equal(status, 500);
    await server.logged('the lock on the database is held again');
    await until(async () => (await readiness(server)) === '200');
    const now = await holders(databaseUrl);
    assert.equal(now.length, 1);
    assert.notDeepEqual(now, [ghost]);
    assert.equal((await server.post('/api/login', alice)).status, 200);
  });

  test('a connection without answers makes calls fail and the service unready until it answers again', async (t) => {
    const { databaseUrl } = await create('held');
    const proxy = await openProxy(t, databaseUrl);
    await using server = await startServer(settingsOf({ databaseUrl: proxy.url }));
    const { token, id } = await register(server, alice);
    proxy.hold();
    const calls = [
      server.post('/api/login', alice),
      send(server, token, id, 'c1'),
      server.get('/api/conversations', token),
    ];
    for (const { status } of await inTime(Promise.all(calls))) assert.equal(status, 500);
    await until(async () => (await readiness(server)) === '503 database');
    assert.equal((await inTime(server.post('/api/login', alice))).status, 500);
    await proxy.cut();
    await proxy.restore();
    await until(async () => (await readiness(server)) === '200');
    assert.equal((await server.post('/api/login', alice)).status, 200);
  });

  test('when another server took the lock meanwhile, the first one drains and ends with code 1', async (t) => {
    const { databaseUrl } = await create('taken');
    const proxy = await openProxy(t, databaseUrl);
    await using first = await startServer(settingsOf({ databaseUrl: proxy.url }));
    const { token } = await register(first, alice);
    const socket = await connect(t, first);
    await socket.hello({ token });
    await using second = launchServer(settingsOf({ databaseUrl }));
    await second.logged('another server uses the database; waiting until it ends');

    await proxy.cut();
    const url = await second.serving;
    assert.equal(await readiness(first), '503 database');
    assert.equal((await inTime(first.post('/api/login', alice))).status, 500);
    await proxy.restore();
    assert.deepEqual(await socket.ended, { code: 1012, reason: 'restart' });
    const { code } = await first.ended;
    assert.equal(code, 1);
    const { level } = await first.logged(/^another server took over the database/);
    assert.equal(level, 60);
    await first.logged('stopped');
    assert.equal((await fetch(`${url}/readyz`)).status, 200);
    const body = JSON.stringify(alice);
    const headers = { 'content-type': 'application/json' };
    assert.equal((await fetch(`${url}/api/login`, { method: 'POST', body, headers })).status, 200);
  });

  test('a start before the database waits, says so, and serves when the database is up; a signal ends it', async (t) => {
    const { databaseUrl } = await create('late');
    const proxy = await openProxy(t, databaseUrl);
    await proxy.cut();
    const url = proxy.url.replace('//postgres@', '//postgres:geheim@');
    await using stopped = launchServer(settingsOf({ databaseUrl: url }));
    await using server = launchServer(settingsOf({ databaseUrl: url }));
    const waits = `the database at ${new URL(url).host}/late cannot be reached; waiting for it`;
    await stopped.logged(waits);
    stopped.child.kill('SIGTERM');
    const { signal, code } = await stopped.ended;
    assert.ok(signal === 'SIGTERM' || code !== null);
    await server.logged(waits);
    await proxy.restore();
    assert.equal((await fetch(`${await server.serving}/readyz`)).status, 200);
    assert.ok(!server.lines.join().includes('geheim'));
  });

  test('a start is refused at once where waiting does not help', async () => {
    const { databaseUrl } = await create('refusing');
    const wrong: [string, RegExp][] = [
      [databaseUrl.replace('refusing', 'nothing'), /database "nothing" does not exist/],
      [databaseUrl.replace('//postgres@', '//mallory:geheim@'), /role "mallory" does not exist/],
      [`${databaseUrl}?synchronous_commit=off`, /PostgreSQL keeps commit at "off"/],
    ];
    for (const [databaseUrl, reason] of wrong) {
      await using server = launchServer(settingsOf({ databaseUrl }));
      const { code, errors } = await server.ended;
      assert.equal(code, 1);
      assert.match(errors, /^Doorman could not start: [^\n]*\n$/);
      assert.match(errors, reason);
      assert.ok(!errors.includes('geheim'));
    }
  });
});

async function ask<Row>(url: string, text: string): Promise<Row[]> {
  await using sql = await connectPostgres(url);
  return await sql.rows<Row>(text);
}

async function holders(url: string): Promise<number[]> {
  const rows = await ask<{ pid: number }>(
    url,
    `select pid from pg_locks where locktype = 'advisory' and granted
      and database = (select oid from pg_database where datname = current_database())`,
  );
  return rows.map(({ pid }) => pid);
}

async function register(server: ServerProcess, person: typeof alice): Promise<{ id: string; token: string }> {
  const { status, body } = await server.post('/api/register', person);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

function send(server: ServerProcess, token: string, to: string, cid: string) {
  return server.post('/api/messages', { to, cid, body: 'hello' }, token);
}

async function connect(t: TestContext, { url }: ServerProcess): Promise<TestSocket> {
  const socket = new TestSocket(new WebSocket(`${url.replace('http', 'ws')}/ws`));
  t.after(() => socket.ws.terminate());
  await once(socket.ws, 'open');
  return socket;
}

async function readiness(server: ServerProcess): Promise<string> {
  const { status, body } = await server.get('/readyz');
  assert.equal(body.code, status);
  return body.error === undefined ? String(status) : `${status} ${body.error}`;
}

/** The promise is an answer within 3 s; this test only requires one. */
async function inTime<T>(answer: Promise<T>): Promise<T> {
  const timeout = AbortSignal.timeout(HANG_MS);
  const hang = once(timeout, 'abort').then(() => {
    throw new Error('no answer');
  });
  return Promise.race([answer, hang]);
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const signal = AbortSignal.timeout(2 * HANG_MS);
  while (!(await isTrue())) {
    signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
