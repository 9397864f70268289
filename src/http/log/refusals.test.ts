import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onSqlite } from '../../../test/databases.ts';
import { startService } from '../../../test/harness.ts';
import { openSecurityLog } from './security-log.ts';

const MINUTE_MS = 60_000;

test('refusals of many networks are one line: the first 1,000 networks are counted separately, all requests in total', () => {
  const lines: Record<string, unknown>[] = [];
  const log = openSecurityLog({ info() {}, warn: (line: object) => void lines.push({ ...line }) });
  const error = { word: 'rate_limited', limit: 'api' };
  for (let i = 0; i < 100_000; i++) log.refused(error, 'u1', `10.${i >> 8}.${i & 255}.1`);
  for (let i = 0; i < 50; i++) log.refused(error, 'u1', '192.0.2.1');
  for (let i = 0; i < 50; i++) log.refused(error, 'u1', '10.0.0.9');
  log.report();
  assert.equal(lines.length, 1);
  const { refused, otherNetworks, networks } = lines[0] ?? {};
  assert.deepEqual([refused, otherNetworks], [100_100, 100_100 - 51 - 9]);
  assert.deepEqual(Object.entries(networks ?? {})[0], ['10.0.0.0/24', 51]);
  assert.equal(Object.keys(networks ?? {}).length, 10);
});

onSqlite('The log line of the rate limits', (database) => {
  /** A service whose jobs of each minute run when the test says so. */
  async function start(t: TestContext, env: Record<string, string>) {
    const everyMinute: (() => void)[] = [];
    const service = await startService(t, database, {
      env,
      world: {
        monotonicMs: () => 1_000_000,
        every: (ms, run) => {
          if (ms === MINUTE_MS) everyMinute.push(run);
          return { [Symbol.dispose]() {} };
        },
      },
    });
    return {
      service,
      passMinute: () => {
        for (const run of everyMinute) run();
      },
      lines: () =>
        service.logLines
          .map((line) => JSON.parse(line))
          .filter(({ msg }) => msg === 'a rate limit refused requests')
          .map(({ level, limit, setting, refused, networks, otherNetworks }) => ({
            ...{ level, limit, setting, refused, networks },
            ...(otherNetworks !== undefined && { otherNetworks }),
          })),
    };
  }

  test('comes once a minute for each limit that refused requests, with shortened addresses', async (t) => {
    const { service, passMinute, lines } = await start(t, {
      RATE_LIMIT_AUTH: '2/15m',
      RATE_LIMIT_API: '3/1m',
    });
    const body = { username: 'unknown', password: 'x' };
    for (const from of ['198.51.100.7', '198.51.100.8', '2001:db8:1:2::3', '2001:db8:1:9::3'])
      for (let i = 0; i < 5; i++) await service.post('/api/login', body, { from });
    for (let i = 0; i < 7; i++) await service.get('/api/push/public-key', { from: '203.0.113.200' });
    assert.deepEqual(lines(), []);
    passMinute();
    assert.deepEqual(lines(), [
      {
        level: 40,
        limit: 'auth',
        setting: 'RATE_LIMIT_AUTH',
        refused: 12,
        networks: { '198.51.100.0/24': 6, '2001:db8:1::/48': 6 },
      },
      {
        level: 40,
        limit: 'api',
        setting: 'RATE_LIMIT_API',
        refused: 4,
        networks: { '203.0.113.0/24': 4 },
      },
    ]);
    passMinute();
    assert.equal(lines().length, 2);
    await service.post('/api/login', body, { from: '198.51.100.7' });
    passMinute();
    assert.deepEqual(lines()[2]?.networks, { '198.51.100.0/24': 1 });
  });

  test('has the ten networks with the most refusals, and how many the others had', async (t) => {
    const { service, passMinute, lines } = await start(t, { RATE_LIMIT_API: '1/1m' });
    for (let network = 1; network <= 15; network++)
      for (let i = 0; i <= network; i++)
        await service.get('/api/push/public-key', { from: `10.0.${network}.1` });
    passMinute();
    const [line, ...others] = lines();
    assert.deepEqual([others.length, line?.refused, line?.otherNetworks], [0, 120, 15]);
    const shown = Array.from({ length: 10 }, (_, i) => [`10.0.${15 - i}.0/24`, 15 - i]);
    assert.deepEqual(Object.entries(line?.networks ?? {}), shown);
  });

  test('counts refused logins to an account whose password is guessed', async (t) => {
    const { service, passMinute, lines } = await start(t, { RATE_LIMIT_AUTH: '' });
    await service.join('alice');
    const body = { username: 'alice', password: 'a wrong one' };
    for (let i = 1; i <= 8; i++)
      for (let n = 0; n < 5; n++) await service.post('/api/login', body, { from: `10.0.${i}.1` });
    passMinute();
    assert.deepEqual(lines(), [
      {
        level: 40,
        limit: 'account',
        setting: 'RATE_LIMIT_AUTH',
        refused: 9,
        networks: { '10.0.8.0/24': 5, '10.0.7.0/24': 4 },
      },
    ]);
  });

  test('comes for the last minute when the service stops', async (t) => {
    const { service, lines } = await start(t, { RATE_LIMIT_API: '1/1m' });
    for (let i = 0; i < 3; i++) await service.get('/api/push/public-key');
    await service.restart();
    assert.deepEqual(
      lines().map(({ refused, networks }) => [refused, networks]),
      [[2, { '127.0.0.0/24': 2 }]],
    );
  });
});
