import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { Type } from 'typebox';
import { openConnection } from '../../test/bad-input/raw-connection.ts';
import { ServiceError } from '../errors.ts';
import { openLog } from '../log.ts';
import { openServer } from './server.ts';

const host = 'Host: chat.example.com\r\n';

/** The server with the routes of this test alone. */
async function startBare(t: TestContext, options: { requestTimeoutMs?: number } = {}) {
  const lines: string[] = [];
  const log = openLog('debug', { write: (line: string) => void lines.push(line) });
  const app = openServer(log, options);
  const Echo = Type.Object({ word: Type.String() });
  app.post('/echo', {
    schema: { body: Echo },
    handler: async (request) => ({ code: 200, word: request.body.word }),
  });
  app.get('/fault', async () => {
    throw Object.assign(new Error('the disk is full'), {
      detail: 'row (secret)',
      cause: new TypeError('no space'),
    });
  });
  app.get('/thrown', async () => {
    throw 'a string';
  });
  app.get('/busy', async () => {
    throw new ServiceError('rate-limited', 'overloaded', '服务繁忙，请稍后再试', { retryAfterSeconds: 2.1 });
  });
  app.get('/begun', (_request, reply) => {
    reply.hijack();
    reply.raw.writeHead(200, { 'content-length': 1_000 }).write('some of it');
  });
  t.after(() => {
    app.server.closeAllConnections();
    return app.close();
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return { app, lines, port: Number(new URL(url).port) };
}

test('a fault is a bare 500 for the caller, and complete in the log, except values in the error', async (t) => {
  const { app, lines } = await startBare(t);
  const answer = await app.inject('/fault');
  assert.equal(answer.payload, '{"code":500,"error":"internal","msg":"服务器内部错误"}');
  const [line] = lines.map((one) => JSON.parse(one)).filter(({ msg }) => msg === 'fault');
  assert.equal(line.err.message, 'the disk is full');
  assert.match(line.err.stack, /server\.test\.ts/);
  assert.equal(line.requestId, answer.headers['x-request-id']);
  assert.deepEqual([line.method, line.route], ['GET', '/fault']);
  assert.ok(!JSON.stringify(line).includes('secret'));
  assert.equal((await app.inject('/thrown')).statusCode, 500);
});

test('a refusal has a retry-after in whole seconds', async (t) => {
  const { app } = await startBare(t);
  const { statusCode, headers, payload } = await app.inject('/busy');
  assert.equal(statusCode, 429);
  assert.equal(headers['retry-after'], '3');
  assert.equal(payload, '{"code":429,"error":"overloaded","msg":"服务繁忙，请稍后再试"}');
});

test('every answer has an id of its own', async (t) => {
  const { app } = await startBare(t);
  const answers = await Promise.all(
    ['/fault', '/%zz', '/none', '/busy', '/busy'].map((path) => app.inject(path)),
  );
  const ids = answers.map(({ headers }) => headers['x-request-id']);
  assert.equal(new Set(ids).size, 5);
  for (const id of ids) assert.match(String(id), /^[0-9a-f]{8}-[0-9a-z]+$/);
});

test('a request that does not arrive in time gets a 400', async (t) => {
  const { port } = await startBare(t, { requestTimeoutMs: 300 });
  const slow = [
    '',
    'GET /',
    `GET /busy HTTP/1.1\r\n${host}X: y\r\n`,
    `POST /echo HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{"word":`,
  ];
  await Promise.all(
    slow.map(async (bytes) => {
      using connection = await openConnection(port);
      if (bytes) connection.write(bytes);
      const answers = await connection.allAnswers();
      assert.deepEqual(
        answers.map(({ text }) => text),
        ['{"code":400,"error":"malformed_request","msg":"请求格式不正确"}'],
        bytes,
      );
    }),
  );
});

test('a request that arrives byte by byte is too slow as well, and delays no other request', async (t) => {
  // The other request has the same limit, which a busy machine must not reach.
  const { port, lines } = await startBare(t, { requestTimeoutMs: 3_000 });
  using connection = await openConnection(port);
  connection.write(`GET /busy HTTP/1.1\r\n${host}X: `);
  const slowWrites = setInterval(() => connection.write('x'), 20);
  t.after(() => clearInterval(slowWrites));
  assert.equal((await fetch(`http://127.0.0.1:${port}/busy`)).status, 429);
  const [answer] = await connection.allAnswers();
  assert.equal(answer?.status, 400);
  assert.deepEqual(
    lines.filter((line) => JSON.parse(line).level >= 40),
    [],
  );
});

test('after a started answer a broken request gets no second answer', async (t) => {
  const { port } = await startBare(t);
  using connection = await openConnection(port);
  let received = '';
  connection.socket.on('data', (chunk) => {
    received += chunk;
    if (received.endsWith('some of it')) connection.write('nonsense\r\n');
  });
  connection.write(`GET /begun HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`);
  await once(connection.socket, 'close');
  assert.match(received, /some of it$/);
});
