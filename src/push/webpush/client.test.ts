import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import type { Behaviour } from '../../../test/push-behaviour.ts';
import { type SubscriptionJson, startPushService } from '../../../test/push-service.ts';
import { buildRequest, openPushClient } from './client.ts';
import { InvalidKeysError } from './encryption.ts';
import type { PushRequest } from './request.ts';
import { makeVapidKeys, openVapid } from './vapid.ts';

const vapid = openVapid({ keys: makeVapidKeys(), subject: 'mailto:admin@example.com', now: Date.now });

function toPush({ endpoint, keys }: SubscriptionJson, text = 'hi') {
  return {
    endpoint,
    ...keys,
    vapid,
    payload: Buffer.from(text),
  };
}

const build = (subscription: SubscriptionJson): Promise<PushRequest> => buildRequest(toPush(subscription));

async function until(met: () => boolean): Promise<void> {
  const end = performance.now() + 20_000;
  while (!met()) {
    assert.ok(performance.now() < end, `never came: ${met}`);
    await new Promise((next) => setTimeout(next, 5));
  }
}

test('a whole push is built from a subscription, and its push service accepts it', async () => {
  await using service = await startPushService();
  await using client = openPushClient({ reach: 'any', ports: [] });
  const subscription = service.subscribe(vapid.publicKey);
  const request = await buildRequest({ ...toPush(subscription, 'Grüße'), topic: 'A-z_09' });
  assert.deepEqual(await client.send(request), { kind: 'accepted', status: 201 });
  const { text, headers } = await service.next(subscription.endpoint, 20_000);
  assert.equal(text, 'Grüße');
  assert.equal(headers.ttl, '86400');
  assert.equal(headers.urgency, 'high');
  assert.equal(headers.topic, 'A-z_09');
  assert.equal(headers['content-encoding'], 'aes128gcm');
  assert.equal(headers['content-type'], 'application/octet-stream');
  assert.equal(headers['content-length'], '110');
});

test('a push out of bounds is not built', async () => {
  await using service = await startPushService();
  const push = toPush(service.subscribe());
  await assert.rejects(buildRequest({ ...push, topic: 'x'.repeat(33) }), RangeError);
  await assert.rejects(buildRequest({ ...push, topic: '' }), RangeError);
  await assert.rejects(buildRequest({ ...push, topic: 'a\r\nb: c' }), RangeError);
  await assert.rejects(buildRequest({ ...push, payload: Buffer.alloc(3994) }), RangeError);
  const noPoint = Buffer.alloc(65, 4).toString('base64url');
  for (const p256dh of [noPoint, 'no Base64'])
    await assert.rejects(buildRequest({ ...push, p256dh }), InvalidKeysError);
});

test('the status of each answer of a push service is reported', async () => {
  await using service = await startPushService();
  await using client = openPushClient({ reach: 'any', ports: [] });
  const subscription = service.subscribe();
  const ask = async (behaviour: Behaviour) => {
    service.answerNext(subscription.endpoint, behaviour);
    return client.send(await build(subscription));
  };
  for (const status of [200, 201, 202, 204])
    assert.deepEqual(await ask({ status }), { kind: 'accepted', status });
  for (const status of [400, 401, 403, 404, 410, 413, 500, 502]) {
    assert.deepEqual(await ask({ status, body: 'no' }), { kind: 'refused', status });
  }
  service.answerNext(subscription.endpoint, { status: 429, headers: { 'retry-after': 'soon' } });
  assert.deepEqual(await client.send(await build(subscription)), {
    kind: 'refused',
    status: 429,
    retryAfter: 'soon',
  });
});

test('a repeated Retry-After is handed on with both values', async () => {
  await using server = createServer((socket) => {
    const refusal = 'HTTP/1.1 429 x\r\nRetry-After: 30\r\nRetry-After: 120\r\nContent-Length: 0\r\n\r\n';
    socket.on('error', () => {}).once('data', () => socket.write(refusal));
  });
  await using client = openPushClient({ reach: 'any', ports: [] });
  assert.deepEqual(await client.send(plain(await listen(server))), {
    kind: 'refused',
    status: 429,
    retryAfter: ['30', '120'],
  });
});

test('a redirect is a refusal and is not followed', async () => {
  await using elsewhere = await startPushService();
  await using service = await startPushService();
  await using client = openPushClient({ reach: 'any', ports: [] });
  const subscription = service.subscribe();
  for (const status of [301, 302, 303, 307, 308]) {
    const location = elsewhere.subscribe().endpoint;
    service.answerNext(subscription.endpoint, { status, headers: { location } });
    assert.deepEqual(await client.send(await build(subscription)), { kind: 'refused', status });
  }
  assert.equal(elsewhere.connections, 0);
});

test('a push service that never answers is left at the deadline, its connection closed', async () => {
  await using service = await startPushService();
  await using client = openPushClient({ reach: 'any', ports: [], deadlineMs: 100 });
  const subscription = service.subscribe();
  service.answerNext(subscription.endpoint, 'hang');
  const answer = await client.send(await build(subscription));
  assert.deepEqual(answer, { kind: 'failed', word: 'timeout' });
  await until(() => service.open === 0);
});

test('an answer that arrives byte by byte is cut off at the deadline; its status counts', async () => {
  await using service = await startPushService();
  await using client = openPushClient({ reach: 'any', ports: [], deadlineMs: 2_000 });
  const subscription = service.subscribe();
  service.answerNext(subscription.endpoint, 'drip');
  const answer = await client.send(await build(subscription));
  assert.ok(answer.kind === 'refused' && answer.status === 500, JSON.stringify(answer));
  await until(() => service.open === 0);
});

test('little is read of an answer of a gigabyte; its status counts', async () => {
  await using service = await startPushService();
  await using client = openPushClient({ reach: 'any', ports: [] });
  const subscription = service.subscribe();
  service.answerNext(subscription.endpoint, 'flood');
  const before = process.memoryUsage().arrayBuffers;
  const answer = await client.send(await build(subscription));
  assert.deepEqual(answer, { kind: 'refused', status: 500 });
  await until(() => service.open === 0);
  assert.ok(process.memoryUsage().arrayBuffers - before < 16_000_000);
});

test('an acceptance resolves at once, whatever follows it', async () => {
  await using server = createServer((socket) => {
    socket
      .on('error', () => {})
      .once('data', () => socket.write('HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\n'));
  });
  const endpoint = await listen(server);
  await using client = openPushClient({ reach: 'any', ports: [], deadlineMs: 60_000 });
  assert.deepEqual(await client.send(plain(endpoint)), { kind: 'accepted', status: 201 });
});

/** Starts a bare server, for answers that no HTTP server gives. */
async function listen(server: ReturnType<typeof createServer>, scheme = 'http'): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/push`; // TCP, so never a pipe's name
}

const plain = (endpoint: string): PushRequest => ({ endpoint, headers: {}, body: Buffer.from('x') });

test('a connection that is refused, or dropped without an answer, has failed to connect', async () => {
  await using client = openPushClient({ reach: 'any', ports: [] });
  await using service = await startPushService();
  const subscription = service.subscribe();
  service.answerNext(subscription.endpoint, 'drop');
  const dropped = await client.send(await build(subscription));
  assert.ok(dropped.kind === 'failed' && dropped.word === 'connect', JSON.stringify(dropped));

  const server = createServer();
  const endpoint = await listen(server);
  await server[Symbol.asyncDispose]();
  const refused = await client.send(plain(endpoint));
  assert.ok(refused.kind === 'failed' && refused.word === 'connect', JSON.stringify(refused));
});

test('an answer that is not HTTP is the failure protocol', async () => {
  await using client = openPushClient({ reach: 'any', ports: [] });
  for (const answer of [
    'SSH-2.0-OpenSSH\r\n',
    'HTTP/1.1 abc\r\n\r\n',
    `HTTP/1.1 201 x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
  ]) {
    await using server = createServer((socket) => {
      socket.on('error', () => {}).once('data', () => socket.end(answer));
    });
    const failed = await client.send(plain(await listen(server)));
    assert.ok(failed.kind === 'failed' && failed.word === 'protocol', JSON.stringify(failed));
  }
  for (const endpoint of ['nonsense', 'ftp://127.0.0.1/', 'http://user@127.0.0.1/']) {
    const failed = await client.send(plain(endpoint));
    assert.ok(failed.kind === 'failed' && failed.word === 'protocol', JSON.stringify(failed));
  }
  const split = await client.send({ ...plain('http://127.0.0.1:9/'), headers: { topic: 'a\r\nb: c' } });
  assert.ok(split.kind === 'failed' && split.word === 'protocol', JSON.stringify(split));
});

test('at most 16 requests are in flight to one origin', async () => {
  await using service = await startPushService();
  await using client = openPushClient({ reach: 'any', ports: [], deadlineMs: 200_000 });
  const subscription = service.subscribe();
  service.answerAlways(subscription.endpoint, 'hang');
  const request = await build(subscription);
  const sending = Array.from({ length: 40 }, () => client.send(request));
  await until(() => service.attempts(subscription.endpoint).length === 16);
  service.answerAlways(subscription.endpoint, undefined);
  service.dropConnections();
  const answers = await Promise.all(sending);
  assert.equal(answers.filter((answer) => answer.kind === 'failed' && answer.word === 'connect').length, 16);
  assert.equal(answers.filter((answer) => answer.kind === 'accepted').length, 24);
  assert.equal(service.mostAtOnce, 16);
});

test('every request that waits for a slot gets one, and connections are used again', async () => {
  await using service = await startPushService();
  await using client = openPushClient({ reach: 'any', ports: [] });
  const request = await build(service.subscribe());
  const answers = await Promise.all(Array.from({ length: 200 }, () => client.send(request)));
  assert.ok(answers.every(({ kind }) => kind === 'accepted'));
  for (let n = 0; n < 50; n++) await client.send(request);
  assert.ok(service.connections <= 16);
});

test('behind requests that hang, nothing waits for a slot beyond the deadline', async () => {
  await using service = await startPushService();
  await using client = openPushClient({ reach: 'any', ports: [], deadlineMs: 2_000, perOrigin: 2 });
  const subscription = service.subscribe();
  service.answerAlways(subscription.endpoint, 'hang');
  const request = await build(subscription);
  const ended: number[] = [];
  const send = async (_: unknown, n: number) => {
    const answer = await client.send(request);
    ended.push(n);
    return answer;
  };
  const answers = await Promise.all(Array.from({ length: 10 }, send));
  assert.ok(answers.every((answer) => answer.kind === 'failed' && answer.word === 'timeout'));
  assert.deepEqual(
    ended.slice(-2),
    [0, 1],
    'those that wait give up while there is still time for an answer',
  );
  assert.equal(service.requests, 2, 'requests past their deadline are not sent at all');
  service.answerAlways(subscription.endpoint, undefined);
  assert.deepEqual(await client.send(request), { kind: 'accepted', status: 201 });
});

test('at 256 origins the one that was idle longest is dropped', async () => {
  await using service = await startPushService();
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
  await using client = openPushClient({ reach: 'any', ports: [], resolve });
  const { port } = new URL(service.origin);
  const sendTo = (n: number) => client.send(plain(`http://push${n}.example:${port}/none`));
  for (let n = 0; n < 256; n++) await sendTo(n);
  await sendTo(0);
  await sendTo(256);
  const before = service.connections;
  await sendTo(0);
  assert.equal(service.connections, before, 'the first was used again, so it stays open');
  await sendTo(1);
  assert.equal(service.connections, before + 1, 'the second was dropped');
});

test('an origin with a request in flight is never dropped; at 256 of them a new one is refused', async () => {
  const held: (() => void)[] = [];
  await using server = createServer((socket) => {
    const answer = (line: string) => socket.write(`HTTP/1.1 ${line}\r\nContent-Length: 0\r\n\r\n`);
    socket
      .on('error', () => {})
      .on('data', (data) => {
        if (data.includes('/hold')) held.push(() => answer('201 Created'));
        else answer('404 Not Found');
      });
  });
  const { port } = new URL(await listen(server));
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
  await using client = openPushClient({ reach: 'any', ports: [], resolve });
  const sendTo = (n: number, path: string) => client.send(plain(`http://push${n}.example:${port}/${path}`));

  const first = sendTo(0, 'hold');
  for (let n = 1; n <= 256; n++) await sendTo(n, 'none');
  await new Promise(setImmediate); // the end of the last answer
  const others = Array.from({ length: 255 }, (_, n) => sendTo(n + 1, 'hold'));
  await until(() => held.length === 256);
  const refused = await sendTo(256, 'none');
  assert.deepEqual(refused, { kind: 'failed', word: 'connect' });
  for (const release of held) release();
  for (const answer of await Promise.all([first, ...others])) {
    assert.deepEqual(answer, { kind: 'accepted', status: 201 });
  }
  assert.deepEqual(await sendTo(256, 'none'), { kind: 'refused', status: 404 });
});

test('a private address is refused before any connection: literal, by name, and by a name that changes', async () => {
  await using service = await startPushService();
  const { port } = new URL(service.origin);
  const answers = [['127.0.0.1'], ['::1', '10.0.0.1'], ['::ffff:127.0.0.1']];
  await using client = openPushClient({
    reach: 'public',
    ports: [Number(port)],
    resolve: async () =>
      (answers.shift() ?? ['127.0.0.1']).map((address) => ({
        address,
        family: address.includes(':') ? 6 : 4,
      })),
  });
  const hosts = [
    '127.0.0.1',
    'localhost',
    '2130706433',
    '[::1]',
    '[::ffff:127.0.0.1]',
    'a.example',
    'b.example',
    'c.example',
    'c.example',
  ];
  for (const host of hosts) {
    const answer = await client.send(plain(`https://${host}:${port}/push`));
    assert.ok(
      answer.kind === 'failed' && answer.word === 'private_address',
      `${host}: ${JSON.stringify(answer)}`,
    );
  }
  const http = await client.send(plain(`http://a.example:${port}/push`));
  assert.ok(http.kind === 'failed' && http.word === 'protocol');
  assert.equal(service.connections, 0);
});

test('a name server that never answers ends at the deadline', async () => {
  await using client = openPushClient({
    reach: 'public',
    ports: [443],
    deadlineMs: 100,
    resolve: () => new Promise(() => {}),
  });
  const answer = await client.send(plain('https://push.example.org/'));
  assert.ok(answer.kind === 'failed' && answer.word === 'timeout');
});

test('a connection that comes after the deadline is closed, and nothing is sent on it', async () => {
  await using service = await startPushService();
  const named = Promise.withResolvers<{ address: string; family: number }[]>();
  await using client = openPushClient({
    reach: 'any',
    ports: [],
    deadlineMs: 50,
    resolve: () => named.promise,
  });
  const { port } = new URL(service.origin);
  const answer = await client.send(plain(`http://push.example:${port}/`));
  assert.deepEqual(answer, { kind: 'failed', word: 'timeout' });
  named.resolve([{ address: '127.0.0.1', family: 4 }]);
  await until(() => service.connections === 1 && service.open === 0);
  assert.equal(service.requests, 0);
});

test('early hints are no answer yet (RFC 9110 15.2)', async () => {
  await using server = createServer((socket) => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n';
    const refusal = 'HTTP/1.1 410 Gone\r\nContent-Length: 4\r\n\r\ngone';
    socket.on('error', () => {}).once('data', () => socket.write(hints + refusal));
  });
  const endpoint = await listen(server);
  await using client = openPushClient({ reach: 'any', ports: [] });
  assert.deepEqual(await client.send(plain(endpoint)), { kind: 'refused', status: 410 });
});

test('https on a port without TLS fails with tls; on a silent port with timeout', async () => {
  await using service = await startPushService();
  await using patient = openPushClient({ reach: 'any', ports: [], deadlineMs: 200_000 });
  const failed = await patient.send(plain(`https://${new URL(service.origin).host}/push`));
  assert.ok(failed.kind === 'failed' && failed.word === 'tls', JSON.stringify(failed));
  await using silent = createServer((socket) => void socket.on('error', () => {}).resume());
  await using client = openPushClient({ reach: 'any', ports: [], deadlineMs: 300 });
  const late = await client.send(plain(await listen(silent, 'https')));
  assert.ok(late.kind === 'failed' && late.word === 'timeout', JSON.stringify(late));
});

test('an untrusted certificate is the failure tls; a trusted one is used, over TLS', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'doorman-tls-'));
  t.after(() => rm(folder, { recursive: true }));
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const made =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=push -addext';
  const args = [...made.split(' '), 'subjectAltName=IP:127.0.0.1', '-keyout', keyFile, '-out', certFile];
  const failure = await promisify(execFile)('openssl', args).then(
    () => undefined,
    (error: Error) => error,
  );
  if (failure) return t.skip('needs openssl: apt-get install openssl');
  const tls = { key: await readFile(keyFile, 'utf8'), cert: await readFile(certFile, 'utf8') };
  await using service = await startPushService({ tls });
  await using client = openPushClient({ reach: 'any', ports: [] });
  const subscription = service.subscribe(vapid.publicKey);
  const failed = await client.send(await build(subscription));
  assert.ok(failed.kind === 'failed' && failed.word === 'tls', JSON.stringify(failed));
  assert.equal(service.requests, 0);

  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, tls.cert]);
  t.after(() => setDefaultCACertificates(trusted));
  await using trusting = openPushClient({ reach: 'any', ports: [] });
  assert.deepEqual(await trusting.send(await build(subscription)), { kind: 'accepted', status: 201 });
});

test('closing the client ends requests in flight and refuses new ones', async () => {
  await using service = await startPushService();
  const client = openPushClient({ reach: 'any', ports: [] });
  const subscription = service.subscribe();
  service.answerNext(subscription.endpoint, 'hang');
  const inFlight = client.send(await build(subscription));
  await until(() => service.attempts(subscription.endpoint).length === 1);
  await client[Symbol.asyncDispose]();
  const ended = await inFlight;
  assert.ok(ended.kind === 'failed' && ended.word === 'connect', JSON.stringify(ended));
  const after = await client.send(await build(subscription));
  assert.deepEqual(after, { kind: 'failed', word: 'connect' });
  await until(() => service.open === 0);
});
