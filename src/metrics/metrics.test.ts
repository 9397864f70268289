import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { type DatabaseSettings, onPostgres, onSqlite } from '../../test/databases.ts';
import { Device } from '../../test/devices.ts';
import { eventually } from '../../test/eventually.ts';
import { startService } from '../../test/harness.ts';
import { launchServer, settingsOf, startServer } from '../../test/processes.ts';
import { metricsUrlOf, type Scrape, scrape } from '../../test/scrape.ts';
import { serveMetrics } from './metrics-server.ts';

const REQUESTS = 'http_server_request_duration_seconds_count';

onSqlite('/metrics', (database) => {
  const start = (settings: DatabaseSettings, env: Record<string, string> = {}) =>
    startServer(settingsOf(settings, { METRICS_PORT: '0', ...env }));

  test('counts what the service did, without the name of a user or an address', async (t) => {
    await using server = await start(await database.create(t), {
      RATE_LIMIT_AUTH: '3/1h',
      DELETION_GRACE: '0',
    });
    const url = await metricsUrlOf(server);
    const register = async (username: string) =>
      (await server.post('/api/register', { username, password: 'a-password' })).body.data;
    const [alice, bob] = [await register('alice-in-wonderland'), await register('bob-the-builder')];
    const device = new Device(alice);
    await device.enter(server.url);
    const message = { to: alice.id, cid: crypto.randomUUID(), body: 'a text' };
    assert.equal((await server.post('/api/messages', message, bob.token)).status, 200);
    await eventually(() => device.messages.length === 1);
    await server.get(`/api/user/profile/${bob.id}`);
    for (const method of ['PROPFIND', 'PUT']) await fetch(`${server.url}/api/of/${alice.id}`, { method });
    for (const password of ['wrong-1', 'wrong-2'])
      await server.post('/api/login', { username: 'alice-in-wonderland', password });

    const { text, value } = await scrapeUntil(url, ({ samples }) =>
      samples.some(
        ({ labels }) => labels.http_route === '/api/login' && labels.http_response_status_code === '429',
      ),
    );
    const requests = (http_request_method: string, http_route: string, http_response_status_code: string) =>
      value(REQUESTS, { http_request_method, http_route, http_response_status_code });
    assert.equal(requests('POST', '/api/register', '200'), 2);
    assert.equal(requests('POST', '/api/messages', '200'), 1);
    assert.equal(requests('GET', '/api/user/profile/:userId', '200'), 1);
    assert.equal(requests('_OTHER', 'none', '404'), 2);
    assert.equal(requests('POST', '/api/login', '429'), 1);
    assert.equal(value('doorman_refusals_total', { limit: 'auth' }), 1);
    assert.equal(value('doorman_refusals_total', { limit: 'other' }), 0);
    assert.equal(value('doorman_sockets'), 1);
    assert.equal(value('doorman_sockets_opened_total'), 1);
    assert.equal(value('doorman_socket_devices'), 1);
    assert.equal(value('doorman_socket_users'), 1);
    assert.equal(value('doorman_events_appended_total', { event: 'message' }), 2);
    // The device acknowledges the message, which may be an event of its own by now.
    const delivered = value('doorman_events_delivered_total', { kind: 'live' });
    assert.ok(delivered >= 1);
    assert.equal(value('doorman_delivery_lag_seconds_count'), delivered);
    assert.equal(value('doorman_delivery_lag_seconds_bucket', { le: '+Inf' }), delivered);
    assert.ok(value('doorman_database_commits_total') > 0);
    assert.ok(value('doorman_database_transactions_total') >= value('doorman_database_commits_total'));
    assert.ok(value('db_client_operation_duration_seconds_count', { db_operation_name: 'transaction' }) > 0);
    for (const name of [alice.id, bob.id, 'alice', 'bob', '127.0.0.1']) assert.ok(!text.includes(name), name);
    await device.leave();
    await scrapeUntil(url, ({ value }) => value('doorman_sockets') === 0);
    assert.equal(value('doorman_erasures_total'), 0);
    assert.equal((await server.post('/api/account/delete', {}, bob.token)).status, 200);
    await scrapeUntil(url, ({ value }) => value('doorman_erasures_total') === 1);
  });

  test('nothing else is served on its port, and it ends with the service', async (t) => {
    await using server = await start(await database.create(t));
    const url = await metricsUrlOf(server);
    assert.notEqual(new URL(url).port, new URL(server.url).port);
    const statusOf = async (path: string, method: string) =>
      (await fetch(new URL(path, url), { method })).status;
    for (const [path, method, status] of [
      ['/metrics', 'GET', 200],
      ['/metrics?name=x', 'GET', 200],
      ['/metrics', 'HEAD', 200],
      ['/metrics', 'POST', 404],
      ['/', 'GET', 404],
      ['/healthz', 'GET', 404],
    ] as const)
      assert.equal(await statusOf(path, method), status, `${method} ${path}`);
    assert.equal((await server.get('/metrics')).status, 404);

    await using second = launchServer(
      settingsOf(await database.create(t), { METRICS_PORT: new URL(url).port }),
    );
    assert.deepEqual(await second.ended.then(({ code, errors }) => [code, errors]), [
      1,
      `Doorman could not start: Port ${new URL(url).port} of 127.0.0.1 is in use: stop the program that uses it, or set another METRICS_PORT.\n`,
    ]);

    server.child.kill('SIGTERM');
    assert.equal((await server.ended).code, 0);
    await assert.rejects(fetch(url));
  });

  test('on loopback it answers only calls that name an address or localhost', async (t) => {
    await using server = await start(await database.create(t));
    const { port } = new URL(await metricsUrlOf(server));
    const statusOf = async (host: string) => {
      const sent = request({
        host: '127.0.0.1',
        port,
        path: '/metrics',
        agent: false,
        headers: { host },
      }).end();
      const [response]: IncomingMessage[] = await once(sent, 'response');
      response?.resume();
      return response?.statusCode;
    };
    for (const host of [
      '127.0.0.1',
      `127.0.0.1:${port}`,
      '10.0.0.1',
      '[::1]:9464',
      'localhost',
      `LocalHost:${port}`,
    ])
      assert.equal(await statusOf(host), 200, host);
    for (const host of [
      'rebound.example.com',
      `rebound.example.com:${port}`,
      'localhost.example.com',
      '127.0.0.1.example.com',
      '::1',
      '[localhost]',
    ])
      assert.equal(await statusOf(host), 404, host);
  });

  test('elsewhere it answers whatever name leads to it', async () => {
    const metrics = { contentType: 'text/plain', render: async () => 'up 1\n' };
    await using server = await serveMetrics({ host: '0.0.0.0', port: 0 }, metrics, (error) =>
      assert.fail(String(error)),
    );
    const { port } = new URL(server.url);
    const sent = request({ host: '127.0.0.1', port, path: '/metrics', headers: { host: 'node1' } }).end();
    const [response]: IncomingMessage[] = await once(sent, 'response');
    assert.ok(response);
    assert.equal(await text(response), 'up 1\n');
  });

  test('while it is off nothing is measured, and its library is not loaded', async (t) => {
    const { services } = await startService(t, database);
    assert.equal(services.push.figures, null);
    assert.equal(services.db.figures().durations, undefined);
    const loaded = `
      await import('./src/server-process.ts');
      const { _cache } = (await import('node:module')).default;
      console.log(Object.keys(_cache).filter((path) => path.includes('prom-client')).length);`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', loaded]);
    assert.equal(stdout, '0\n');
  });
});

onPostgres('/metrics', (database) => {
  test('shows the pools and the commits', async (t) => {
    await using server = await startServer(settingsOf(await database.create(t), { METRICS_PORT: '0' }));
    await server.post('/api/register', { username: 'alice', password: 'a-password' });
    // A periodic job may use a connection at the moment of a scrape.
    const { value } = await scrapeUntil(
      await metricsUrlOf(server),
      ({ value }) => value('doorman_pool_connections', { pool: 'transactions', state: 'idle' }) >= 1,
    );
    for (const pool of ['transactions', 'writes', 'reads']) {
      assert.ok(value('doorman_pool_connections_max', { pool }) > 0);
      assert.equal(value('doorman_pool_waiting', { pool }), 0);
    }
    assert.ok(value('doorman_database_commits_total') > 0);
    const system = { db_system_name: 'postgresql', db_operation_name: 'transaction' };
    assert.ok(value('db_client_operation_duration_seconds_count', system) > 0);
  });
});

/** The answer of a call may arrive before it is counted. */
async function scrapeUntil(url: string, isRight: (scraped: Scrape) => boolean): Promise<Scrape> {
  let scraped = await scrape(url);
  await eventually(async () => {
    scraped = await scrape(url);
    return isRight(scraped);
  });
  return scraped;
}
