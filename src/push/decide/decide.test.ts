import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../../test/databases.ts';
import { PRESENT } from '../../../test/present.ts';
import { notifications, startPushing } from '../../../test/pushing.ts';
import { startSockets } from '../../../test/sockets.ts';

onEachDatabase('push decisions', (database) => {
  test('a message for a user without an attentive device rings at once on each of their devices (6)', async (t) => {
    const { pushService, alice, bob, subscribe, writeAndPush, log, devices } = await startPushing(
      t,
      database,
    );
    const [phone, desktop] = [await subscribe(bob), await subscribe(bob)];
    await writeAndPush(alice, bob);
    for (const device of [phone, desktop])
      assert.deepEqual(notifications(pushService, device), [
        {
          title: 'alice',
          lang: 'en',
          dir: 'auto',
          body: 'New message',
          navigate: `https://chat.example.org/chat/${alice.id}`,
          tag: `chat-${alice.id}`,
        },
      ]);
    const entries = await log(bob);
    assert.deepEqual(
      entries.map((entry) => [entry.kind, entry.outcome, entry.status, entry.peer, entry.waiting_until]),
      [
        ['message', 'accepted', 201, alice.id, null],
        ['message', 'accepted', 201, alice.id, null],
      ],
    );
    assert.deepEqual(
      new Set(entries.map((entry) => entry.device)),
      new Set((await devices(bob)).map((device) => device.id)),
    );
    assert.deepEqual(await log(alice), []);
  });

  test('a message that an attentive device has seen is not pushed, and the log names that device', async (t) => {
    const { service, pushService, alice, bob, subscribe, write, pass, log } = await startPushing(t, database);
    const phone = await subscribe(bob);
    const { attention } = service.services.push;
    service.services.presence.online.add(bob.id, PRESENT);
    attention.acknowledge(bob.id, await write(alice, bob), 'Firefox on the desk');
    await pass(10_000);
    assert.deepEqual(pushService.attempts(phone.endpoint), []);
    assert.deepEqual(
      (await log(bob)).map((entry) => [entry.outcome, entry.detail, entry.peer, entry.device]),
      [['seen', 'Firefox on the desk', alice.id, '']],
    );
  });

  for (const where of ['here', 'on another node'])
    test(`an attentive device ${where} that does not acknowledge delays the push by five seconds`, async (t) => {
      const { service, pushService, alice, bob, subscribe, writeAndPush, pass } = await startPushing(
        t,
        database,
      );
      const phone = await subscribe(bob);
      const { online } = service.services.presence;
      if (where === 'here') online.add(bob.id, PRESENT);
      else online.setElsewhere('node', bob.id, [PRESENT]);
      await writeAndPush(alice, bob);
      await pass(4_999);
      assert.deepEqual(pushService.attempts(phone.endpoint), []);
      await pass(1);
      assert.equal(pushService.received(phone.endpoint).length, 1);
    });

  test('a message that rings at once does so at the next start if the process ended before', async (t) => {
    const { service, pushService, alice, bob, subscribe, write } = await startPushing(t, database);
    const phone = await subscribe(bob);
    await service.pushes[Symbol.asyncDispose]();
    await write(alice, bob);
    const restarted = await service.restart();
    await restarted.pushes.runDue();
    assert.equal(pushService.received(phone.endpoint).length, 1);
  });

  test('an acknowledgement of earlier messages does not cancel a push', async (t) => {
    const { service, pushService, alice, bob, subscribe, write, pass } = await startPushing(t, database);
    const phone = await subscribe(bob);
    const { attention } = service.services.push;
    service.services.presence.online.add(bob.id, PRESENT);
    const first = await write(alice, bob, 'one');
    await write(alice, bob, 'two');
    attention.acknowledge(bob.id, first, 'desk');
    await pass(5_000);
    assert.equal(pushService.received(phone.endpoint).length, 1);
  });

  test('a user whose last attentive connection has left is notified at once', async (t) => {
    const { service, pushService, alice, bob, subscribe, writeAndPush } = await startPushing(t, database);
    const phone = await subscribe(bob);
    const { online } = service.services.presence;
    const [one, other] = [{ ...PRESENT }, { ...PRESENT }];
    online.add(bob.id, one);
    online.add(bob.id, other);
    online.update(bob.id, one, () => Object.assign(one, { isAttentive: false }));
    assert.equal(online.mayBeAttentive(bob.id), true);
    online.remove(bob.id, other);
    assert.equal(online.mayBeAttentive(bob.id), false);
    await writeAndPush(alice, bob);
    assert.equal(pushService.received(phone.endpoint).length, 1);
  });

  test('ten messages ring twice, the second time as 10 new', async (t) => {
    const { pushService, alice, bob, subscribe, write, writeAndPush, pass } = await startPushing(t, database);
    const phone = await subscribe(bob);
    await writeAndPush(alice, bob);
    for (let i = 0; i < 9; i++) await write(alice, bob);
    await pass(2_999);
    assert.equal(pushService.received(phone.endpoint).length, 1);
    await pass(1);
    const bodies = notifications(pushService, phone).map(({ body }) => body);
    assert.deepEqual(bodies, ['New message', '10 new messages']);
    await pass(60_000);
    assert.equal(pushService.received(phone.endpoint).length, 2);
  });

  test('the cooldown of one conversation does not delay another', async (t) => {
    const { service, pushService, alice, bob, subscribe, writeAndPush } = await startPushing(t, database);
    const carol = await service.join('carol');
    const phone = await subscribe(bob);
    await writeAndPush(alice, bob);
    await writeAndPush(carol, bob);
    assert.deepEqual(
      notifications(pushService, phone).map(({ title }) => title),
      ['alice', 'carol'],
    );
    const topics = pushService.received(phone.endpoint).map(({ headers }) => headers.topic);
    assert.equal(new Set(topics).size, 2);
  });

  test('a message that was marked read is not pushed', async (t) => {
    const { service, pushService, alice, bob, subscribe, write, pass, log } = await startPushing(t, database);
    const phone = await subscribe(bob);
    service.services.presence.online.add(bob.id, PRESENT);
    await write(alice, bob);
    const marked = await service.post(
      '/api/messages/mark',
      { peer: alice.id, read: 1 },
      { token: bob.token },
    );
    assert.equal(marked.status, 200);
    await pass(10_000);
    assert.deepEqual(pushService.attempts(phone.endpoint), []);
    assert.deepEqual(
      (await log(bob)).map((entry) => [entry.outcome, entry.detail]),
      [['seen', '']],
    );
  });

  test('for a message marked read over a socket, the log has the name of that device', async (t) => {
    const service = await startSockets(t, database);
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const desk = await service.connect();
    await desk.hello({ token: bob.token, device: 'Firefox on Linux' });
    await service.post('/api/messages', { to: bob.id, cid: '1', body: 'hello' }, { token: alice.token });
    await desk.first((frame) => frame.event === 'message');
    assert.equal((await desk.ask({ type: 'mark', peer: alice.id, read: 1 })).code, 200);
    const { body } = await service.get('/api/push/log', { token: bob.token });
    assert.deepEqual(
      [body.data.length, body.data[0].outcome, body.data[0].detail],
      [1, 'seen', 'Firefox on Linux'],
    );
  });

  test('do-not-disturb: messages are received but not pushed (6)', async (t) => {
    const { service, pushService, alice, bob, subscribe, writeAndPush, outcomes } = await startPushing(
      t,
      database,
    );
    const phone = await subscribe(bob);
    await service.post('/api/user/settings', { dndEnabled: true }, { token: bob.token });
    await writeAndPush(alice, bob);
    assert.deepEqual(pushService.attempts(phone.endpoint), []);
    assert.deepEqual(await outcomes(bob), ['dnd']);
    const { body } = await service.get(`/api/messages?peer=${alice.id}`, { token: bob.token });
    assert.equal(body.data.items.length, 1);
  });

  test('nothing is pushed with push_enabled off, nor without a device; the log has the reason', async (t) => {
    const { service, pushService, alice, bob, subscribe, writeAndPush, pass, outcomes } = await startPushing(
      t,
      database,
    );
    await writeAndPush(alice, bob);
    assert.deepEqual(await outcomes(bob), ['no_device']);
    const phone = await subscribe(bob);
    await service.post('/api/user/settings', { pushEnabled: false }, { token: bob.token });
    await pass(3_000);
    await writeAndPush(alice, bob);
    assert.deepEqual(pushService.attempts(phone.endpoint), []);
    assert.deepEqual(await outcomes(bob), ['off', 'no_device']);
  });

  test('a block answered before the message is due cancels its push', async (t) => {
    const { service, pushService, alice, bob, subscribe, write, pass, outcomes } = await startPushing(
      t,
      database,
    );
    const phone = await subscribe(bob);
    service.services.presence.online.add(bob.id, PRESENT);
    await write(alice, bob);
    await service.post('/api/user/block', { blockedId: alice.id }, { token: bob.token });
    await pass(60_000);
    assert.deepEqual(pushService.attempts(phone.endpoint), []);
    assert.deepEqual(await outcomes(bob), ['blocked']);
  });

  test('a user whose account is closed meanwhile is not notified', async (t) => {
    const { service, pushService, alice, bob, subscribe, write, pass } = await startPushing(t, database);
    const phone = await subscribe(bob);
    service.services.presence.online.add(bob.id, PRESENT);
    await write(alice, bob);
    await service.services.db.run`update users set status = 'suspended' where id = ${bob.id}`;
    await pass(5_000);
    assert.deepEqual(pushService.attempts(phone.endpoint), []);
    const { db } = service.services;
    assert.deepEqual(await db.all`select outcome from push_log where user_id = ${bob.id}`, [
      { outcome: 'account_closed' },
    ]);
  });

  test('a device is removed with its session', async (t) => {
    const { service, pushService, alice, bob, subscribe, writeAndPush, outcomes } = await startPushing(
      t,
      database,
    );
    const phone = await subscribe(bob);
    const again = await service.post('/api/login', { username: 'bob', password: bob.password });
    await service.post('/api/logout', {}, { token: bob.token });
    await writeAndPush(alice, bob);
    assert.deepEqual(pushService.attempts(phone.endpoint), []);
    assert.deepEqual(await outcomes({ ...bob, token: again.body.data.token }), ['no_device']);
  });

  test('messages seen within a minute share one entry', async (t) => {
    const { service, alice, bob, write, pass, outcomes } = await startPushing(t, database);
    const { attention } = service.services.push;
    service.services.presence.online.add(bob.id, PRESENT);
    for (let i = 0; i < 3; i++) {
      attention.acknowledge(bob.id, await write(alice, bob), 'desk');
      await pass(1_000);
    }
    assert.deepEqual(await outcomes(bob), ['seen']);
    await pass(60_000);
    attention.acknowledge(bob.id, await write(alice, bob), 'desk');
    await pass(1_000);
    assert.deepEqual(await outcomes(bob), ['seen', 'seen']);
  });
});
