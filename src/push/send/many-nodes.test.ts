import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onPostgres } from '../../../test/databases.ts';
import { disposeAfter } from '../../../test/dispose-after.ts';
import { startPushing } from '../../../test/pushing.ts';
import { openPostgres } from '../../db/postgres/postgres.ts';
import { Events } from '../../events/hints.ts';
import { lockInboxes } from '../../inbox/locked-inboxes.ts';
import { decideDue } from '../decide/decide.ts';
import { openPushWorker, type PushWorker } from './worker.ts';

onPostgres('push workers of several nodes', (database) => {
  /** Three workers with connections of their own; messages are stored by the node of the first. All users have an attentive device. */
  async function startNodes(t: TestContext) {
    const pushing = await startPushing(t, database);
    const { services, pushes } = pushing.service;
    await pushes[Symbol.asyncDispose]();
    const { databaseUrl } = services.config;
    assert(databaseUrl);
    services.push.attention.mayBeAttentive = () => true;
    const startNode = async (events: Events): Promise<PushWorker> => {
      const db = await openPostgres({ url: databaseUrl, poolSize: 2 });
      disposeAfter(t, db);
      const worker = openPushWorker({
        ...services,
        nodes: {},
        db,
        events,
        publicUrl: 'https://chat.example.org',
      });
      disposeAfter(t, worker);
      return worker;
    };
    const hints = [new Events(), new Events()];
    services.events.subscribe((event) => {
      for (const events of hints) events.receive(event);
    });
    const own = await startNode(services.events);
    const [second, third] = await Promise.all(hints.map(startNode));
    assert(second && third);
    await Promise.all([own, second, third].map((node) => node.runDue()));
    return { ...pushing, own, others: [second, third], startNode };
  }

  test('work that is overdue is done once, whichever nodes find it', async (t) => {
    const nodes = await startNodes(t);
    const { service, pushService, alice, subscribe, write, others } = nodes;
    const people = await Promise.all(Array.from({ length: 12 }, (_, i) => service.join(`person${i}`)));
    const devices = await Promise.all(people.flatMap((person) => [subscribe(person), subscribe(person)]));
    await nodes.own[Symbol.asyncDispose]();
    await Promise.all(people.map((person) => write(alice, person)));
    await nodes.pass(7_000);
    await Promise.all(others.map((node) => node.runDue()));
    assert.deepEqual(
      devices.map((device) => pushService.attempts(device.endpoint).length),
      devices.map(() => 1),
    );
    assert.deepEqual(await service.services.db.all`select peer_id from push_jobs`, []);
  });

  test('a message is decided by the node that stored it, and by another one 2 s later', async (t) => {
    const nodes = await startNodes(t);
    const { pushService, alice, bob, subscribe, write, own, others } = nodes;
    const phone = await subscribe(bob);
    const attempts = () => pushService.attempts(phone.endpoint).length;
    await write(alice, bob);
    await nodes.pass(5_100);
    for (const node of others) await node.runDue();
    assert.equal(attempts(), 0);
    await own.runDue();
    assert.equal(attempts(), 1);

    await own[Symbol.asyncDispose]();
    await nodes.pass(3_000);
    await write(alice, bob);
    await nodes.pass(6_999);
    for (const node of others) await node.runDue();
    assert.equal(attempts(), 1);
    await nodes.pass(1);
    for (const node of others) await node.runDue();
    assert.equal(attempts(), 2);
  });

  test('what was held in quiet hours rings once, whichever nodes find it, and at once where its user ends them', async (t) => {
    const nodes = await startNodes(t);
    const { service, pushService, alice, bob, subscribe, write, pass, now, own, others } = nodes;
    const all = [own, ...others];
    const carol = await service.join('carol');
    const devices = [await subscribe(bob), await subscribe(bob), await subscribe(carol)];
    const attempts = () => devices.map((device) => pushService.attempts(device.endpoint).length);
    const setQuiet = async (token: string, until: number) => {
      const { status } = await service.post(
        '/api/user/quiet',
        { until, timeZone: 'UTC', windows: [] },
        { token },
      );
      assert.equal(status, 200);
    };
    for (const person of [bob, carol]) {
      await setQuiet(person.token, now() + 3_600_000);
      await write(alice, person);
      await write(alice, person);
    }
    await pass(7_000);
    await Promise.all(all.map((node) => node.runDue()));
    const held = () =>
      service.services.db.all<{ user_id: string; quiet_until: number }>`
        select user_id, quiet_until from push_pending where count = 2 and quiet_until is not null order by quiet_until`;
    assert.equal((await held()).length, 2);
    await setQuiet(carol.token, 0);
    await own.runDue();
    assert.deepEqual(attempts(), [0, 0, 1]);
    const [last] = await held();
    assert.equal(last?.user_id, bob.id);
    await pass((last?.quiet_until ?? 0) + 2_000 - now());
    await Promise.all(all.map((node) => node.runDue()));
    assert.deepEqual(attempts(), [1, 1, 1]);
    assert.deepEqual(await service.services.db.all`select peer_id from push_jobs`, []);
  });

  test('a node that starts leaves the jobs of a node that was killed alone until their lease ends', async (t) => {
    const nodes = await startNodes(t);
    const { service, pushService, alice, bob, subscribe, write, now, startNode } = nodes;
    const phone = await subscribe(bob);
    await nodes.own[Symbol.asyncDispose]();
    await write(alice, bob);
    const pair = { userId: bob.id, peerId: alice.id };
    const later = now() + 5_000;
    const { jobs } = await decideDue(service.services.db, [pair], later);
    assert.equal(jobs.length, 1); // and its node is killed
    await nodes.pass(64_999);
    const started = await startNode(new Events());
    await started.runDue();
    assert.equal(pushService.attempts(phone.endpoint).length, 0);
    await nodes.pass(1);
    await started.runDue();
    assert.equal(pushService.attempts(phone.endpoint).length, 1);
  });

  test('an inbox that another transaction has locked delays only its own user, who is served when it is free', async (t) => {
    const nodes = await startNodes(t);
    const { service, pushService, alice, bob, subscribe, write, own } = nodes;
    const carol = await service.join('carol');
    const [phone, tablet] = [await subscribe(bob), await subscribe(carol)];
    await write(alice, bob);
    await write(alice, carol);
    await nodes.pass(5_100);
    let running: Promise<void> | undefined;
    await service.services.db.transaction(async (tx) => {
      await lockInboxes(tx, [bob.id]);
      running = own.runDue();
      while (pushService.attempts(tablet.endpoint).length === 0) await tx.get`select 1 as one`;
      assert.equal(pushService.attempts(phone.endpoint).length, 0);
    });
    await running;
    assert.equal(pushService.attempts(phone.endpoint).length, 1);
  });
});
