import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openConnection, type RawConnection } from '../../test/bad-input/raw-connection.ts';
import { eventually } from '../../test/eventually.ts';
import { SAMPLES } from '../../test/picture-samples.ts';
import { type App, openServer } from '../http/server.ts';
import { openLog } from '../log.ts';
import { PictureUploads, pictureBodyOf, takePictureBodies } from './uploads.ts';

const MAX_BYTES = 100_000;

/** A server with one route for pictures; the user is who the header `user` names. */
async function startUploads(t: TestContext, maxBodyMs?: number, judge = () => {}) {
  const app = openServer(openLog('silent'));
  const uploads = new PictureUploads(null, () => true, maxBodyMs);
  app.decorateRequest('caller', null);
  app.addHook('onRequest', async (request) => {
    request.caller = { userId: String(request.headers.user), sessionId: '', expiresAt: 0 };
  });
  const taken: string[] = [];
  app.register(async (plugin: App) => {
    takePictureBodies(plugin);
    plugin.post('/pictures', { onRequest: uploads.admit, bodyLimit: MAX_BYTES }, async (request) => {
      const { type, bytes } = pictureBodyOf(request);
      judge();
      taken.push(`${type} ${bytes.length}`);
      return { code: 200 };
    });
  });
  t.after(() => {
    app.server.closeAllConnections();
    return app.close();
  });
  const port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port);

  /** Sends a head, and as much of the body as is given. */
  async function begin(user: string, body: Buffer = Buffer.alloc(0), length = MAX_BYTES, type = 'image/png') {
    const connection = await openConnection(port);
    t.after(() => connection[Symbol.dispose]());
    connection.write(
      `POST /pictures HTTP/1.1\r\nhost: a\r\nuser: ${user}\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n`,
    );
    connection.write(body);
    return connection;
  }
  const upload = async (user: string) => {
    const { bytes } = SAMPLES.canvasPng;
    return wordOf(await begin(user, bytes, bytes.length));
  };
  return { app, port, taken, begin, upload };
}

async function wordOf(connection: RawConnection): Promise<string> {
  const { body } = await connection.answer();
  return body.error ?? 'ok';
}

test('a user uploads two pictures at a time, and each connection that ends gives its place back', async (t) => {
  const { begin, upload } = await startUploads(t);
  const running = [await begin('alice', Buffer.of(1)), await begin('alice')];
  await eventually(async () => (await upload('alice')) === 'too_many_pictures');
  assert.equal(await upload('bob'), 'ok');
  running[0]?.socket.destroy();
  await eventually(async () => (await upload('alice')) === 'ok');
  await begin('alice');
  await eventually(async () => (await upload('alice')) === 'too_many_pictures');
  running[1]?.write(Buffer.alloc(MAX_BYTES));
  assert.equal(
    running[1] && (await wordOf(running[1])),
    'ok',
    'the route judges the content, not the parser',
  );
  assert.equal(await upload('alice'), 'ok');
});

test('a process takes 32 at a time', async (t) => {
  const { begin, upload } = await startUploads(t);
  const running = await Promise.all(Array.from({ length: 32 }, (_, i) => begin(`user${i >> 1}`)));
  await eventually(async () => (await upload('bob')) === 'overloaded');
  running[7]?.socket.destroy();
  await eventually(async () => (await upload('bob')) === 'ok');
});

test('a body that takes too long is refused, and its place is free', async (t) => {
  const { begin, upload } = await startUploads(t, 50);
  const slow = [await begin('alice', Buffer.of(1)), await begin('alice')];
  for (const connection of slow) {
    const answers = await connection.allAnswers();
    assert.deepEqual(
      answers.map(({ status, body, headers }) => [status, body.error, headers.connection]),
      [[400, 'malformed_request', 'close']],
    );
  }
  await eventually(async () => (await upload('alice')) === 'ok');
});

test('a body that arrived in time may take longer to be judged', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { app, taken } = await startUploads(t, 100, () => t.mock.timers.tick(101));
  let late = 0;
  app.server.on('clientError', () => late++);
  const { statusCode } = await app.inject({
    method: 'POST',
    url: '/pictures',
    headers: { user: 'alice', 'content-type': 'image/png' },
    payload: Buffer.of(1),
  });
  assert.deepEqual([statusCode, taken.length, late], [200, 1, 0]);
});

test('what is no picture is refused before its body, which is never parsed', async (t) => {
  const { begin, taken, app } = await startUploads(t);
  for (const type of [
    'application/json',
    'image/svg+xml',
    'image/gif',
    'image/*',
    'text/plain',
    'multipart/form-data; boundary=a',
    'image/pngx',
    'nonsense',
  ])
    assert.equal(await wordOf(await begin('alice', Buffer.from('{"a":1}'), 7, type)), 'picture_type', type);
  const without = await app.inject({ method: 'POST', url: '/pictures', headers: { user: 'alice' } });
  assert.deepEqual([without.statusCode, without.json().error], [400, 'picture_type']);
  assert.equal(await wordOf(await begin('alice', Buffer.alloc(0), MAX_BYTES + 1)), 'picture_too_large');
  assert.deepEqual(taken, []);
  assert.equal(await wordOf(await begin('alice', Buffer.of(1), 1, 'image/webp; a=b')), 'ok');
  assert.deepEqual(taken, ['image/webp 1']);
});

test('a body in chunks is refused as soon as it is too large', async (t) => {
  const { port, taken } = await startUploads(t);
  const connection = await openConnection(port);
  t.after(() => connection[Symbol.dispose]());
  connection.write(
    'POST /pictures HTTP/1.1\r\nhost: a\r\nuser: alice\r\ncontent-type: image/png\r\ntransfer-encoding: chunked\r\n\r\n',
  );
  const size = 50_001;
  for (let i = 0; i < 2; i++)
    connection.write(
      Buffer.concat([Buffer.from(`${size.toString(16)}\r\n`), Buffer.alloc(size), Buffer.from('\r\n')]),
    );
  assert.equal(await wordOf(connection), 'picture_too_large');
  assert.deepEqual(taken, []);
});
