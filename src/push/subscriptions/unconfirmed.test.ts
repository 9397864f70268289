import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../../test/databases.ts';
import type { SubscriptionJson } from '../../../test/push-service.ts';
import { type Pushing, startPushing } from '../../../test/pushing.ts';
import { restoreUser, suspendUser } from '../../accounts/account-status.ts';
import { endIdleSessions } from '../../accounts/sessions.ts';
import { markUnusable, removeExpired } from './subscriptions.ts';

const DAY_MS = 86_400_000;

/** Ways to remove Bob's only confirmed device. */
const REMOVALS: Record<string, (pushing: Pushing, phone: SubscriptionJson) => Promise<unknown>> = {
  'POST /api/push/unsubscribe': ({ service, bob }, { endpoint }) =>
    service.post('/api/push/unsubscribe', { endpoint }, { token: bob.token }),
  'an answer 410 of its push service': async (
    { pushService, alice, bob, writeAndPush, pass },
    { endpoint },
  ) => {
    pushService.answerNext(endpoint, { status: 410 });
    await writeAndPush(alice, bob);
    await pass(3_000);
  },
  'an answer 404 to a test': ({ service, pushService, bob }, { endpoint }) => {
    pushService.answerNext(endpoint, { status: 404 });
    return service.get(`/api/push/test-send?userId=${bob.id}`, { token: bob.token });
  },
  'seven days of refusals': async ({ pushService, alice, bob, writeAndPush, pass }, { endpoint }) => {
    for (let i = 0; i < 8; i++) {
      pushService.answerNext(endpoint, { status: 403 });
      await writeAndPush(alice, bob);
      await pass(DAY_MS);
    }
  },
  'a suspension of the account': async ({ service, bob }) => {
    const { db } = service.services;
    await db.transaction(async (tx) => {
      await suspendUser(tx, bob.id);
      await restoreUser(tx, bob.id);
    });
  },
  'the end of its session': ({ service, bob }) => service.post('/api/logout', {}, { token: bob.token }),
  'the disuse of its session': async ({ service, bob, now }) => {
    const { db, events } = service.services;
    await db.run`update sessions set used_at = 1 where user_id = ${bob.id}`;
    await endIdleSessions({ db, events }, now());
  },
  'the clean-up of unusable keys': async ({ service, now }) => {
    const { db } = service.services;
    const sent = await db.get<{ id: string; p256dh: string; auth: string }>`
      select id, p256dh, auth from push_subscriptions where session_id is not null`;
    if (sent) await markUnusable(db, sent, now());
    await removeExpired(db, now() + 8 * DAY_MS);
  },
  'another user who confirms the same subscription': async ({ service, subscribe }, phone) =>
    subscribe(await service.join('carol'), { of: phone }),
};

onEachDatabase('an unconfirmed subscription', (database) => {
  const start = async (t: Parameters<typeof startPushing>[0]) => {
    const pushing = await startPushing(t, database);
    return { ...pushing, db: pushing.service.services.db };
  };
  const confirmedOf = (db: Awaited<ReturnType<typeof start>>['db'], userId: string) =>
    db.all`select id from push_subscriptions where user_id = ${userId} and session_id is not null`;

  test('is notified of messages while the account never had a confirmed device (interface 6)', async (t) => {
    const { pushService, alice, bob, subscribe, writeAndPush } = await start(t);
    const unconfirmed = await subscribe(bob, { unconfirmed: true });
    await writeAndPush(alice, bob);
    assert.equal(pushService.received(unconfirmed.endpoint).length, 1);
  });

  test('is not notified beside a confirmed device, and the log says why once an hour', async (t) => {
    const { service, pushService, alice, bob, subscribe, writeAndPush, pass, log, devices } = await start(t);
    const [unconfirmed, phone] = [await subscribe(bob, { unconfirmed: true }), await subscribe(bob)];
    for (let i = 0; i < 3; i++) {
      await writeAndPush(alice, bob);
      await pass(60_000);
    }
    assert.equal(pushService.received(phone.endpoint).length, 3);
    assert.deepEqual(pushService.attempts(unconfirmed.endpoint), []);
    const id = (await devices(bob)).find(({ confirmed }) => confirmed === 0)?.id;
    const entries = (await log(bob)).filter((entry) => entry.outcome !== 'accepted');
    assert.deepEqual(
      entries.map(({ outcome, device, device_name, detail }) => [outcome, device, device_name, detail]),
      [['unconfirmed', id, '', '']],
    );
    await pass(3_600_000);
    await writeAndPush(alice, bob);
    const outcomes = (await log(bob)).map(({ outcome }) => outcome);
    assert.equal(outcomes.filter((outcome) => outcome === 'unconfirmed').length, 2);

    const test = await service.get(`/api/push/test-send?userId=${bob.id}`, { token: bob.token });
    assert.equal(test.status, 200);
    assert.equal(pushService.received(unconfirmed.endpoint).length, 1);
  });

  test('is notified again 30 days after the last confirmed device was removed, not before', async (t) => {
    const { service, pushService, alice, bob, subscribe, write, writeAndPush, pass, outcomes } =
      await start(t);
    const unconfirmed = await subscribe(bob, { unconfirmed: true });
    const { endpoint } = await subscribe(bob);
    await service.post('/api/push/unsubscribe', { endpoint }, { token: bob.token });
    // The removal is dated by the database's clock, which is slightly ahead of the test's.
    await pass(29 * DAY_MS);
    await writeAndPush(alice, bob);
    assert.deepEqual(pushService.attempts(unconfirmed.endpoint), []);
    assert.deepEqual(new Set(await outcomes(bob)), new Set(['unconfirmed', 'no_device']));
    await write(alice, bob);
    await pass(2 * DAY_MS);
    assert.equal(pushService.received(unconfirmed.endpoint).length, 1);
  });

  for (const [name, remove] of Object.entries(REMOVALS))
    test(`is not notified after its account's confirmed device was removed by ${name}`, async (t) => {
      const pushing = await start(t);
      const { db, pushService, alice, bob, subscribe, writeAndPush, now } = pushing;
      const phone = await subscribe(bob);
      await remove(pushing, phone);
      assert.deepEqual(await confirmedOf(db, bob.id), []);
      const unconfirmed = await subscribe(bob, { unconfirmed: true });
      await writeAndPush(alice, bob);
      assert.deepEqual(pushService.attempts(unconfirmed.endpoint), []);
      const entries = await db.all`
        select outcome from push_log where user_id = ${bob.id} and outcome = 'unconfirmed' and at = ${now()}`;
      assert.equal(entries.length, 1);
    });

  test('is not notified after a password change removed the confirmed device of another session', async (t) => {
    const { service, db, pushService, alice, bob, subscribe, writeAndPush } = await start(t);
    const { body } = await service.post('/api/login', { username: 'bob', password: bob.password });
    await subscribe({ ...bob, token: body.data.token });
    const change = { oldPassword: bob.password, newPassword: 'another secret' };
    const changed = await service.post('/api/user/change-password', change, { token: bob.token });
    assert.equal(changed.status, 200);
    assert.deepEqual(await confirmedOf(db, bob.id), []);
    const unconfirmed = await subscribe(bob, { unconfirmed: true });
    await writeAndPush(alice, bob);
    assert.deepEqual(pushService.attempts(unconfirmed.endpoint), []);
  });

  test('is not notified if a device was confirmed between the decision and the sending', async (t) => {
    const { pushService, alice, bob, subscribe, writeAndPush, pass, outcomes } = await start(t);
    const unconfirmed = await subscribe(bob, { unconfirmed: true });
    pushService.answerNext(unconfirmed.endpoint, { status: 429, headers: { 'retry-after': '60' } });
    await writeAndPush(alice, bob);
    assert.deepEqual(await outcomes(bob), ['waiting']);
    await subscribe(bob);
    await pass(120_000);
    assert.equal(pushService.attempts(unconfirmed.endpoint).length, 1);
    assert.deepEqual(await outcomes(bob), ['unconfirmed']);
  });

  for (const [what, answer] of [
    ['a fault of its push service', { status: 500 }],
    ['a push service that asks to wait', { status: 429, headers: { 'retry-after': '2' } }],
  ] as const)
    test(`is notified after ${what}, once a minute has passed`, async (t) => {
      const { pushService, alice, bob, subscribe, writeAndPush, pass, outcomes } = await start(t);
      const { endpoint } = await subscribe(bob, { unconfirmed: true });
      pushService.answerNext(endpoint, answer);
      await writeAndPush(alice, bob);
      await pass(30_000);
      assert.equal(pushService.attempts(endpoint).length, 1);
      assert.deepEqual(await outcomes(bob), ['waiting']);
      await pass(31_000);
      assert.equal(pushService.attempts(endpoint).length, 2);
      assert.deepEqual(await outcomes(bob), ['accepted']);
    });

  test('its User-Agent and the texts of its push service stay out of the log', async (t) => {
    const { service, pushService, alice, bob, subscribe, writeAndPush, pass, log } = await start(t);
    const unconfirmed = await subscribe(bob, { unconfirmed: true });
    const answers = [
      { status: 429, headers: { 'retry-after': '1' }, body: 'read this' },
      { status: 403, body: 'read this' },
      { status: 500, body: 'read this' },
    ];
    const check = async (outcomes: string[]) => {
      const entries = await log(bob);
      for (const { device_name, detail } of entries)
        assert.ok(device_name === '' && !detail.includes('read this'), JSON.stringify(entries));
      assert.deepEqual(
        entries.map(({ outcome }) => outcome),
        outcomes,
      );
    };
    for (const answer of answers) {
      pushService.answerNext(unconfirmed.endpoint, answer);
      await service.get(`/api/push/test-send?userId=${bob.id}`, { token: bob.token });
    }
    await check(['refused', 'refused', 'refused']);
    for (const answer of [...answers, { status: 410, body: 'read this' }])
      pushService.answerNext(unconfirmed.endpoint, answer);
    await writeAndPush(alice, bob);
    for (let i = 0; i < answers.length; i++) {
      await check(['waiting', 'refused', 'refused', 'refused']);
      await pass(3_600_000);
    }
    await check(['gone', 'refused', 'refused', 'refused']);
  });
});
