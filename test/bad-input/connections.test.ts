import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { onSqlite, type TestDatabase } from '../databases.ts';
import { startService, type TestService } from '../harness.ts';
import { assertEnvelope } from './envelope.ts';
import { openConnection } from './raw-connection.ts';
import { alive, BROKEN, host, json, register, UNUSUAL } from './raw-requests.ts';
import { everythingStored } from './stored.ts';

onSqlite('Bad input: connections', (database) => {
  test('bytes that are not a request get one 400 in the envelope, and nothing is stored', async (t) => {
    const { service, port } = await listen(t, database);
    const before = await everythingStored(service.services.db);
    await Promise.all(
      BROKEN.map(async ([fault, bytes]) => {
        using connection = await openConnection(port);
        connection.write(bytes);
        const [answer, ...others] = await connection.allAnswers();
        assert.ok(answer, fault);
        assertEnvelope(answer, fault);
        assert.deepEqual(
          answer.body,
          { code: 400, error: 'malformed_request', msg: '请求格式不正确' },
          fault,
        );
        assert.equal(answer.headers.connection, 'close', fault);
        assert.deepEqual(others, [], fault);
      }),
    );
    assert.deepEqual(await everythingStored(service.services.db), before);
    assert.deepEqual(
      service.logLines.filter((line) => JSON.parse(line).level >= 40 && !line.includes('slow')),
      [],
    );
  });

  test('unusual requests are answered, and so is what follows on the same connection', async (t) => {
    const { service, port } = await listen(t, database);
    await Promise.all(
      UNUSUAL.map(async ([what, bytes, status]) => {
        using connection = await openConnection(port);
        connection.write(bytes);
        const answer = await connection.answer();
        assertEnvelope(answer, what);
        assert.equal(answer.status, status, what);
        connection.write(alive);
        assert.equal((await connection.answer()).text, '{"code":200}', `after ${what}`);
      }),
    );
    assert.deepEqual(
      service.logLines.filter((line) => JSON.parse(line).level >= 50),
      [],
    );
  });

  test('HEAD is answered without a body, CONNECT and HTTP/1.0 with one, and these two connections end', async (t) => {
    const { port } = await listen(t, database);
    using head = await openConnection(port);
    head.write(`HEAD /healthz HTTP/1.1\r\n${host}\r\n${alive}`);
    assert.equal((await head.answer({ isHead: true })).status, 200);
    assert.equal((await head.answer()).text, '{"code":200}');
    for (const [bytes, status] of [
      ['GET /healthz HTTP/1.0\r\n\r\n', 200],
      [`CONNECT 127.0.0.1:22 HTTP/1.1\r\n${host}\r\n`, 404],
    ] as const) {
      using connection = await openConnection(port);
      connection.write(bytes);
      const answers = await connection.allAnswers();
      assert.deepEqual(
        answers.map((answer) => answer.status),
        [status],
      );
      for (const answer of answers) assertEnvelope(answer, bytes);
    }
  });

  test('a client that expects 100 Continue gets it before its body', async (t) => {
    const { port } = await listen(t, database);
    using connection = await openConnection(port);
    const body = register('alice');
    connection.write(
      `POST /api/register HTTP/1.1\r\n${json}Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    assert.equal((await connection.answer()).status, 100);
    connection.write(body);
    assert.equal((await connection.answer()).body.data.username, 'alice');
  });

  test('of two Authorization headers the first counts', async (t) => {
    const { service, port } = await listen(t, database);
    const { token } = await service.join('alice');
    using connection = await openConnection(port);
    const get = (first: string, second: string) =>
      connection.write(
        `GET /api/sessions HTTP/1.1\r\n${host}Authorization: Bearer ${first}\r\nAuthorization: Bearer ${second}\r\n\r\n`,
      );
    get('nonsense', token);
    assert.equal((await connection.answer()).status, 401);
    get(token, 'nonsense');
    assert.equal((await connection.answer()).status, 200);
  });

  test('a body over the limit is refused at once, and what follows it is served', async (t) => {
    const { port } = await listen(t, database);
    const large = Buffer.alloc(3_000_000, ' ');
    for (const [head, body] of [
      [`Content-Length: ${large.length}`, large],
      [
        'Transfer-Encoding: chunked',
        Buffer.concat([Buffer.from(`${large.length.toString(16)}\r\n`), large, Buffer.from('\r\n0\r\n\r\n')]),
      ],
    ] as const) {
      using connection = await openConnection(port);
      connection.write(`POST /api/register HTTP/1.1\r\n${json}${head}\r\n\r\n`);
      connection.write(body.subarray(0, 100_000));
      const answer = await connection.answer();
      assertEnvelope(answer, head);
      assert.equal(answer.body.error, 'body_too_large');
      connection.write(body.subarray(100_000));
      connection.write(alive);
      assert.equal((await connection.answer()).text, '{"code":200}');
    }
  });

  test('requests sent at once are answered in their order, and a broken one last', async (t) => {
    const { service, port } = await listen(t, database);
    const body = register('alice');
    const post = `POST /api/register HTTP/1.1\r\n${json}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    using connection = await openConnection(port);
    connection.write(
      `${alive}POST /api/login HTTP/1.1\r\n${json}Content-Length: 2\r\n\r\n[]${post}${alive}nonsense\r\n\r\n${alive}`,
    );
    const answers = await connection.allAnswers();
    assert.deepEqual(
      answers.map((answer) => answer.body.error ?? answer.body.code),
      [200, 'body_not_object', 200, 200, 'malformed_request'],
    );
    assert.equal(answers[2]?.body.data.username, 'alice');
    assert.equal((await service.post('/api/login', { username: 'alice', password: 'password' })).status, 200);
  });

  test('a body that breaks off does not affect the answers of earlier requests', async (t) => {
    const { port } = await listen(t, database);
    using connection = await openConnection(port);
    const body = register('alice');
    const post = `POST /api/register HTTP/1.1\r\n${json}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    connection.write(`${post}POST /api/login HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n\r\nzz\r\n`);
    const answers = await connection.allAnswers();
    for (const answer of answers)
      assert.notEqual(answer.body.error, 'malformed_request', 'taken for that of register');
  });

  test('a client that disconnects in the middle of a request causes no fault and affects no other client', async (t) => {
    const { service, port } = await listen(t, database);
    const before = await everythingStored(service.services.db);
    const halves = [
      'G',
      'GET /healthz HTT',
      `POST /api/register HTTP/1.1\r\n${json}Content-Length: 100\r\n\r\n`,
      `POST /api/register HTTP/1.1\r\n${json}Content-Length: 100\r\n\r\n${register('alice')}`,
      `POST /api/register HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n\r\n5\r\n{"use`,
    ];
    for (const half of halves)
      for (const leave of ['destroy', 'end', 'resetAndDestroy'] as const) {
        using connection = await openConnection(port);
        connection.write(half);
        // It is answered after the other client's bytes were read too.
        assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200);
        connection.socket[leave]();
        if (!connection.socket.closed) await once(connection.socket, 'close');
      }
    assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200);
    await service.app.close();
    assert.deepEqual(await everythingStored(service.services.db), before);
    assert.deepEqual(
      service.logLines.filter((line) => JSON.parse(line).level >= 40 && !line.includes('slow')),
      [],
    );
  });
});

async function listen(
  t: TestContext,
  database: TestDatabase,
): Promise<{ service: TestService; port: number }> {
  const service = await startService(t, database);
  const url = await service.app.listen({ port: 0, host: '127.0.0.1' });
  return { service, port: Number(new URL(url).port) };
}
