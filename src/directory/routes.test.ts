import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { onEachDatabase, onPostgres, type TestDatabase } from '../../test/databases.ts';
import { startService } from '../../test/harness.ts';
import { addCrowd } from '../../test/people.ts';
import { connectPostgres } from '../../test/postgres-client.ts';
import { PRESENT } from '../../test/present.ts';

/** A service on a real port with so many users that a list exceeds the buffers of a connection. */
async function startCrowded(t: TestContext, database: TestDatabase) {
  const service = await startService(t, database);
  const { token } = await service.join('alice');
  const ids = await addCrowd(service.services.db, 8000);
  await service.services.db.run`update users set bio = ${'b'.repeat(1000)} where bio = ''`;
  await service.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = service.app.server.address() as AddressInfo; // a TCP server's address is never a pipe's name
  const requests = new Set<ClientRequest>();
  t.after(() => {
    for (const sent of requests) sent.destroy();
  });
  return {
    service,
    token,
    ids,
    /** Requests the full list on a connection of its own; the body is read only when the test reads it. */
    requestList(path = '/api/users'): { sent: ClientRequest; answer: Promise<IncomingMessage> } {
      const sent = request({ port, path, agent: false, headers: { authorization: `Bearer ${token}` } });
      requests.add(sent.on('error', () => {}));
      sent.end();
      const answer = once(sent, 'response').then(([response]) => response);
      answer.catch(() => {}); // of requests that the test destroys
      return { sent, answer };
    },
  };
}

async function read(answer: IncomingMessage): Promise<{ code: number; data: { id: string }[] }> {
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) text += chunk;
  return JSON.parse(text);
}

onEachDatabase('directory routes', (database) => {
  test('a new user and a changed profile are in the next list, although its pieces are cached', async (t) => {
    const service = await startService(t, database);
    const { id, token } = await service.join('alice');
    await addCrowd(service.services.db, 600);
    const list = async () => (await service.get('/api/users', { token })).body.data;
    assert.equal((await list()).length, 601);
    const bob = await service.join('bob');
    assert.equal((await list()).at(-1).id, bob.id);
    await service.post('/api/user/profile', { bio: 'new' }, { token });
    assert.equal((await list()).find((one: { id: string }) => one.id === id).bio, 'new');
    service.services.presence.online.add(id, PRESENT);
    assert.equal((await list()).find((one: { id: string }) => one.id === id).isOnline, 1);
  });

  test('q, online, limit and after make a page with next, invalid values are 400', async (t) => {
    const service = await startService(t, database);
    const { token } = await service.join('alice');
    for (const name of ['bob', 'carol', 'dave']) await service.join(name);
    const get = (query: string) => service.get(`/api/users?${query}`, { token });
    const first = await get('limit=3');
    assert.deepEqual(Object.keys(first.body).sort(), ['code', 'data', 'next']);
    assert.equal(first.body.data.length, 3);
    const second = await get(`limit=3&after=${first.body.next}`);
    assert.deepEqual(Object.keys(second.body).sort(), ['code', 'data']);
    assert.equal(second.body.data[0].username, 'dave');
    assert.equal((await get('q=CAR')).body.data[0].username, 'carol');
    assert.deepEqual((await get('online=1')).body, { code: 200, data: [] });
    for (const query of ['online=0', 'unknown=1', 'limit=1000'])
      assert.equal((await get(query)).body.data.length, 4);
    const wrong = [
      'limit=0',
      'limit=1001',
      'limit=-1',
      'limit=1.5',
      'limit=',
      'limit=1e2',
      'limit=x',
      'limit=03',
    ];
    wrong.push(
      'online=2',
      'online=',
      'online=true',
      'q=',
      `q=${'a'.repeat(65)}`,
      'q=%00',
      'after=%',
      'after=x',
    );
    wrong.push('limit=1&limit=2', 'q=a&q=b', 'online=1&online=1', `after=${'a'.repeat(1001)}`);
    for (const query of wrong) {
      const { status, body } = await get(query);
      assert.deepEqual([status, body.code], [400, 400], query);
    }
  });

  test('two full lists run, twenty wait, the next gets 429; a page and HEAD do not wait', async (t) => {
    const { service, token, ids, requestList } = await startCrowded(t, database);
    const streaming = [requestList(), requestList()];
    const answers = await Promise.all(streaming.map(({ answer }) => answer));
    assert.deepEqual(
      answers.map((answer) => answer.statusCode),
      [200, 200],
    );
    const { promise: allRefused, resolve } = Promise.withResolvers<void>();
    const early: IncomingMessage[] = [];
    const others = Array.from({ length: 25 }, () => requestList().answer);
    for (const answer of others)
      answer.then((one) => {
        if (early.push(one) === 5) resolve();
      });
    await allRefused;
    for (const answer of early) {
      assert.deepEqual([answer.statusCode, answer.headers['retry-after']], [429, '3']);
      assert.equal((await read(answer)).code, 429);
    }
    assert.equal((await service.call('HEAD', '/api/users', { token })).status, 200);
    assert.equal((await service.get('/api/users?limit=1', { token })).status, 200);
    assert.equal((await service.get('/api/users?q=crowd', { token })).status, 200);

    for (const answer of answers) {
      const { data } = await read(answer);
      assert.deepEqual(
        data.slice(0, -1).map((one) => one.id),
        ids,
      );
    }
    // Each is read as it comes: an answer that is not read keeps its place.
    const late = others.map(async (answer) =>
      (await answer).statusCode === 200 ? read(await answer) : undefined,
    );
    const lengths = (await Promise.all(late)).map((one) => one?.data.length);
    assert.equal(lengths.filter((length) => length === 8001).length, 20);
  });

  test('a client that disconnects gives its place away, waiting or served', async (t) => {
    const { requestList } = await startCrowded(t, database);
    const streaming = [requestList(), requestList()];
    await Promise.all(streaming.map(({ answer }) => answer));
    const gone = Array.from({ length: 5 }, () => requestList());
    const waiting = requestList();
    for (const { sent } of gone) sent.destroy();
    for (const { sent } of streaming) sent.destroy();
    assert.equal((await read(await waiting.answer)).data.length, 8001);
  });

  test('a client that disconnects at any moment leaves no place taken', async (t) => {
    const { service, requestList } = await startCrowded(t, database);
    for (let round = 0; round < 30; round++) {
      // So that the token is verified again, which takes some turns of the event loop.
      service.services.accounts.authentication.invalidateAll();
      const { sent } = requestList();
      const [socket] = await once(sent, 'socket');
      if (socket.connecting) await once(socket, 'connect');
      for (let turn = 0; turn < round; turn++) await new Promise(setImmediate);
      sent.destroy();
    }
    for (let i = 0; i < 2; i++) assert.equal((await read(await requestList().answer)).data.length, 8001);
  });
});

onPostgres('directory routes, users in the order of their commits', (database) => {
  test('a user whose registration was delayed is listed, although younger users were listed before', async (t) => {
    const service = await startService(t, database);
    const { token } = await service.join('alice');
    const { databaseUrl } = service.services.config;
    assert(databaseUrl);
    await using other = await connectPostgres(databaseUrl);
    // The same name in an open transaction: bob's registration has its id already, and waits.
    await other.rows('begin');
    await other.rows(
      `insert into users (id, username, username_key, password_hash, nickname_key, created_at) values ('x', 'x', 'bob', '!', '', 0)`,
    );
    const joining = service.join('bob');
    await until(
      async () =>
        (await other.rows(`select 1 from pg_locks where not granted and locktype = 'transactionid'`)).length >
        0,
    );
    await service.services.db.run`
      insert into users (id, username, username_key, password_hash, nickname_key, created_at)
      select 'ffffffff-0000-7000-8000-' || cast(100000000000 + n as text), 'late' || n, 'late' || n, '!', '', 0
      from generate_series(1, 600) as n`;
    const list = async () =>
      (await service.get('/api/users', { token })).body.data.map((one: { id: string }) => one.id);
    assert.equal((await list()).length, 601);
    await other.rows('rollback');
    const bob = await joining;
    const ids = await list();
    assert.equal(ids.indexOf(bob.id), 1);
    assert.equal(ids.length, 602);
  });
});

/** Until the condition holds; the test's own time limit ends it otherwise. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise(setImmediate);
}
