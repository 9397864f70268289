import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RateLimit, SlidingLog } from '../limits/sliding-log.ts';
import { openLog } from '../log.ts';
import { callerOf, disconnectSignal, guardRequests } from './authenticate.ts';
import { openServer } from './server.ts';

const alice = { userId: 'alice', sessionId: 's1', expiresAt: Number.MAX_SAFE_INTEGER };

/** A guarded server with some routes, which accepts one token. */
function startGuarded({
  cached = false,
  fails = false,
  api = new SlidingLog({ limit: 100, windowMs: 60_000 }, () => 0),
}: {
  cached?: boolean;
  fails?: boolean;
  api?: RateLimit;
} = {}) {
  const lines: string[] = [];
  const app = openServer(openLog('debug', { write: (line: string) => void lines.push(line) }));
  guardRequests(app, {
    authentication: {
      recall: (token) => (cached && token === 'good' ? alice : undefined),
      identify: async (token) => {
        if (fails) throw new Error('the database cannot be reached');
        return token === 'good' ? alice : undefined;
      },
    },
    apiKeys: { find: async () => undefined },
    limits: { api, auth: null, pictureReads: null, keys: null, proxyWarnings: { look() {}, noteUser() {} } },
  });
  const whoami = async (request: Parameters<typeof callerOf>[0]) => ({
    code: 200,
    id: callerOf(request).userId,
  });
  app.get('/api/closed', whoami);
  app.get('/closed', whoami);
  app.get('/api/open', { config: { access: 'public' } }, async ({ caller }) => ({
    code: 200,
    id: caller?.userId ?? null,
  }));
  app.get('/api/mistaken', { config: { access: 'public' } }, whoami);
  const get = (url: string, token?: string) =>
    app.inject({ url, headers: token === undefined ? {} : { authorization: `Bearer ${token}` } });
  return { app, get, lines };
}

test('a route is closed unless its definition opens it, under any path', async () => {
  const { get } = startGuarded();
  for (const url of ['/api/closed', '/closed']) {
    assert.equal((await get(url)).statusCode, 401, url);
    assert.equal((await get(url, 'bad')).statusCode, 401, url);
    assert.deepEqual((await get(url, 'good')).json(), { code: 200, id: 'alice' });
  }
});

test('each 401 names the scheme by which a caller authenticates', async () => {
  const { get } = startGuarded();
  for (const token of [undefined, 'bad']) {
    const { statusCode, headers } = await get('/api/closed', token);
    assert.deepEqual([statusCode, headers['www-authenticate']], [401, 'Bearer']);
  }
  assert.equal((await get('/api/closed', 'good')).headers['www-authenticate'], undefined);
  assert.equal((await get('/api/nothing')).headers['www-authenticate'], undefined);
});

test('a public route has its caller if there is one, cached or not', async () => {
  for (const cached of [true, false]) {
    const { get } = startGuarded({ cached });
    assert.deepEqual((await get('/api/open', 'good')).json(), { code: 200, id: 'alice' });
    for (const token of [undefined, 'bad'])
      assert.deepEqual((await get('/api/open', token)).json(), { code: 200, id: null });
  }
});

test('a public route that requires a caller fails instead of serving others', async () => {
  const { get, lines } = startGuarded();
  assert.equal((await get('/api/mistaken')).statusCode, 500);
  assert.ok(lines.some((line) => line.includes('a public route requires a caller')));
});

test('when identification fails, a request is refused with a 500 in the envelope', async () => {
  const { get } = startGuarded({ fails: true });
  for (const url of ['/api/closed', '/api/open', '/api/%zz']) {
    const answer = await get(url, 'good');
    assert.deepEqual(answer.json(), { code: 500, error: 'internal', msg: '服务器内部错误' }, url);
  }
});

test('a caller without a token is not taken for the caller before', async () => {
  const { get } = startGuarded({ cached: true });
  const answers = await Promise.all([
    get('/api/open', 'good'),
    get('/api/open'),
    get('/api/open', 'good'),
    get('/api/open'),
  ]);
  assert.deepEqual(
    answers.map((answer) => answer.json().id),
    ['alice', null, 'alice', null],
  );
});

test('a limit that answers later guards as one that answers at once', async () => {
  for (const cached of [true, false]) {
    const log = new SlidingLog({ limit: 2, windowMs: 60_000 }, () => 0);
    const { limit, windowMs } = log;
    const { get } = startGuarded({
      cached,
      api: { limit, windowMs, take: async (key) => log.take(key) },
    });
    const answers = [await get('/api/closed', 'good'), await get('/api/closed', 'good')];
    const refused = await get('/api/closed', 'good');
    assert.deepEqual(
      [...answers, refused].map(({ statusCode, headers }) => [statusCode, headers.ratelimit]),
      [
        [200, '"api";r=1;t=60'],
        [200, '"api";r=0;t=60'],
        [429, '"api";r=0;t=60'],
      ],
    );
    assert.equal(refused.headers['retry-after'], '60');
    assert.equal((await get('/api/closed')).statusCode, 401);
  }
});

test('the signal aborts when a client disconnects before its answer, and not after it', async (t) => {
  const { app } = startGuarded();
  const signals: AbortSignal[] = [];
  const arrived = Promise.withResolvers<void>();
  app.get('/waits', { config: { access: 'public' } }, async (request, reply) => {
    const signal = disconnectSignal(reply);
    signals.push(signal);
    if (request.headers['x-quick']) return { code: 200 };
    arrived.resolve();
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  t.after(() => app.close());
  assert.equal((await fetch(`${url}/waits`, { headers: { 'x-quick': '1' } })).status, 200);
  const leaving = new AbortController();
  const call = fetch(`${url}/waits`, { signal: leaving.signal });
  await arrived.promise;
  leaving.abort();
  await assert.rejects(call);
  if (!signals[1]?.aborted) await new Promise((resolve) => signals[1]?.addEventListener('abort', resolve));
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [false, true],
  );
});
