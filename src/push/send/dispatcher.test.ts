import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { onEachDatabase } from '../../../test/databases.ts';
import { startHeld } from '../../../test/held-push-service.ts';
import { notifications, startPushing } from '../../../test/pushing.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

onEachDatabase('answers of push services', (database) => {
  test('202 is an acceptance like 201', async (t) => {
    const { pushService, alice, bob, subscribe, writeAndPush, pass, log } = await startPushing(t, database);
    const phone = await subscribe(bob);
    pushService.answerAlways(phone.endpoint, { status: 202 });
    await writeAndPush(alice, bob);
    await pass(DAY);
    assert.equal(pushService.attempts(phone.endpoint).length, 1);
    assert.deepEqual(
      (await log(bob)).map(({ outcome, status }) => [outcome, status]),
      [['accepted', 202]],
    );
  });

  for (const status of [404, 410])
    test(`${status} removes the device with its other jobs`, async (t) => {
      const { service, pushService, alice, bob, subscribe, writeAndPush, devices, log } = await startPushing(
        t,
        database,
      );
      const [gone, phone] = [await subscribe(bob), await subscribe(bob)];
      pushService.answerAlways(gone.endpoint, { status, body: 'no such subscription' });
      await writeAndPush(alice, bob);
      assert.equal((await devices(bob)).length, 1);
      assert.equal(pushService.received(phone.endpoint).length, 1);
      const entry = (await log(bob)).find((one) => one.outcome === 'gone');
      assert.deepEqual([entry?.status, entry?.detail], [status, 'gone']);
      assert.deepEqual(await service.services.db.all`select * from push_jobs`, []);
    });

  test('410 for a subscription that was replaced meanwhile removes nothing, and the new one is notified', async (t) => {
    const { service, pushService, alice, bob, subscribe, write, devices } = await startPushing(t, database);
    const held = await startHeld(t);
    const [old, fresh] = [pushService.subscribe(), pushService.subscribe()];
    await subscribe(bob, { of: held.at(old) });
    await write(alice, bob);
    await held.untilHeld();
    await subscribe(bob, { of: held.at(fresh) });
    await held.answer(410);
    await held.answer(201);
    await service.pushes.runDue();
    assert.equal((await devices(bob)).length, 1);
    assert.deepEqual(await service.services.db.all`select * from push_jobs`, []);
  });

  test('413 sends the short payload next', async (t) => {
    const { pushService, alice, bob, subscribe, writeAndPush, outcomes } = await startPushing(t, database);
    const phone = await subscribe(bob);
    pushService.answerNext(phone.endpoint, { status: 413 });
    await writeAndPush(alice, bob);
    assert.deepEqual(
      pushService.attempts(phone.endpoint).map(({ text }) => JSON.parse(text ?? '').notification.title),
      ['alice', 'Doorman'],
    );
    assert.deepEqual(await outcomes(bob), ['accepted']);
  });

  for (const status of [429, 503])
    test(`${status} waits as long as Retry-After says, also for other conversations of that device`, async (t) => {
      const { service, pushService, alice, bob, subscribe, writeAndPush, pass, log } = await startPushing(
        t,
        database,
      );
      const carol = await service.join('carol');
      const [busy, phone] = [await subscribe(bob), await subscribe(bob)];
      pushService.answerNext(busy.endpoint, { status, headers: { 'retry-after': '120' } });
      await writeAndPush(alice, bob);
      await writeAndPush(carol, bob);
      await pass(119 * SECOND);
      assert.equal(pushService.attempts(busy.endpoint).length, 1);
      assert.equal(pushService.received(phone.endpoint).length, 2);
      const waiting = (await log(bob)).filter((entry) => entry.outcome === 'waiting');
      assert.deepEqual(waiting.map((entry) => entry.peer).toSorted(), [alice.id, carol.id].toSorted());
      for (const entry of waiting) assert(Math.abs((entry.waiting_until ?? 0) - entry.at - 120_000) < 1_000);
      await pass(SECOND);
      assert.deepEqual(
        notifications(pushService, busy)
          .map(({ title }) => title)
          .toSorted(),
        ['alice', 'carol'],
      );
      assert.equal(
        (await log(bob)).every((entry) => entry.outcome === 'accepted'),
        true,
      );
    });

  test('Retry-After may be a date in any form, or past, and counts for an hour at most', async (t) => {
    const { pushService, alice, bob, subscribe, writeAndPush, pass, now } = await startPushing(t, database);
    const at = new Date(Math.ceil(now() / 1000) * 1000 + 600 * SECOND);
    const [weekday = '', date, month, year, time] = at.toUTCString().split(/,? /);
    const longDay = at.toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' });
    const subscribeBusy = async (retryAfter: string) => {
      const device = await subscribe(bob);
      pushService.answerNext(device.endpoint, { status: 429, headers: { 'retry-after': retryAfter } });
      return () => pushService.received(device.endpoint).length;
    };
    const dates = await Promise.all(
      [
        at.toUTCString(),
        `${longDay}, ${date}-${month}-${year?.slice(2)} ${time} GMT`,
        `${weekday} ${month} ${date?.replace(/^0/, ' ')} ${time} ${year}`,
      ].map(subscribeBusy),
    );
    const past = await subscribeBusy('Wed, 21 Oct 2015 07:28:00 GMT');
    const long = await Promise.all(['86400', '9'.repeat(30)].map(subscribeBusy));
    const counts = (devices: (() => number)[]) => devices.map((count) => count());

    await writeAndPush(alice, bob);
    const startedAt = now();
    await pass(999);
    assert.equal(past(), 0);
    await pass(1);
    assert.equal(past(), 1);
    await pass(at.getTime() - now() - 1);
    assert.deepEqual(counts(dates), [0, 0, 0]);
    await pass(1);
    assert.deepEqual(counts(dates), [1, 1, 1]);
    await pass(startedAt + HOUR - now() - 1);
    assert.deepEqual(counts(long), [0, 0]);
    await pass(1);
    assert.deepEqual(counts(long), [1, 1]);
  });

  test('a failed push is retried with growing delays and dropped after 24 hours', async (t) => {
    const { pushService, alice, bob, subscribe, writeAndPush, pass, log } = await startPushing(t, database);
    const phone = await subscribe(bob);
    pushService.answerAlways(phone.endpoint, { status: 500, body: 'out of order' });
    await writeAndPush(alice, bob);
    const count = () => pushService.attempts(phone.endpoint).length;
    await pass(499);
    assert.equal(count(), 1);
    await pass(501);
    assert.equal(count(), 2);
    for (let waited = 0; waited < 25; waited++) await pass(HOUR);
    const tries = count();
    assert(tries >= 24 && tries <= 60, `${tries} tries`);
    const [entry, ...others] = await log(bob);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [entry?.outcome, entry?.reason, entry?.detail, entry?.waiting_until],
      ['failed', 'gave_up_24h', 'given up after 24 hours', null],
    );
    pushService.answerAlways(phone.endpoint, undefined);
    await pass(DAY);
    assert.equal(count(), tries);
  });

  test('a push service that answers again gets the waiting messages as one push', async (t) => {
    const { pushService, alice, bob, subscribe, writeAndPush, pass, outcomes } = await startPushing(
      t,
      database,
    );
    const phone = await subscribe(bob);
    pushService.answerAlways(phone.endpoint, 'drop');
    await writeAndPush(alice, bob);
    for (let i = 0; i < 3; i++) {
      await pass(3 * SECOND);
      await writeAndPush(alice, bob);
    }
    assert.deepEqual(await outcomes(bob), ['waiting']);
    pushService.answerAlways(phone.endpoint, undefined);
    await pass(HOUR);
    assert.deepEqual(
      notifications(pushService, phone).map(({ body }) => body),
      ['4 new messages'],
    );
    assert.deepEqual(await outcomes(bob), ['accepted']);
  });

  test('a push service that hangs is tried again', async (t) => {
    const { pushService, alice, bob, subscribe, writeAndPush, log } = await startPushing(t, database, {
      world: { pushDeadlineMs: 100 },
    });
    const phone = await subscribe(bob);
    pushService.answerNext(phone.endpoint, 'hang');
    await writeAndPush(alice, bob);
    const [entry] = await log(bob);
    assert.deepEqual([entry?.outcome, entry?.reason], ['waiting', 'timeout']);
  });

  test('a push service that speaks no TLS is tried again', async (t) => {
    const { pushService, alice, bob, subscribe, writeAndPush, log } = await startPushing(t, database);
    const plain = pushService.subscribe();
    await subscribe(bob, { of: { ...plain, endpoint: plain.endpoint.replace('http:', 'https:') } });
    await writeAndPush(alice, bob);
    const [entry] = await log(bob);
    assert.deepEqual([entry?.outcome, entry?.reason], ['waiting', 'tls']);
  });

  for (const status of [400, 401, 403])
    test(`${status} suspends the subscription for 1 h, doubling, and removes it after 7 days`, async (t) => {
      const { pushService, alice, bob, subscribe, writeAndPush, pass, devices, log } = await startPushing(
        t,
        database,
      );
      const phone = await subscribe(bob);
      pushService.answerAlways(phone.endpoint, { status });
      const count = () => pushService.attempts(phone.endpoint).length;
      await writeAndPush(alice, bob);
      let expected = 1;
      for (const hours of [1, 2, 4, 8, 16, 32, 64, 41]) {
        assert.equal(count(), expected);
        await pass(hours * HOUR - 1);
        assert.equal(count(), expected);
        // A push that waits for more than a day is dropped, so each day tries a new one.
        await writeAndPush(alice, bob);
        assert.equal(count(), expected);
        await pass(1);
        expected += 1;
      }
      assert.equal(count(), expected);
      assert.deepEqual(await devices(bob), []);
      const [last] = await log(bob);
      assert.deepEqual([last?.reason, last?.detail], ['refused_7_days', 'refused for 7 days: refused']);
    });

  test('a success resets the refusals of a subscription', async (t) => {
    const { pushService, alice, bob, subscribe, writeAndPush, pass } = await startPushing(t, database);
    const phone = await subscribe(bob);
    const attempts = () => pushService.attempts(phone.endpoint).map(({ status }) => status);
    pushService.answerNext(phone.endpoint, { status: 403 });
    pushService.answerNext(phone.endpoint, { status: 403 });
    await writeAndPush(alice, bob);
    await pass(HOUR);
    await pass(2 * HOUR);
    assert.deepEqual(attempts(), [403, 403, 201]);
    pushService.answerNext(phone.endpoint, { status: 403 });
    await writeAndPush(alice, bob);
    await pass(HOUR);
    assert.deepEqual(attempts(), [403, 403, 201, 403, 201]);
  });

  test('one anonymous subscription that is always answered 403 delays no one else', async (t) => {
    const { service, pushService, alice, bob, subscribe, writeAndPush, pass } = await startPushing(
      t,
      database,
    );
    const people = [bob, await service.join('carol'), await service.join('dave')];
    const phones = await Promise.all(people.map((person) => subscribe(person)));
    const victim = await service.join('erin');
    const made = await subscribe(victim, { unconfirmed: true });
    pushService.answerAlways(made.endpoint, { status: 403 });
    for (let i = 0; i < 4; i++) {
      for (const person of [victim, ...people]) await writeAndPush(alice, person);
      for (const phone of phones) assert.equal(pushService.received(phone.endpoint).length, i + 1);
      await pass(HOUR);
    }
  });

  test('a push service is paused only when it refuses three confirmed devices whose pushes it accepted before', async (t) => {
    const { service, pushService, alice, bob, subscribe, writeAndPush, pass, log } = await startPushing(
      t,
      database,
    );
    const people = [
      bob,
      ...(await Promise.all(['carol', 'dave', 'erin', 'frank'].map((name) => service.join(name)))),
    ];
    const phones = await Promise.all(people.map((person) => subscribe(person)));
    const attempts = (i: number) => pushService.attempts(phones[i]?.endpoint ?? '').length;
    const tellNth = async (i: number) => {
      const person = people[i];
      if (person) await writeAndPush(alice, person);
    };
    for (let i = 0; i < 4; i++) await tellNth(i);
    await pass(3 * SECOND);
    for (const phone of phones) pushService.answerAlways(phone.endpoint, { status: 401 });

    // Two rejected devices are not enough; a device without an earlier success does not count, nor does an old rejection.
    await tellNth(0);
    await pass(11 * 60 * SECOND);
    await tellNth(1);
    await tellNth(2);
    await tellNth(4);
    await tellNth(3);
    assert.deepEqual([0, 1, 2, 3, 4].map(attempts), [2, 2, 2, 2, 1]);

    // That was the third device: from now on nothing is sent for ten minutes.
    const fresh = await subscribe(bob);
    await tellNth(0);
    await pass(10 * 60 * SECOND - 1);
    assert.deepEqual(pushService.attempts(fresh.endpoint), []);
    const [paused] = await log(bob);
    assert.deepEqual(
      [paused?.reason, paused?.detail],
      ['push_service_refuses', 'its push service refuses us at the moment'],
    );
    await pass(1);
    assert.equal(pushService.received(fresh.endpoint).length, 1);
  });
});

onEachDatabase('changes while a push waits', (database) => {
  test('do-not-disturb, off and a block are checked again directly before sending', async (t) => {
    const { service, pushService, alice, bob, subscribe, writeAndPush, pass, outcomes } = await startPushing(
      t,
      database,
    );
    const phone = await subscribe(bob);
    const changes = [
      ['/api/user/settings', { dndEnabled: true }, { dndEnabled: false }],
      ['/api/user/settings', { pushEnabled: false }, { pushEnabled: true }],
    ] as const;
    for (const [path, change, back] of changes) {
      pushService.answerNext(phone.endpoint, { status: 429, headers: { 'retry-after': '60' } });
      await writeAndPush(alice, bob);
      await service.post(path, change, { token: bob.token });
      await pass(60 * SECOND);
      await service.post(path, back, { token: bob.token });
    }
    pushService.answerNext(phone.endpoint, { status: 429, headers: { 'retry-after': '60' } });
    await writeAndPush(alice, bob);
    await service.post('/api/user/block', { blockedId: alice.id }, { token: bob.token });
    await pass(60 * SECOND);
    assert.deepEqual(pushService.received(phone.endpoint), []);
    assert.equal(pushService.attempts(phone.endpoint).length, 3);
    assert.deepEqual(await outcomes(bob), ['blocked', 'off', 'dnd']);
  });

  test('a block that is answered while a push waits for its connection stops it', async (t) => {
    const gate = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const { service, pushService, alice, bob, subscribe, write } = await startPushing(t, database, {
      world: {
        resolve: async () => {
          asked.resolve();
          await gate.promise;
          return [{ address: '127.0.0.1', family: 4 }];
        },
      },
    });
    const phone = pushService.subscribe();
    const port = new URL(phone.endpoint).port;
    await subscribe(bob, {
      of: { ...phone, endpoint: phone.endpoint.replace(`127.0.0.1:${port}`, `slow.example:${port}`) },
    });
    await write(alice, bob);
    await asked.promise;
    await service.post('/api/user/block', { blockedId: alice.id }, { token: bob.token });
    gate.resolve();
    await service.pushes.runDue();
    assert.deepEqual(pushService.attempts(phone.endpoint), []);
  });

  test('a message after a block and its end is pushed at once, also while the push before the block still waits', async (t) => {
    const gate = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const resolve = async () => {
      asked.resolve();
      await gate.promise;
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const pushing = await startPushing(t, database, { world: { resolve } });
    const { service, pushService, alice, bob, subscribe, write, pass } = pushing;
    const phone = pushService.subscribe();
    const port = new URL(phone.endpoint).port;
    await subscribe(bob, {
      of: { ...phone, endpoint: phone.endpoint.replace(`127.0.0.1:${port}`, `slow.example:${port}`) },
    });
    await write(alice, bob);
    await asked.promise;
    await service.post('/api/user/block', { blockedId: alice.id }, { token: bob.token });
    await service.post('/api/user/unblock', { blockedId: alice.id }, { token: bob.token });
    await write(alice, bob);
    const passing = pass(3 * SECOND);
    const untilClaimed = async () =>
      assert.equal((await service.services.db.all`select peer_id from push_jobs where leased = 1`).length, 1);
    await t.waitFor(untilClaimed, { interval: 5, timeout: 20_000 });
    await delay(50);
    gate.resolve();
    await passing;
    assert.equal(pushService.attempts(phone.endpoint).length, 1);
  });

  test('messages seen or read while a push waits are not pushed, and the log has the reason', async (t) => {
    const { service, pushService, alice, bob, subscribe, write, pass, log } = await startPushing(t, database);
    const carol = await service.join('carol');
    const phone = await subscribe(bob);
    pushService.answerNext(phone.endpoint, { status: 503, headers: { 'retry-after': '60' } });
    const seq = await write(alice, bob);
    await pass(0);
    await write(carol, bob);
    await pass(0);
    service.services.push.attention.acknowledge(bob.id, seq, 'desk');
    await service.post('/api/messages/mark', { peer: carol.id, read: 1 }, { token: bob.token });
    await pass(HOUR);
    assert.equal(pushService.attempts(phone.endpoint).length, 1);
    assert.deepEqual(
      (await log(bob))
        .map(({ outcome, reason, detail, peer, waiting_until }) => [
          outcome,
          reason,
          detail,
          peer,
          waiting_until,
        ])
        .toSorted(),
      [
        ['seen', '', '', carol.id, null],
        ['seen', '', 'desk', alice.id, null],
      ],
    );
  });

  test('a push whose messages are seen while it is in flight is not retried', async (t) => {
    const { service, pushService, alice, bob, subscribe, write, outcomes } = await startPushing(t, database);
    const held = await startHeld(t);
    await subscribe(bob, { of: held.at(pushService.subscribe()) });
    const seq = await write(alice, bob);
    await held.untilHeld();
    service.services.push.attention.acknowledge(bob.id, seq, 'desk');
    await t.waitFor(async () => assert.deepEqual(await outcomes(bob), ['seen']), {
      interval: 20,
      timeout: 60_000,
    });
    await held.answer(500);
    await service.pushes.runDue();
    assert.deepEqual(await outcomes(bob), ['seen']);
    assert.deepEqual(await service.services.db.all`select * from push_jobs`, []);
  });

  test('a message that arrives while a push is in flight is pushed after it', async (t) => {
    const { service, pushService, alice, bob, subscribe, write, pass } = await startPushing(t, database);
    const held = await startHeld(t);
    await subscribe(bob, { of: held.at(pushService.subscribe()) });
    await write(alice, bob);
    await held.untilHeld();
    await write(alice, bob);
    const passed = pass(3 * SECOND);
    await held.answer(201);
    await held.answer(201);
    await passed;
    assert.equal(held.count(), 0);
    assert.deepEqual(await service.services.db.all`select * from push_jobs`, []);
  });
});
