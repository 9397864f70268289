import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onNodes } from '../../test/databases.ts';
import { disposeAfter } from '../../test/dispose-after.ts';
import { eventually } from '../../test/eventually.ts';
import { type Answer, startService } from '../../test/harness.ts';
import { nodeTimesOf } from '../../test/nodes.ts';
import { startRedis } from '../../test/redis-server.ts';
import type { World } from '../services.ts';

onNodes('Limits of a service', (database) => {
  /** Each call goes to the next of three nodes. */
  const start = (t: TestContext, env: Record<string, string>, world: World = {}) =>
    startService(t, database, { env, world });

  async function statuses(answers: Iterable<Promise<Answer>>): Promise<Record<number, number>> {
    const counts: Record<number, number> = {};
    for (const { status } of await Promise.all(answers)) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  }

  const times = <T>(count: number, run: (i: number) => T) => Array.from({ length: count }, (_, i) => run(i));

  test('calls of a user are at most a quarter above the limit, at once or one by one', async (t) => {
    const service = await start(t, { RATE_LIMIT_API: '30/15m' });
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const atOnce = await statuses(times(90, () => service.get('/api/user/blocked', alice)));
    assert.ok(Number(atOnce[200]) >= 30 && Number(atOnce[200]) <= 37, JSON.stringify(atOnce));
    let admitted = 0;
    for (let i = 0; i < 60; i++) {
      const { status, headers } = await service.get('/api/user/blocked', bob);
      const left = Number(/^"api";r=(\d+);t=\d+$/.exec(String(headers.ratelimit))?.[1]);
      if (status === 200) admitted++;
      // Without what the other nodes admitted since this one's last exchange.
      assert.ok(left <= Math.max(0, 36 - admitted), `${left} left after ${admitted}`);
      assert.equal(status === 429, headers['retry-after'] !== undefined);
    }
    assert.ok(admitted >= 30 && admitted <= 37, String(admitted));
  });

  test('registrations of an address, wrong old passwords and guesses of an account are as many as on one server', async (t) => {
    const service = await start(t, { RATE_LIMIT_AUTH: '20/15m' });
    const register = (username: string) =>
      service.post('/api/register', { username, password: 'a password' }, { from: '203.0.113.9' });
    assert.deepEqual(await statuses(times(40, (i) => register(`user${i}`))), { 200: 20, 429: 20 });

    const alice = await service.join('alice');
    const change = { oldPassword: 'a wrong one', newPassword: 'another password' };
    const changes = times(25, () => service.post('/api/user/change-password', change, alice));
    assert.deepEqual(await statuses(changes), { 400: 10, 429: 15 });

    const guesses = times(120, (i) =>
      service.post('/api/login', { username: 'alice', password: 'a guess' }, { from: `192.0.2.${i % 40}` }),
    );
    assert.deepEqual(await statuses(guesses), { 400: 31, 429: 89 });
  });

  test('messages of a sender are at most a quarter above 30 in 10 s', async (t) => {
    const service = await start(t, {});
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const sent = await statuses(
      times(90, (i) => service.post('/api/messages', { to: bob.id, cid: `c${i}`, body: 'hello' }, alice)),
    );
    assert.ok(Number(sent[200]) >= 30 && Number(sent[200]) <= 37, JSON.stringify(sent));
  });

  test('while Redis does not answer, or is away, each node counts by itself and no call waits for it again', async (t) => {
    const redis = await startRedis();
    disposeAfter(t, redis);
    const env = { RATE_LIMIT_API: '10/15m', RATE_LIMIT_AUTH: '40/15m', REDIS_URL: redis.url };
    const nodeTimes = { ...nodeTimesOf(), limitMs: 1_000 };
    const service = await start(t, env, { nodeTimes });
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const call = (person: { token: string }) =>
      statuses(times(60, () => service.get('/api/user/blocked', person)));
    assert.equal(await redis.command('CLIENT PAUSE 60000'), '+OK');
    assert.deepEqual(await call(alice), { 200: 30, 429: 30 });
    await redis.restart(async () => {
      const isDown = () => service.nodes.every(({ services }) => services.nodes?.link.isUp === false);
      await eventually(isDown);
      assert.deepEqual(await call(bob), { 200: 30, 429: 30 });
      assert.equal(
        (await service.post('/api/login', { username: 'bob', password: bob.password })).status,
        200,
      );
    });
    await eventually(() => service.nodes.every(({ services }) => services.nodes?.link.isUp === true));
    // The new Redis knows no calls, and each node its own.
    assert.deepEqual(await call(alice), { 429: 60 });
    const carol = await service.join('carol');
    const admitted = Number((await call(carol))[200]);
    assert.ok(admitted >= 10 && admitted <= 12, String(admitted));
  });
});
