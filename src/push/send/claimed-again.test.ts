import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../../test/databases.ts';
import { startPushing } from '../../../test/pushing.ts';
import type { Db } from '../../db/db.ts';
import { openPushWorker } from './worker.ts';

onEachDatabase('a push that is due again at once', (database) => {
  test('is sent again, once, also if the worker is woken before the recording of its result has returned', async (t) => {
    const { service, pushService, alice, bob, subscribe, write } = await startPushing(t, database);
    await service.pushes[Symbol.asyncDispose](); // a worker of this test sends instead
    const { services } = service;
    const phone = await subscribe(bob);
    pushService.answerNext(phone.endpoint, { status: 413 });

    const [committed, known] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const transaction: Db['transaction'] = async (body) => {
      const value = await services.db.transaction(body);
      if (pushService.attempts(phone.endpoint).length === 0) return value;
      committed.resolve();
      await known.promise;
      return value;
    };
    const db = new Proxy(services.db, {
      get: (real, name) => {
        if (name === 'transaction') return transaction;
        const value: unknown = Reflect.get(real, name, real);
        return typeof value === 'function' ? value.bind(real) : value;
      },
    });
    const worker = openPushWorker({ ...services, db, publicUrl: 'https://chat.example.org' });
    t.after(() => worker[Symbol.asyncDispose]());
    await write(alice, bob);
    await committed.promise;
    const running = worker.runDue();
    services.events.publish({ type: 'clock-step' });
    known.resolve();
    await running;
    assert.deepEqual(
      pushService.attempts(phone.endpoint).map(({ text }) => JSON.parse(text ?? '').notification.title),
      ['alice', 'Doorman'],
    );
    assert.deepEqual(await services.db.all`select * from push_jobs`, []);
  });
});
