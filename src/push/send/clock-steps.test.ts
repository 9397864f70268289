import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onEachDatabase } from '../../../test/databases.ts';
import type { TestService } from '../../../test/harness.ts';
import { startHeld } from '../../../test/held-push-service.ts';
import { PRESENT } from '../../../test/present.ts';
import { startPushing } from '../../../test/pushing.ts';
import type { Queries } from '../../db/db.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Ten times the second after which a step is noticed, and more for a busy machine. */
const HANGS_MS = 20_000;

onEachDatabase('pushes and a wall clock that is set', (database) => {
  test('a clock that is set back by an hour does not delay the push of a message', async (t) => {
    const { service, pushService, alice, bob, subscribe, write, setClock } = await startPushing(t, database, {
      realTime: true,
    });
    const phone = await subscribe(bob);
    service.services.presence.online.add(bob.id, PRESENT);
    await write(alice, bob);
    setClock(-HOUR);
    await pushService.next(phone.endpoint, HANGS_MS);
    assert.equal(pushService.attempts(phone.endpoint).length, 1);
  });

  test('a clock that is set back does not delay a push beyond its cooldown', async (t) => {
    const { pushService, alice, bob, subscribe, write, setClock } = await startPushing(t, database, {
      realTime: true,
    });
    const phone = await subscribe(bob);
    await write(alice, bob);
    await pushService.next(phone.endpoint, HANGS_MS);
    await write(alice, bob);
    setClock(-HOUR);
    await pushService.next(phone.endpoint, HANGS_MS);
    assert.equal(pushService.attempts(phone.endpoint).length, 2);
  });

  test('a clock that is set back does not delay a retry', async (t) => {
    const { pushService, alice, bob, subscribe, write, outcomes, setClock } = await startPushing(
      t,
      database,
      { realTime: true },
    );
    const [busy, broken] = [await subscribe(bob), await subscribe(bob)];
    pushService.answerNext(busy.endpoint, { status: 429, headers: { 'retry-after': '1' } });
    pushService.answerNext(broken.endpoint, { status: 500 });
    await write(alice, bob);
    await t.waitFor(async () => assert.deepEqual(await outcomes(bob), ['waiting', 'waiting']), {
      interval: 5,
      timeout: HANGS_MS,
    });
    setClock(-HOUR);
    for (const { endpoint } of [busy, broken]) await pushService.next(endpoint, HANGS_MS);
  });

  test('a clock that is set back does not shorten the suspension of a subscription', async (t) => {
    const { service, pushService, alice, bob, subscribe, writeAndPush, pass, setClock } = await startPushing(
      t,
      database,
    );
    const carol = await service.join('carol');
    const [busy, aside, phone] = [await subscribe(bob), await subscribe(bob), await subscribe(bob)];
    pushService.answerNext(busy.endpoint, { status: 429, headers: { 'retry-after': '3600' } });
    pushService.answerNext(aside.endpoint, { status: 403 });
    await writeAndPush(alice, bob);
    setClock(-HOUR);
    await untilNoticed(t, service);
    await writeAndPush(carol, bob);
    assert.equal(pushService.received(phone.endpoint).length, 2);
    await pass(HOUR - 1);
    for (const { endpoint } of [busy, aside]) assert.equal(pushService.attempts(endpoint).length, 1);
    await pass(1);
    for (const { endpoint } of [busy, aside]) assert.equal(pushService.received(endpoint).length, 2);
  });

  test('a clock that is set back does not keep a push service paused', async (t) => {
    const { service, pushService, alice, bob, subscribe, writeAndPush, pass, setClock } = await startPushing(
      t,
      database,
    );
    const people = [bob, await service.join('carol'), await service.join('dave')];
    const phones = await Promise.all(people.map((person) => subscribe(person)));
    for (const person of people) await writeAndPush(alice, person);
    await pass(3 * SECOND);
    for (const { endpoint } of phones) pushService.answerNext(endpoint, { status: 401 });
    for (const person of people) await writeAndPush(alice, person);
    const fresh = await subscribe(bob);
    setClock(-HOUR);
    await pass(10 * 60 * SECOND);
    await writeAndPush(alice, bob);
    assert.equal(pushService.received(fresh.endpoint).length, 1);
  });

  test('a clock that is set back does not delay the notification of an unconfirmed device', async (t) => {
    const { pushService, alice, bob, subscribe, write, setClock } = await startPushing(t, database, {
      realTime: true,
    });
    const unknown = await subscribe(bob, { unconfirmed: true });
    await write(alice, bob);
    await pushService.next(unknown.endpoint, HANGS_MS);
    setClock(-HOUR);
    await write(alice, bob);
    await pushService.next(unknown.endpoint, HANGS_MS);
  });

  test('waits that a clock running ahead left in the queue are due when the service starts', async (t) => {
    const pushing = await startPushing(t, database);
    const { service, pushService, alice, bob, subscribe, write, writeAndPush, now } = pushing;
    const carol = await service.join('carol');
    const {
      db,
      presence: { online },
    } = service.services;
    const dave = await service.join('dave');
    const [phone, unknown] = [await subscribe(bob), await subscribe(dave, { unconfirmed: true })];
    // One message is a job for each device, one is a pending push.
    for (const { endpoint } of [phone, unknown]) pushService.answerNext(endpoint, { status: 500 });
    await writeAndPush(alice, bob);
    await writeAndPush(alice, dave);
    online.add(bob.id, PRESENT);
    await write(carol, bob);
    const ahead = 30 * DAY;
    await db.run`update push_pending set due_at = due_at + ${ahead}, cooldown_until = cooldown_until + ${ahead}`;
    await db.run`update push_jobs set due_at = due_at + ${ahead}`;
    await db.run`update push_subscriptions set last_notified_at = ${now() + ahead}, not_before = ${now() + ahead}`;
    const restarted = await service.restart();
    await restarted.pushes.runDue();
    assert.equal(pushService.received(phone.endpoint).length, 2);
    assert.equal(pushService.received(unknown.endpoint).length, 1);
    assert.deepEqual(
      await restarted.services.db.all`select peer_id from push_pending where due_at > ${now() + 8 * SECOND}`,
      [],
    );
  });

  test('a start does not change waits that are in bounds', async (t) => {
    const { service, pushService, alice, bob, subscribe, writeAndPush } = await startPushing(t, database);
    const { db } = service.services;
    const [busy, aside, broken] = [await subscribe(bob), await subscribe(bob), await subscribe(bob)];
    pushService.answerNext(busy.endpoint, { status: 429, headers: { 'retry-after': '3600' } });
    pushService.answerNext(aside.endpoint, { status: 403 });
    pushService.answerNext(broken.endpoint, { status: 500 });
    await writeAndPush(alice, bob);
    // As after the sixth refusal.
    await db.run`update push_subscriptions set refusals = 7, not_before = not_before + ${63 * HOUR} where refusals = 1`;
    await db.run`
      update push_jobs set due_at = (select not_before from push_subscriptions where id = subscription_id)
      where subscription_id in (select id from push_subscriptions where refusals = 7)`;
    const waiting = (of: Queries) =>
      Promise.all([
        of.all`select subscription_id, due_at, attempts from push_jobs order by subscription_id`,
        of.all`select id, not_before from push_subscriptions order by id`,
        of.all`select due_at, cooldown_until from push_pending`,
      ]);
    const before = await waiting(db);
    const restarted = await service.restart();
    await restarted.pushes.runDue();
    assert.deepEqual(await waiting(restarted.services.db), before);
  });

  for (const [direction, byMs] of [
    ['forward', HOUR],
    ['back', -HOUR],
  ] as const)
    test(`a clock that is set ${direction} sends nothing twice that is in flight`, async (t) => {
      const { service, pushService, alice, bob, subscribe, write, setClock, outcomes, now } =
        await startPushing(t, database, { realTime: true, world: { pushDeadlineMs: 10 * HANGS_MS } });
      const { db } = service.services;
      const carol = await service.join('carol');
      const phone = await subscribe(carol);
      const held = await startHeld(t);
      await subscribe(bob, { of: held.at(pushService.subscribe()) });
      await write(alice, bob);
      await held.untilHeld();
      setClock(byMs);
      await untilNoticed(t, service);
      // When this one is sent, the worker has handled the clock step.
      await write(alice, carol);
      await pushService.next(phone.endpoint, HANGS_MS);
      const untilLeased = async () => {
        const [job] = await db.all<{
          due_at: number;
        }>`select due_at from push_jobs where user_id = ${bob.id}`;
        assert(job && job.due_at > now());
      };
      await t.waitFor(untilLeased, { interval: 10, timeout: HANGS_MS });
      await held.answer(201);
      await service.pushes.runDue();
      assert.equal(held.count(), 0);
      assert.deepEqual(await db.all`select peer_id from push_jobs`, []);
      assert.deepEqual(await outcomes(bob), ['accepted']);
    });
});

/** Until the service has logged that its clock was set. */
async function untilNoticed(t: TestContext, { logLines }: TestService): Promise<void> {
  const options = { interval: 10, timeout: HANGS_MS };
  await t.waitFor(() => assert(logLines.some((line) => line.includes('the wall clock was set'))), options);
}
