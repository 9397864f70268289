import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../../test/databases.ts';
import { addCrowd } from '../../../test/people.ts';
import { upload } from '../../../test/picturing.ts';
import { notifications, startPushing } from '../../../test/pushing.ts';
import { rotateVapidKeys } from '../subscriptions/vapid-keys.ts';

onEachDatabase('the contents of a push', (database) => {
  test('shows as much as the user chose', async (t) => {
    const { service, pushService, alice, bob, subscribe, writeAndPush, pass } = await startPushing(
      t,
      database,
    );
    const phone = await subscribe(bob);
    await service.post('/api/user/profile', { nickname: 'Alice Liddell' }, { token: alice.token });
    for (const pushPreview of ['sender', 'full', 'none']) {
      await service.post('/api/user/settings', { pushPreview }, { token: bob.token });
      await writeAndPush(alice, bob, `my text ${pushPreview}`);
      await pass(3_000);
    }
    assert.deepEqual(
      notifications(pushService, phone).map(({ title, body }) => [title, body]),
      [
        ['Alice Liddell', 'New message'],
        ['Alice Liddell', '2 new messages\nmy text full'],
        ['Doorman', '3 new messages'],
      ],
    );
  });

  test('says that there is a picture, before its caption and by a full preview alone', async (t) => {
    const { service, pushService, alice, bob, subscribe, pass } = await startPushing(t, database);
    const [english, chinese] = [await subscribe(bob), await subscribe(bob, { lang: 'zh' })];
    for (const [pushPreview, cid, body] of [
      ['sender', 'c1', 'secret'],
      ['full', 'c2', ''],
      ['full', 'c3', 'the cat'],
    ]) {
      await service.post('/api/user/settings', { pushPreview }, { token: bob.token });
      const { id: picture } = await upload(service, alice);
      await service.post('/api/messages', { to: bob.id, cid, body, picture }, { token: alice.token });
      await pass(10_000);
    }
    const shown = (device: typeof english) => notifications(pushService, device).map(({ body }) => body);
    assert.deepEqual(shown(english), [
      'New message',
      '2 new messages\nPicture',
      '3 new messages\nPicture: the cat',
    ]);
    assert.deepEqual(shown(chinese), ['新消息', '2 条新消息\n图片', '3 条新消息\n图片：the cat']);
  });

  test('is in the language that its device has when it is sent, also where the push waited', async (t) => {
    const { service, pushService, alice, bob, subscribe, writeAndPush, pass } = await startPushing(
      t,
      database,
    );
    const [chinese, english] = [
      await subscribe(bob, { lang: 'zh-CN' }),
      await subscribe(bob, { lang: 'en' }),
    ];
    const [changed, unknown] = [await subscribe(bob, { lang: 'en' }), await subscribe(bob, { lang: 'zh' })];
    await service.services.db.run`
      update push_subscriptions set language = '' where endpoint = ${unknown.endpoint}`;
    pushService.answerNext(changed.endpoint, { status: 429, headers: { 'retry-after': '60' } });
    await writeAndPush(alice, bob);
    await subscribe(bob, { of: changed, lang: 'zh' });
    await pass(60_000);
    assert.deepEqual(
      [chinese, english, changed, unknown].map((device) =>
        notifications(pushService, device).map(({ lang, body }) => `${lang}: ${body}`),
      ),
      [['zh-CN: 新消息'], ['en: New message'], ['zh-CN: 新消息'], ['en: New message']],
    );
  });

  test('the badge counts at most 100 unread conversations, however many message requests are beside them', async (t) => {
    const { service, pushService, alice, bob, subscribe, writeAndPush, pass } = await startPushing(
      t,
      database,
    );
    const { db } = service.services;
    const phone = await subscribe(bob);
    const ids = await addCrowd(db, 150);
    await db.transaction(async (tx) => {
      for (const id of ids)
        await tx.run`insert into conversations (user_id, peer_id, n, unread) values (${bob.id}, ${id}, 1, 1)`;
    });
    await writeAndPush(alice, bob);
    await db.transaction(async (tx) => {
      for (const id of ids.slice(0, 120))
        await tx.run`
          insert into message_requests (user_id, peer_id, state, messages, at) values (${bob.id}, ${id}, 'declined', 1, 0)`;
    });
    await pass(3_000);
    await writeAndPush(alice, bob);
    const badges = pushService.received(phone.endpoint).map(({ text }) => JSON.parse(text ?? '').app_badge);
    assert.deepEqual(badges, [100, 32]);
  });

  test('the badge counts what is unread, but not from users that the user blocks', async (t) => {
    const { service, pushService, alice, bob, subscribe, write, writeAndPush, pass } = await startPushing(
      t,
      database,
    );
    const carol = await service.join('carol');
    await write(carol, bob);
    await service.post('/api/user/block', { blockedId: carol.id }, { token: bob.token });
    const phone = await subscribe(bob);
    await writeAndPush(alice, bob);
    await service.post('/api/user/unblock', { blockedId: carol.id }, { token: bob.token });
    await pass(3_000);
    await writeAndPush(alice, bob);
    const badges = pushService.received(phone.endpoint).map(({ text }) => JSON.parse(text ?? '').app_badge);
    assert.deepEqual(badges, [1, 3]);
  });

  test('the longest message fits: its beginning is sent', async (t) => {
    const { service, pushService, alice, bob, subscribe, writeAndPush } = await startPushing(t, database);
    const phone = await subscribe(bob);
    await service.post('/api/user/settings', { pushPreview: 'full' }, { token: bob.token });
    await writeAndPush(alice, bob, '语'.repeat(4_000));
    const [push] = pushService.received(phone.endpoint);
    assert(Buffer.byteLength(push?.text ?? '') < 3_000);
    assert.match(notifications(pushService, phone)[0].body, /^语{300,}…$/);
  });

  test('a push may wait 24 hours at the push service, is urgent, and replaces the one before (RFC 8030 5)', async (t) => {
    const { pushService, alice, bob, subscribe, writeAndPush, pass } = await startPushing(t, database);
    const phone = await subscribe(bob);
    await writeAndPush(alice, bob);
    await pass(3_000);
    await writeAndPush(alice, bob);
    const [first, second] = pushService.received(phone.endpoint);
    assert.deepEqual([first?.headers.ttl, first?.headers.urgency], ['86400', 'high']);
    assert.match(String(first?.headers.topic), /^[\w-]{32}$/);
    assert.equal(second?.headers.topic, first?.headers.topic);
  });

  test('an unconfirmed device gets fixed words: no sender, text, count or conversation (promise 7)', async (t) => {
    const { service, pushService, alice, bob, subscribe, writeAndPush, pass, outcomes } = await startPushing(
      t,
      database,
    );
    await service.post('/api/user/settings', { pushPreview: 'full' }, { token: bob.token });
    const carol = await service.join('carol');
    const unknown = await subscribe(bob, { unconfirmed: true });
    await writeAndPush(alice, bob, 'a secret');
    await pass(60_000);
    await writeAndPush(carol, bob, 'another secret');
    const received = pushService.received(unknown.endpoint);
    assert.equal(received.length, 2);
    for (const { text, headers } of received) {
      assert.equal(
        text,
        '{"web_push":8030,"notification":{"title":"Doorman","lang":"en","dir":"auto","body":"New messages","navigate":"https://chat.example.org/","tag":"doorman"}}',
      );
      assert.equal(headers.topic, received[0]?.headers.topic);
    }
    assert.deepEqual(await outcomes(bob), ['accepted', 'accepted']);
  });

  test('an unconfirmed device is notified at most once a minute, and the last message is not lost', async (t) => {
    const { service, pushService, alice, bob, subscribe, writeAndPush, write, pass, outcomes } =
      await startPushing(t, database);
    const [carol, dave] = [await service.join('carol'), await service.join('dave')];
    const unknown = await subscribe(bob, { unconfirmed: true });
    const count = () => pushService.received(unknown.endpoint).length;
    await Promise.all([write(alice, bob), write(carol, bob)]);
    await pass(0);
    assert.equal(count(), 1);
    await pass(30_000);
    await writeAndPush(carol, bob);
    await writeAndPush(dave, bob);
    await pass(29_999);
    assert.equal(count(), 1);
    await pass(1);
    assert.equal(count(), 2);
    await pass(600_000);
    assert.equal(count(), 2);
    // The first two messages may be decided together or not; the notification covers the other one either way.
    const others = (await outcomes(bob)).filter((outcome) => outcome !== 'accepted');
    assert.deepEqual(new Set(others), new Set(['already_notified']));
  });

  test('a push is signed with the key that its subscription was made with, however often keys rotate', async (t) => {
    const { service, pushService, alice, bob, subscribe, writeAndPush, pass } = await startPushing(
      t,
      database,
    );
    const {
      db,
      push: { vapidKeys },
    } = service.services;
    const old = await subscribe(bob);
    await rotateVapidKeys(db);
    await vapidKeys.reload(db);
    const fresh = await subscribe(bob);
    await writeAndPush(alice, bob);
    // The page shows the same subscription at each start.
    await subscribe(bob, { of: old });
    await pass(3_000);
    await writeAndPush(alice, bob);
    for (const device of [old, fresh])
      assert.deepEqual(
        pushService.attempts(device.endpoint).map(({ status, reason }) => [status, reason]),
        [
          [201, undefined],
          [201, undefined],
        ],
      );
    const keys = [old, fresh].map((device) =>
      pushService.attempts(device.endpoint)[0]?.headers.authorization?.slice(-87),
    );
    assert.equal(keys[1], vapidKeys.publicKey);
    assert.notEqual(keys[0], keys[1]);
  });

  test('a device with invalid keys is marked, is not notified, and delays no one else', async (t) => {
    const { pushService, alice, bob, subscribe, writeAndPush, pass, log } = await startPushing(t, database);
    const broken = pushService.subscribe();
    const noPoint = Buffer.alloc(65, 4).toString('base64url');
    await subscribe(bob, { of: { ...broken, keys: { ...broken.keys, p256dh: noPoint } } });
    const phone = await subscribe(bob);
    await writeAndPush(alice, bob);
    await pass(3_000);
    await writeAndPush(alice, bob);
    assert.deepEqual(pushService.attempts(broken.endpoint), []);
    assert.equal(pushService.received(phone.endpoint).length, 2);
    assert.deepEqual((await log(bob)).map((entry) => entry.outcome).toSorted(), [
      'accepted',
      'accepted',
      'unusable',
    ]);
  });
});
