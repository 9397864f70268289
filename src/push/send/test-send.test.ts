import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase, onSqlite, type TestDatabase } from '../../../test/databases.ts';
import { addUser } from '../../../test/people.ts';
import { type SubscriptionJson, startPushService } from '../../../test/push-service.ts';
import { openSession } from '../../accounts/sessions.ts';
import { LocalLimits } from '../../limits/local-limits.ts';
import { listPushLog } from '../log/push-log.ts';
import { openPushReceipts } from '../log/receipts.ts';
import type { Subscription } from '../schemas.ts';
import { listSubscriptions, saveSubscription } from '../subscriptions/subscriptions.ts';
import { openVapidKeyring } from '../subscriptions/vapid-keys.ts';
import { openPushClient, type PushClient } from '../webpush/client.ts';
import { sendTest } from './test-send.ts';

const DAY_S = 86_400;

async function start(t: Parameters<TestDatabase['open']>[0], database: TestDatabase) {
  const db = await database.open(t);
  const push = await startPushService();
  const sender = openPushClient({ reach: 'any', ports: [] });
  t.after(() => sender[Symbol.asyncDispose]());
  t.after(() => push[Symbol.asyncDispose]());
  const keyring = await openVapidKeyring(db, 'mailto:a@example.com', Date.now);
  const pushReceipts = await openPushReceipts(db);
  const alice = await addUser(db, 'alice');
  const session = (await openSession(db, alice, '!', '', Date.now())) ?? '';
  const faults: unknown[] = [];
  const testSendLimit = new LocalLimits([], () => 0);
  const hooks: { afterAnswer?: () => Promise<void> } = {};
  const watched: PushClient = {
    ...sender,
    async send(request) {
      const answer = await sender.send(request);
      await hooks.afterAnswer?.();
      return answer;
    },
  };
  return {
    db,
    push,
    pushReceipts,
    alice,
    faults,
    hooks,
    async save(subscription: Subscription, sessionId: string | null = session): Promise<void> {
      const vapidPublic = keyring.publicKey;
      await saveSubscription(db, {
        userId: alice,
        subscription,
        sessionId,
        vapidPublic,
        device: 'Firefox',
        language: 'en',
        now: Date.now(),
      });
    },
    /** A device whose push service knows it. */
    async device(sessionId: string | null = session): Promise<SubscriptionJson> {
      const subscription = push.subscribe(keyring.publicKey);
      await this.save(subscription, sessionId);
      return subscription;
    },
    send: (deviceId?: string) =>
      sendTest(
        {
          db,
          clock: { now: Date.now, monotonicMs: () => 0 },
          log: { error: (fault: unknown) => void faults.push(fault) },
          push: { client: watched, receipts: pushReceipts, testSendLimit, vapidKeys: keyring },
          publicUrl: 'https://chat.example.com',
          reach: 'any',
        },
        alice,
        deviceId,
      ),
    async stored(): Promise<string[]> {
      return (await listSubscriptions(db, alice)).map((row) => row.endpoint).sort();
    },
  };
}

onEachDatabase('a test send', (database) => {
  test('answers undefined if no subscription is stored', async (t) => {
    const { db, alice, send } = await start(t, database);
    assert.equal(await send(), undefined);
    assert.deepEqual(await listPushLog(db, alice), []);
  });

  test('reaches every device, unconfirmed ones too, as a valid Declarative Web Push of fixed words', async (t) => {
    const service = await start(t, database);
    const { push, pushReceipts, send } = service;
    const devices = [await service.device(), await service.device(null)];
    await service.db.run`update push_subscriptions set language = 'zh' where session_id is null`;
    const entries = await send();
    assert.deepEqual(
      entries?.map((entry) => [entry.kind, entry.outcome, entry.status, entry.detail]),
      [
        ['test', 'accepted', 201, ''],
        ['test', 'accepted', 201, ''],
      ],
    );
    for (const [i, { endpoint }] of devices.entries()) {
      const [received, ...more] = push.received(endpoint);
      assert(received && more.length === 0);
      assert.equal(received.headers.ttl, String(DAY_S));
      assert.equal(received.headers.urgency, 'high');
      const { doorman, ...payload } = JSON.parse(received.text ?? '');
      // The receipt lets a confirmed device report what became of the notification.
      const logId = doorman && pushReceipts.read(doorman.receipt);
      if (i === 0) assert.ok(entries?.some(({ id }) => id === logId));
      else assert.equal(doorman, undefined);
      assert.deepEqual(payload, {
        web_push: 8030,
        notification: {
          title: 'Doorman',
          lang: i === 0 ? 'en' : 'zh-CN',
          dir: 'auto',
          body: i === 0 ? 'Test notification' : '测试通知',
          navigate: 'https://chat.example.com/',
          tag: 'doorman-test',
        },
      });
    }
  });

  test('with a device id only that device is notified; an unknown id answers undefined', async (t) => {
    const service = await start(t, database);
    const { db, push, alice, send } = service;
    const [named, other] = [await service.device(), await service.device()];
    const { id = '' } =
      (await listSubscriptions(db, alice)).find(({ endpoint }) => endpoint === named.endpoint) ?? {};
    assert.deepEqual(
      (await send(id))?.map((entry) => [entry.device, entry.device_name]),
      [[id, 'Firefox']],
    );
    assert.equal(await send('nothing'), undefined);
    assert.deepEqual([push.received(named.endpoint).length, push.received(other.endpoint).length], [1, 0]);
  });

  test('the answer of each push service is in the log and in the result', async (t) => {
    const service = await start(t, database);
    const { db, push, alice, send } = service;
    const [good, busy, broken] = [await service.device(), await service.device(), await service.device()];
    push.answerNext(busy.endpoint, { status: 503, body: 'come back\nlater' });
    push.answerNext(broken.endpoint, 'drop');
    const entries = await send();
    const byDevice = new Map(entries?.map((entry) => [entry.device, entry]));
    const rows = new Map((await listSubscriptions(db, alice)).map((row) => [row.endpoint, row]));
    const said = (one: SubscriptionJson) => {
      const entry = byDevice.get(rows.get(one.endpoint)?.id ?? '');
      return [entry?.outcome, entry?.status, entry?.detail];
    };
    assert.deepEqual(said(good), ['accepted', 201, '']);
    assert.deepEqual(said(busy), ['refused', 503, 'server_error']);
    assert.deepEqual(said(broken), ['failed', null, 'connect']);
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
    const logged = (await listPushLog(db, alice)).map((entry) => ({ ...entry }));
    assert.deepEqual(logged.sort(byId), entries?.sort(byId));
    const succeeded = await db.all<{ endpoint: string }>`
      select endpoint from push_subscriptions where last_success_at is not null`;
    assert.deepEqual(succeeded, [{ endpoint: good.endpoint }]);
  });

  test('a device that its push service no longer knows is removed, one that it refuses is not', async (t) => {
    const service = await start(t, database);
    const { push, send, stored } = service;
    const kept: string[] = [];
    for (const status of [404, 410, 400, 401, 403, 413, 429, 500, 301]) {
      const { endpoint } = await service.device();
      push.answerNext(endpoint, { status });
      if (status !== 404 && status !== 410) kept.push(endpoint);
    }
    const outcomes = (await send())?.map((entry) => `${entry.outcome} ${entry.status}`).sort();
    assert.deepEqual(outcomes, [
      'gone 404',
      'gone 410',
      'refused 301',
      'refused 400',
      'refused 401',
      'refused 403',
      'refused 413',
      'refused 429',
      'refused 500',
    ]);
    assert.deepEqual(await stored(), kept.sort());
  });

  test('a call that removes the last subscription still has a result; the next answers undefined', async (t) => {
    const service = await start(t, database);
    const { endpoint } = await service.device();
    service.push.answerNext(endpoint, { status: 410 });
    assert.equal((await service.send())?.length, 1);
    assert.equal(await service.send(), undefined);
  });

  test('a subscription that was replaced between the answer and its removal is not removed', async (t) => {
    const service = await start(t, database);
    const { push, send, stored, hooks } = service;
    const { endpoint } = await service.device();
    push.answerNext(endpoint, { status: 410 });
    const { keys } = push.subscribe();
    hooks.afterAnswer = () => service.save({ endpoint, keys });
    assert.equal((await send())?.[0]?.outcome, 'gone');
    assert.deepEqual(await stored(), [endpoint]);
  });

  test('keys that are Base64 but no P-256 keys become unusable, and work once they are replaced', async (t) => {
    const service = await start(t, database);
    const { db, alice, push, send } = service;
    const subscription = push.subscribe();
    const { endpoint, keys } = subscription;
    const good = Buffer.from(keys.p256dh, 'base64url');
    const wrong = [
      { ...keys, p256dh: 'AAAA' },
      { ...keys, p256dh: Buffer.alloc(65, 4).toString('base64url') },
      { ...keys, p256dh: good.subarray(0, 64).toString('base64url') },
      { ...keys, auth: 'AAAA' },
    ];
    for (const one of wrong) {
      await service.save({ endpoint, keys: one });
      const [entry] = (await send()) ?? [];
      assert.deepEqual([entry?.outcome, entry?.status], ['unusable', null], JSON.stringify(one));
      assert.ok((await listSubscriptions(db, alice))[0]?.unusable_since);
    }
    assert.equal(push.requests, 0);
    await service.save(subscription);
    assert.equal((await send())?.[0]?.outcome, 'accepted');
    assert.equal((await listSubscriptions(db, alice))[0]?.unusable_since, null);
  });

  test('every spelling of Base64 is the same key', async (t) => {
    const service = await start(t, database);
    const { push, send } = service;
    const { keys, ...rest } = push.subscribe();
    const spell = (to: 'base64' | 'base64url', padded: boolean) => (key: string) => {
      const text = Buffer.from(key, 'base64url').toString(to).replace(/=+$/, '');
      return padded ? text.padEnd(Math.ceil(text.length / 4) * 4, '=') : text;
    };
    for (const to of ['base64', 'base64url'] as const)
      for (const padded of [true, false]) {
        const as = spell(to, padded);
        await service.save({ ...rest, keys: { p256dh: as(keys.p256dh), auth: as(keys.auth) } });
        assert.equal((await send())?.[0]?.outcome, 'accepted', `${to} ${padded}`);
      }
    assert.equal(push.received(rest.endpoint).length, 4);
  });

  test('an error of the service itself with one device is reported, and the other devices are notified', async (t) => {
    const service = await start(t, database);
    const { db, faults, push, send } = service;
    const devices = [await service.device(), await service.device()];
    await db.run`update push_subscriptions set endpoint = 'not a url' where endpoint = ${devices[0]?.endpoint ?? ''}`;
    assert.equal((await send())?.length, 1);
    assert.equal(faults.length, 1);
    assert.equal(push.received(devices[1]?.endpoint ?? '').length, 1);
  });
});

onSqlite('the time of a test send', (database) => {
  test('a push service that hangs delays it by at most 3 s; a later answer is still logged', async (t) => {
    const service = await start(t, database);
    const { db, alice, push, send } = service;
    const [good, hanging] = [await service.device(), await service.device()];
    push.answerNext(hanging.endpoint, 'hang');
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let isAnswered = false;
    const sending = send().finally(() => {
      isAnswered = true;
    });
    while (push.attempts(hanging.endpoint).length === 0 || (await listPushLog(db, alice)).length === 0)
      await new Promise(setImmediate);
    // The push client itself waits for 10 s, and then reports a failure.
    t.mock.timers.tick(2_999);
    await new Promise(setImmediate);
    assert.equal(isAnswered, false);
    t.mock.timers.tick(1);
    assert.deepEqual(
      (await sending)?.map((entry) => entry.outcome),
      ['accepted'],
    );
    t.mock.timers.reset();
    assert.equal(push.received(good.endpoint).length, 1);
    assert.equal((await listPushLog(db, alice)).length, 1);
    push.dropConnections();
    while ((await listPushLog(db, alice)).length < 2) await new Promise(setImmediate);
    assert.deepEqual((await listPushLog(db, alice)).map((entry) => entry.outcome).sort(), [
      'accepted',
      'failed',
    ]);
    assert.equal((await service.stored()).length, 2);
  });
});
