import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../../test/databases.ts';
import { settingsOf, startServer } from '../../../test/processes.ts';
import type { Behaviour } from '../../../test/push-behaviour.ts';
import { startPushService } from '../../../test/push-service.ts';
import { startPushing } from '../../../test/pushing.ts';
import { openPushWorker } from './worker.ts';

/** Ten times the longest wait for anything here, which is for a second. */
const HANGS_MS = 20_000;

onEachDatabase('the push worker', (database) => {
  test('wakes by itself when a push is due again', async (t) => {
    const { pushService, alice, bob, subscribe, write } = await startPushing(t, database, { realTime: true });
    const phone = await subscribe(bob);
    pushService.answerNext(phone.endpoint, { status: 500 });
    await write(alice, bob);
    await pushService.next(phone.endpoint, HANGS_MS);
    assert.equal(pushService.attempts(phone.endpoint).length, 2);
  });

  const ill: Record<string, Behaviour> = {
    hangs: 'hang',
    drips: 'drip',
    'answers a gigabyte': 'flood',
    'answers 429 for a day': { status: 429, headers: { 'retry-after': '86400' } },
  };
  for (const [what, behaviour] of Object.entries(ill))
    test(`a push service that ${what} delays neither other devices nor chat`, async (t) => {
      const { service, pushService, alice, bob, subscribe, write } = await startPushing(t, database, {
        // Longer than the test may take: the hanging request is still in flight when the others are answered.
        world: { pushDeadlineMs: 10 * HANGS_MS },
        realTime: true,
      });
      await using illService = await startPushService();
      const carol = await service.join('carol');
      for (let i = 0; i < 20; i++) {
        const device = illService.subscribe();
        illService.answerAlways(device.endpoint, behaviour);
        await subscribe(i % 2 ? bob : carol, { of: device });
      }
      // One device of the healthy push service fails too.
      const [sick, phone] = [await subscribe(carol), await subscribe(bob)];
      pushService.answerAlways(sick.endpoint, behaviour);
      await write(alice, carol);
      await t.waitFor(() => assert(illService.requests > 0), { interval: 5, timeout: HANGS_MS });
      await write(alice, bob);
      await pushService.next(phone.endpoint, HANGS_MS);
      await write(bob, alice, 'still there?');
    });

  test('a graceful stop returns the jobs that were not sent', async (t) => {
    const { service, pushService, alice, bob, subscribe, write } = await startPushing(t, database, {
      world: { pushDeadlineMs: 500 },
    });
    for (let i = 0; i < 10; i++) pushService.answerAlways((await subscribe(bob)).endpoint, 'hang');
    await write(alice, bob);
    await t.waitFor(() => assert(pushService.requests > 0), { interval: 5, timeout: HANGS_MS });
    await service.pushes[Symbol.asyncDispose]();
    const jobs = await service.services.db.all<{
      leased: number;
      attempts: number;
    }>`select leased, attempts from push_jobs`;
    assert.equal(jobs.length, 10);
    assert(jobs.every((job) => job.leased === 0));
    assert(jobs.some((job) => job.attempts === 0));
  });

  test('jobs in flight when the process was killed are sent after the restart', async (t) => {
    await using pushService = await startPushService();
    const settings = settingsOf(await database.create(t));
    const device = pushService.subscribe();
    pushService.answerAlways(device.endpoint, 'hang');
    {
      await using server = await startServer(settings);
      const join = async (username: string) =>
        (await server.post('/api/register', { username, password: 'secret' })).body.data;
      const [alice, bob] = [await join('alice'), await join('bob')];
      await server.post('/api/push/subscribe', { userId: bob.id, subscription: device }, bob.token);
      await server.post('/api/messages', { to: bob.id, cid: 'one', body: 'hi' }, alice.token);
      await t.waitFor(() => assert.equal(pushService.attempts(device.endpoint).length, 1), {
        interval: 10,
        timeout: HANGS_MS,
      });
      await server.kill();
    }
    pushService.answerAlways(device.endpoint, undefined);
    await using _again = await startServer(settings);
    await pushService.next(device.endpoint, HANGS_MS);
  });

  test('two workers on one database notify each device once', async (t) => {
    const { service, pushService, alice, subscribe, write } = await startPushing(t, database);
    const other = openPushWorker({ ...service.services, publicUrl: 'https://chat.example.org' });
    await other.runDue();
    const people = await Promise.all(Array.from({ length: 12 }, (_, i) => service.join(`person${i}`)));
    const devices = await Promise.all(people.flatMap((person) => [subscribe(person), subscribe(person)]));
    await Promise.all(people.map((person) => write(alice, person)));
    await Promise.all([service.pushes.runDue(), other.runDue()]);
    await other[Symbol.asyncDispose]();
    assert.deepEqual(
      devices.map((device) => pushService.attempts(device.endpoint).length),
      devices.map(() => 1),
    );
    assert.deepEqual(await service.services.db.all`select * from push_jobs`, []);
  });
});
