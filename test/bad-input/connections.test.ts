import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { onSqlite, type TestDatabase } from '../databases.ts';
import { startService, type TestService } from '../harness.ts';
import { assertEnvelope } from './envelope.ts';
import { openConnection } from './raw-connection.ts';
import { everythingStored } from './stored.ts';

const host = 'Host: chat.example.com\r\n';
const json = `${host}Content-Type: application/json\r\n`;
const alive = `GET /healthz HTTP/1.1\r\n${host}\r\n`;
const register = (name: string) => JSON.stringify({ username: name, password: 'password' });

/** What is no request, or breaks off in the middle of one: 400, and the connection ends. */
const BROKEN: [fault: string, bytes: string | Buffer][] = [
  ['a TLS greeting', Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3])],
  ['noise', Buffer.from([0, 1, 2, 3, 255, 254])],
  ['HTTP/2 with prior knowledge', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['an unknown method', `FOO /healthz HTTP/1.1\r\n${host}\r\n`],
  ['a method in small letters', `get /healthz HTTP/1.1\r\n${host}\r\n`],
  ['an unknown version', `GET /healthz HTTP/3.0\r\n${host}\r\n`],
  ['no version that is one', `GET /healthz HTTPS/1.1\r\n${host}\r\n`],
  ['a path without a slash', `GET healthz HTTP/1.1\r\n${host}\r\n`],
  ['a space in the path', `GET /api/user/profile/a b HTTP/1.1\r\n${host}\r\n`],
  ['raw UTF-8 in the path', `GET /api/user/profile/ä HTTP/1.1\r\n${host}\r\n`],
  ['lines without carriage return', 'GET /healthz HTTP/1.1\nHost: x\n\n'],
  ['a header without colon', `GET /healthz HTTP/1.1\r\n${host}nonsense\r\n\r\n`],
  ['a space in the name of a header', `GET /healthz HTTP/1.1\r\n${host}X Y: 1\r\n\r\n`],
  ['a space before the colon', `GET /healthz HTTP/1.1\r\n${host}X : 1\r\n\r\n`],
  ['a control character in a header', `GET /healthz HTTP/1.1\r\n${host}X: \x01\r\n\r\n`],
  ['a folded header', `GET /healthz HTTP/1.1\r\n${host}X: 1\r\n 2\r\n\r\n`],
  ['a header of 20 KB', `GET /healthz HTTP/1.1\r\n${host}X: ${'x'.repeat(20_000)}\r\n\r\n`],
  [
    'a token of 20 KB',
    `GET /api/users HTTP/1.1\r\n${host}Authorization: Bearer ${'x'.repeat(20_000)}\r\n\r\n`,
  ],
  ['2,500 headers', `GET /healthz HTTP/1.1\r\n${host}${'x: yz\r\n'.repeat(2_500)}\r\n`],
  ['a path of 20 KB', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`],
  ['a negative length', `POST /api/login HTTP/1.1\r\n${json}Content-Length: -1\r\n\r\n`],
  ['a length that is no number', `POST /api/login HTTP/1.1\r\n${json}Content-Length: 2x\r\n\r\n{}`],
  ['a length in hexadecimal', `POST /api/login HTTP/1.1\r\n${json}Content-Length: 0x2\r\n\r\n{}`],
  [
    'a length beyond all numbers',
    `POST /api/login HTTP/1.1\r\n${json}Content-Length: ${'9'.repeat(30)}\r\n\r\n`,
  ],
  ['two lengths', `POST /api/login HTTP/1.1\r\n${json}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
  ['a list of lengths', `POST /api/login HTTP/1.1\r\n${json}Content-Length: 2, 2\r\n\r\n{}`],
  [
    'a length and chunks',
    `POST /api/register HTTP/1.1\r\n${json}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${alive}`,
  ],
  [
    'chunks and a length',
    `POST /api/register HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${alive}`,
  ],
  [
    'chunks that are not last',
    `POST /api/login HTTP/1.1\r\n${json}Transfer-Encoding: chunked, gzip\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  ],
  ['another encoding', `POST /api/login HTTP/1.1\r\n${json}Transfer-Encoding: gzip\r\n\r\n{}`],
  [
    'chunks by a strange name',
    `POST /api/login HTTP/1.1\r\n${json}Transfer-Encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  ],
  [
    'a chunk without size',
    `POST /api/login HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
  ],
  [
    'a chunk longer than it says',
    `POST /api/login HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n`,
  ],
  [
    'a negative chunk',
    `POST /api/login HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n`,
  ],
  [
    'a chunk extension of 20 KB',
    `POST /api/login HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n\r\n2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
  ],
  [
    'a broken trailer',
    `POST /api/login HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nno trailer\r\n\r\n`,
  ],
];

/** What can be read, though it is unusual: an answer each, and the connection goes on. */
const UNUSUAL: [what: string, bytes: string, status: number][] = [
  ['no Host', 'GET /healthz HTTP/1.1\r\n\r\n', 400],
  ['an absolute target', `GET http://chat.example.com/healthz HTTP/1.1\r\n${host}\r\n`, 200],
  [
    'an absolute target that nobody knows',
    `GET http://chat.example.com/api/nothing HTTP/1.1\r\n${host}\r\n`,
    404,
  ],
  ['an absolute target elsewhere', `GET https://elsewhere.example/healthz HTTP/1.1\r\n${host}\r\n`, 200],
  ['dots in the path', `GET /api/../healthz HTTP/1.1\r\n${host}\r\n`, 404],
  ['escaped dots', `GET /api/user/profile/..%2f..%2fhealthz HTTP/1.1\r\n${host}\r\n`, 404],
  ['a bad escape', `GET /%zz HTTP/1.1\r\n${host}\r\n`, 400],
  ['a bad escape of a push path', `GET /api/push/%zz HTTP/1.1\r\n${host}\r\n`, 400],
  ['an over-long parameter', `GET /api/user/profile/${'x'.repeat(12_000)} HTTP/1.1\r\n${host}\r\n`, 400],
  ['OPTIONS *', `OPTIONS * HTTP/1.1\r\n${host}\r\n`, 404],
  ['OPTIONS', `OPTIONS /api/login HTTP/1.1\r\n${host}Origin: https://elsewhere.example\r\n\r\n`, 404],
  ['TRACE', `TRACE /healthz HTTP/1.1\r\n${host}Cookie: secret\r\n\r\n`, 404],
  ['PROPFIND', `PROPFIND /api/users HTTP/1.1\r\n${host}\r\n`, 404],
  ['QUERY', `QUERY /api/users HTTP/1.1\r\n${host}\r\n`, 400],
  ['an expectation that nobody knows', `GET /healthz HTTP/1.1\r\n${host}Expect: a-miracle\r\n\r\n`, 200],
  [
    'an upgrade that nobody offers',
    `GET /healthz HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`,
    200,
  ],
  ['Accept-Version', `GET /healthz HTTP/1.1\r\n${host}Accept-Version: 9.x\r\n\r\n`, 200],
  ['a body with GET', `GET /healthz HTTP/1.1\r\n${host}Content-Length: 5\r\n\r\nhello`, 200],
  [
    'chunks',
    `POST /api/login HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1;x=y\r\n}\r\n0\r\nX: y\r\n\r\n`,
    400,
  ],
  ['neither length nor chunks', `POST /api/login HTTP/1.1\r\n${json}\r\n`, 400],
  ['a body of another route', `DELETE /api/login HTTP/1.1\r\n${json}Content-Length: 2\r\n\r\n{}`, 404],
];

onSqlite('Bad input: connections', (database) => {
  test('bytes that are no request get one 400 in the envelope, and nothing is stored', async (t) => {
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

  test('what is only unusual is answered, and so is what follows on the same connection', async (t) => {
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

  test('HEAD is answered without a body, CONNECT and HTTP/1.0 with one, and the latter two end', async (t) => {
    const { port } = await listen(t, database);
    using head = await openConnection(port);
    head.write(`HEAD /healthz HTTP/1.1\r\n${host}\r\n${alive}`);
    assert.equal((await head.answer({ isHead: true })).status, 404);
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

  test('a client that waits for it is told to go on with its body', async (t) => {
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

  test('a body that breaks off takes no answer from the requests before it', async (t) => {
    const { port } = await listen(t, database);
    using connection = await openConnection(port);
    const body = register('alice');
    const post = `POST /api/register HTTP/1.1\r\n${json}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    connection.write(`${post}POST /api/login HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n\r\nzz\r\n`);
    const answers = await connection.allAnswers();
    for (const answer of answers)
      assert.notEqual(answer.body.error, 'malformed_request', 'taken for that of register');
  });

  test('whoever goes in the middle of his request is no fault, and nobody else notices', async (t) => {
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
        // Answered when it has read the other's bytes too.
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
