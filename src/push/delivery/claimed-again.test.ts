import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../../test/databases.ts';
import { startPushing } from '../../../test/pushing.ts';
import type { Db } from '../../db/db.ts';
import { decideDue } from '../queue/decide.ts';
import { claimJobs } from '../queue/jobs.ts';
import { Dispatcher, type InFlightJob } from './dispatcher.ts';
import { OriginQueues } from './origin-queues.ts';

onEachDatabase('a push that is due again at once', (database) => {
  test('is sent again, also if it is claimed before the recording of its result has returned', async (t) => {
    const { service, pushService, alice, bob, subscribe, write, now } = await startPushing(t, database);
    await service.pushes[Symbol.asyncDispose](); // a dispatcher of this test sends instead
    const { services } = service;
    const phone = await subscribe(bob);
    pushService.answerNext(phone.endpoint, { status: 413 });
    await write(alice, bob);

    const [committed, known] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const transaction: Db['transaction'] = async (body) => {
      const value = await services.db.transaction(body);
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
    const dispatcher = new Dispatcher(
      { ...services, db, publicUrl: 'https://chat.example.org' },
      new OriginQueues<InFlightJob>(),
      () => {},
    );
    t.after(() => dispatcher.close());

    const pair = { userId: bob.id, peerId: alice.id };
    const later = now() + 5_000;
    const { jobs } = await decideDue(services.db, [pair], new Map(), { claim: true, now: later });
    assert.equal(jobs.length, 1);
    for (const job of jobs) assert(dispatcher.submit(job));
    await committed.promise;
    const [again] = await claimJobs(services.db, later, 10);
    assert(again && dispatcher.submit(again));
    known.resolve();
    await dispatcher.untilIdle();
    assert.deepEqual(
      pushService.attempts(phone.endpoint).map(({ text }) => JSON.parse(text ?? '').notification.title),
      ['alice', 'Doorman'],
    );
    assert.deepEqual(await services.db.all`select * from push_jobs`, []);
  });
});
