import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { readSession } from 'doorman-client';
import { MemoryStorage } from 'doorman-client/testing';
import { resubscribe } from 'doorman-client/worker';
import { rotateVapidKeys } from '../../src/push/subscriptions/vapid-keys.ts';
import { onSqlite, type TestDatabase } from '../databases.ts';
import { startPushService } from '../push-service.ts';
import { Device, until } from './device.ts';
import { FAILURES, FailingStorage } from './failing-storage.ts';
import { PushBrowser } from './push-browser.ts';
import { serve } from './serving.ts';

const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Safari/604.1';
const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Safari/605.1.15';

/** Only catches a hang. */
const limit = { timeout: 30_000 };

async function start(t: TestContext, database: TestDatabase) {
  const service = await serve(t, database);
  const pushService = await startPushService();
  t.after(() => pushService[Symbol.asyncDispose]());
  const browser = new PushBrowser(t, pushService);
  const alice = await new Device(t, service.url).signUp('alice');
  const { push } = alice.doorman;
  const arrive = async () => {
    await alice.doorman.api.pushTest();
    return pushService.received(browser.subscription?.endpoint ?? '').length;
  };
  return { service, pushService, browser, alice, push, arrive };
}

onSqlite('Notifications', (database) => {
  test('are asked for at the click, subscribed, confirmed, and arrive', async (t) => {
    const { browser, alice, push, arrive } = await start(t, database);
    assert.equal(await push.state(), 'off');
    assert.equal(await push.check(), 'off');
    assert.deepEqual(browser.acts, []);
    const enabled = push.enable();
    // A browser asks only directly after the click, before any other wait.
    assert.deepEqual(browser.acts, ['asked']);
    assert.equal(await enabled, 'on');
    assert.equal(await push.state(), 'on');
    const device = await push.thisDevice();
    assert.deepEqual([device?.confirmed, device?.current], [1, 1]);
    assert.equal((await alice.doorman.api.pushDevices())[0]?.id, device?.id);
    assert.equal(await arrive(), 1);
    // A repeat changes nothing.
    assert.equal(await push.enable(), 'on');
    assert.equal((await alice.doorman.api.pushDevices()).length, 1);
    assert.deepEqual(browser.acts.filter((act) => act === 'subscribed').length, 1);
  });

  test('that the user denies are not turned on', async (t) => {
    const { browser, alice, push } = await start(t, database);
    browser.answer = 'denied';
    assert.equal(await push.enable(), 'denied');
    assert.equal(await push.state(), 'denied');
    assert.equal(await push.check(), 'denied');
    assert.deepEqual(browser.acts, ['asked']);
    assert.deepEqual(await alice.doorman.api.pushDevices(), []);
    browser.permission = 'default';
    browser.answer = 'default';
    assert.equal(await push.enable(), 'off');
  });

  test('are reported as unavailable where the browser cannot provide them', async (t) => {
    const { browser, push } = await start(t, database);
    browser.fault = new DOMException('Registration failed - push service error', 'AbortError');
    await assert.rejects(push.enable(), { name: 'DoormanError', code: 0, error: 'push_unavailable' });
    assert.equal(await push.state(), 'off');
    browser.fault = undefined;
    assert.equal(await push.enable(), 'on');
  });

  test('stay off, here and at the service, once they are turned off', async (t) => {
    const { browser, alice, push } = await start(t, database);
    await push.enable();
    await push.disable();
    assert.equal(await push.state(), 'off');
    assert.equal(browser.subscription, null);
    assert.deepEqual(await alice.doorman.api.pushDevices(), []);
    assert.equal(await push.thisDevice(), undefined);
    assert.equal(await push.check(), 'off');
    assert.equal(browser.subscription, null);
    await push.disable();
  });

  test('are subscribed again at the next start if the browser lost the subscription', async (t) => {
    const { browser, alice, push, arrive } = await start(t, database);
    await push.enable();
    browser.lose();
    assert.equal(await push.state(), 'off');
    assert.equal(await push.check(), 'on');
    assert.equal(await arrive(), 1);
    // The lost subscription is removed at the service too.
    assert.deepEqual(await alice.doorman.api.pushDevices(), [await push.thisDevice()]);
  });

  test('are registered again at the next start if the service has lost the subscription', async (t) => {
    const { browser, alice, push, arrive } = await start(t, database);
    await push.enable();
    await alice.doorman.api.pushUnsubscribe({ endpoint: browser.subscription?.endpoint ?? '' });
    assert.equal(await push.check(), 'on');
    assert.equal((await alice.doorman.api.pushDevices()).length, 1);
    assert.equal(await arrive(), 1);
    assert.equal(browser.acts.filter((act) => act === 'subscribed').length, 1);
  });

  for (const showsKey of [true, false])
    test(`continue when the key of the service changed, on a browser that ${showsKey ? 'shows' : 'does not show'} the old one`, async (t) => {
      const { service, browser, alice, push, arrive } = await start(t, database);
      browser.showsKey = showsKey;
      await push.enable();
      const before = browser.subscription?.endpoint;
      assert.equal(await push.check(), 'on');
      assert.equal(browser.subscription?.endpoint, before);
      const key = await alice.doorman.api.pushKey();
      await rotateVapidKeys(service.services.db);
      await service.services.push.vapidKeys.reload(service.services.db);
      assert.notEqual(await alice.doorman.api.pushKey(), key);
      assert.equal(await push.check(), 'on');
      assert.notEqual(browser.subscription?.endpoint, before);
      assert.equal((await alice.doorman.api.pushDevices()).length, 1);
      assert.equal(await arrive(), 1);
    });

  test('end with signing out, and the second user of the browser gets none for the first', async (t) => {
    const { service, pushService, browser, alice, push } = await start(t, database);
    await push.enable();
    const endpoint = browser.subscription?.endpoint ?? '';
    const { id } = alice;
    await alice.doorman.signOut();
    assert.equal(browser.subscription, null);
    const rows = await service.services.db.all`select * from push_subscriptions`;
    assert.deepEqual(rows, []);

    await alice.signUp('bob');
    assert.equal(await push.check(), 'off');
    await alice.doorman.api.sendMessage({ to: id, cid: 'c1', body: 'for alice' });
    await service.pushes.runDue();
    assert.deepEqual(pushService.attempts(endpoint), []);
  });

  test('stop when the session expires, and do not reach the next user', async (t) => {
    const { service, browser, alice, push } = await start(t, database);
    await push.enable();
    await service.post('/api/logout', {}, { token: alice.session.token });
    await assert.rejects(alice.doorman.api.friends(), { code: 401 });
    await until(() => browser.subscription === null);
    await alice.signUp('bob');
    assert.equal(await push.check(), 'off');
    assert.equal(browser.subscription, null);
  });

  test('come back when the same user signs in after the session expired', async (t) => {
    const { service, browser, alice, push } = await start(t, database);
    await push.enable();
    await service.post('/api/logout', {}, { token: alice.session.token });
    await assert.rejects(alice.doorman.api.friends(), { code: 401 });
    await until(() => browser.subscription === null);
    await alice.signIn('alice');
    assert.equal(await push.check(), 'on');
    assert.equal((await push.thisDevice())?.current, 1);
  });

  test('of another user, left by an earlier program, end when a user signs in', async (t) => {
    const { browser, alice, push } = await start(t, database);
    await push.enable();
    const left = browser.subscription;
    await alice.storage.clear();
    assert.ok(left);
    const bob = await new Device(t, (await serve(t, database)).url).signUp('bob');
    await until(() => browser.subscription === null);
    assert.equal(await bob.doorman.push.state(), 'off');
  });

  test('are subscribed again by the worker when the browser changes them, confirmed', async (t) => {
    const { service, browser, alice, push, arrive } = await start(t, database);
    await push.enable();
    browser.lose();
    await resubscribe(browser.registration, { baseUrl: service.url, storage: alice.storage });
    assert.equal(await push.state(), 'on');
    const devices = await alice.doorman.api.pushDevices();
    assert.deepEqual(
      devices.map(({ confirmed, current }) => [confirmed, current]),
      [[1, 1]],
    );
    assert.equal(await arrive(), 1);
  });

  test('are in the language that the program chose last, else in that of the browser, and are asked for once', async (t) => {
    const { service, browser, alice, push } = await start(t, database);
    const language = async () => {
      const rows = await service.services.db.all<{
        language: string;
      }>`select language from push_subscriptions`;
      return rows.map((row) => row.language).join();
    };
    const replace = async () => {
      browser.lose();
      await resubscribe(browser.registration, { baseUrl: service.url, storage: alice.storage });
    };
    browser.language = 'zh-CN';
    await push.enable();
    assert.equal(await language(), 'zh');
    browser.language = 'en-US';
    await replace();
    assert.equal(await language(), 'en');

    await push.check({ lang: 'zh-Hant' });
    assert.equal(await language(), 'zh');
    await push.check();
    assert.equal(await language(), 'zh');
    await replace();
    assert.equal(await language(), 'zh');
    await replace();
    assert.equal(await language(), 'zh');
    await assert.rejects(push.check({ lang: 'zh_CN' }), { code: 400, error: 'invalid_field' });

    // The choice is stored before anything else happens: a page that is closed meanwhile has made it.
    browser.lose();
    browser.fault = new DOMException('Registration failed - push service error', 'AbortError');
    await assert.rejects(push.check({ lang: 'en-GB' }), { error: 'push_unavailable' });
    browser.fault = undefined;
    await replace();
    assert.equal(await language(), 'en');

    browser.language = 'zh_CN.UTF-8'; // which the service would refuse
    await push.disable();
    assert.equal(await push.enable(), 'on');
    assert.equal(await language(), 'en');
    assert.equal(browser.acts.filter((act) => act === 'asked').length, 2, 'at the two clicks');
  });

  test('are not subscribed by the worker without a user, or for a user who turned them off', async (t) => {
    const { service, browser, alice, push } = await start(t, database);
    await push.enable();
    const { storage } = alice;
    await push.disable();
    await resubscribe(browser.registration, { baseUrl: service.url, storage });
    assert.equal(browser.subscription, null);
    await push.enable();
    await resubscribe(browser.registration, { baseUrl: service.url, storage: new MemoryStorage() });
    assert.equal(browser.subscription, null);
  });

  for (const failure of FAILURES)
    test(`stay as they are where the storage ${failure}, in the worker and in the page`, limit, async (t) => {
      const { service, browser, alice, push } = await start(t, database);
      await push.enable();
      const { subscription } = browser;
      const storage = new FailingStorage(alice.doorman.storage);
      storage.fail(failure, 'get');
      const options = { baseUrl: service.url, storage };
      const times = { deadlineMs: 15_000, storageMs: 100 };
      const expected = { code: 0, error: 'storage_failed' };
      await assert.rejects(resubscribe(browser.registration, options, times), expected);
      await assert.rejects(readSession(storage, times), expected);
      assert.equal(browser.subscription, subscription);
      storage.recover();
      const restarted = new Device(t, service.url, { storage, times });
      await restarted.doorman.restore();
      storage.fail(failure, 'get');
      await restarted.doorman.push.check();
      assert.equal(browser.subscription, subscription);
    });

  test('are not subscribed by an ended session, for which the service would store them unconfirmed', async (t) => {
    const { service, browser, alice, push } = await start(t, database);
    await push.enable();
    const rows = () => service.services.db.all`select * from push_subscriptions`;
    await service.post('/api/logout', {}, { token: alice.session.token });
    browser.lose();
    const lost = resubscribe(browser.registration, { baseUrl: service.url, storage: alice.storage });
    await assert.rejects(lost, { code: 401 });
    assert.equal(browser.subscription, null);
    await assert.rejects(push.check(), { code: 401 });
    assert.deepEqual(await rows(), []);
    await until(() => alice.doorman.session === undefined);
  });

  test('need what a browser has for them, and on iOS and iPadOS the home screen', async (t) => {
    const pushService = await startPushService();
    t.after(() => pushService[Symbol.asyncDispose]());
    const service = await serve(t, database);
    const alice = await new Device(t, service.url).signUp('alice');
    const { push } = alice.doorman;
    // On Node without changes.
    assert.equal(await push.state(), 'unsupported');
    assert.equal(await push.enable(), 'unsupported');
    assert.equal(await push.check(), 'unsupported');
    await push.disable();
    const states: [expected: string, options: ConstructorParameters<typeof PushBrowser>[2]][] = [
      ['unsupported', { hasPush: false }],
      ['unsupported', { isSecureContext: false }],
      ['unsupported', { hasPush: false, userAgent: MAC }],
      ['needs_home_screen', { hasPush: false, userAgent: IPHONE, maxTouchPoints: 5 }],
      ['needs_home_screen', { hasPush: false, userAgent: MAC, maxTouchPoints: 5 }],
      ['off', { userAgent: IPHONE, maxTouchPoints: 5 }],
    ];
    for (const [expected, options] of states) {
      new PushBrowser(t, pushService, options);
      assert.equal(await push.state(), expected, JSON.stringify(options));
    }
    // On the home screen of a system that is too old.
    const old = new PushBrowser(t, pushService, { hasPush: false, userAgent: IPHONE, maxTouchPoints: 5 });
    old.isStandalone = true;
    assert.equal(await push.state(), 'unsupported');
  });
});
