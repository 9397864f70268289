import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { onEachDatabase } from '../../../test/databases.ts';
import { disposeAfter } from '../../../test/dispose-after.ts';
import { startPushService } from '../../../test/push-service.ts';
import { startPushing } from '../../../test/pushing.ts';
import type { Db } from '../../db/db.ts';
import { Events } from '../../events/hints.ts';
import { DueWork } from './due-work.ts';
import { openPushWorker } from './worker.ts';

onEachDatabase('the passes of the push worker', (database) => {
  test('results that come one after another do not keep a message from being decided', async (t) => {
    const { service, alice, bob, subscribe, write } = await startPushing(t, database, { realTime: true });
    const { services, pushes } = service;
    await using other = await startPushService();
    const carol = await service.join('carol');
    for (let i = 0; i < 15; i++) await subscribe(bob);
    const tablet = await subscribe(carol, { of: other.subscribe() });
    await pushes[Symbol.asyncDispose]();

    const sent: string[] = [];
    let answered = Promise.resolve();
    const client = {
      ...services.push.client,
      send: async ({ endpoint }: { endpoint: string }) => {
        sent.push(endpoint);
        answered = answered.then(() => delay(20));
        await answered;
        return { kind: 'accepted', status: 201 } as const;
      },
    };
    // A disk on which a commit takes longer than the next result.
    const { transaction } = services.db;
    t.mock.method(services.db, 'transaction', async (body: Parameters<Db['transaction']>[0]) => {
      const result = await transaction.call(services.db, body);
      await delay(50);
      return result;
    });
    const push = { ...services.push, client };
    const worker = openPushWorker({ ...services, push, publicUrl: 'https://chat.example.org' });
    disposeAfter(t, worker);
    const senders = [alice, ...(await Promise.all(['dan', 'eve'].map((name) => service.join(name))))];
    for (const sender of senders) await write(sender, bob);
    await t.waitFor(() => assert(sent.length >= 12), { interval: 5, timeout: 20_000 });
    await write(alice, carol);
    await worker.runDue();
    assert.equal(sent.length, 46);
    assert(sent.indexOf(tablet.endpoint) < 45, 'it was sent last');
  });

  test('a wake-up while a pass ends starts another one', async (t) => {
    const { service } = await startPushing(t, database);
    const { services, pushes } = service;
    await pushes[Symbol.asyncDispose]();
    const events = new Events();
    let [looks, lookOfWakeUp, microtasks] = [0, 0, 0];
    const wakeUp = async () => {
      for (let i = 0; i < microtasks; i++) await undefined;
      events.publish({ type: 'clock-step' });
    };
    const now = () => {
      looks += 1;
      if (looks === lookOfWakeUp) void wakeUp();
      return services.clock.now();
    };
    let passes = 0;
    t.mock.method(services.push.attention, 'drain', () => {
      passes += 1;
      return [];
    });
    const clock = { ...services.clock, now };
    const worker = openPushWorker({ ...services, clock, events, publicUrl: 'https://chat.example.org' });
    disposeAfter(t, worker);
    await worker.runDue();
    looks = 0;
    await worker.runDue();
    // Once more it was looked at after the pass.
    const looksOfPass = looks - 1;
    for (microtasks = 1; microtasks <= 4; microtasks++) {
      await worker.runDue();
      [looks, passes, lookOfWakeUp] = [0, 0, looksOfPass];
      events.publish({ type: 'clock-step' });
      await t.waitFor(() => assert(passes >= 2, `after ${microtasks} microtasks`), {
        interval: 1,
        timeout: 10_000,
      });
    }
  });

  test('a job of this node that becomes due after the claim is due at once, not after the time for other nodes', async (t) => {
    const { service, now } = await startPushing(t, database);
    const work = new DueWork(service.services.db, { isAlone: false });
    const dueAt = Math.ceil(now() / 1_000) * 1_000 + 1_000;
    work.add(dueAt, now());
    await work.decide(dueAt - 1);
    assert.equal((await work.nextAt()).pairAt, dueAt);
    await work.decide(dueAt + 50);
    assert.equal((await work.nextAt()).pairAt, Number.POSITIVE_INFINITY);
  });
});
