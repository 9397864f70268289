import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onFirefox } from './each-browser.ts';
import { type FirefoxPushService, startFirefoxPushService } from './firefox-push-service.ts';
import {
  alerts,
  setNotificationPermission,
  shownNotifications,
  waitForNotification,
} from './notifications.ts';
import { startProbePage, subscribe } from './probe-page.ts';
import { openContext, openWindow } from './running-browser.ts';
import { type Account, startSite } from './site.ts';
import { waitFor } from './waiting.ts';

let pushService: FirefoxPushService;

onFirefox(
  'A true push',
  (firefox) => {
    async function start(t: TestContext) {
      const [site, url] = [await startSite(t), await startProbePage(t)];
      const { publicKey } = (await site.get('/api/push/public-key')).body;

      /** Somebody whose browser is subscribed at the service. */
      async function join(username: string) {
        const person = await site.join(username);
        const context = await openContext(t, firefox());
        await setNotificationPermission(context, url, 'granted');
        const page = await openWindow(context, url);
        const subscription = await subscribe(page, publicKey);
        const body = { userId: person.id, subscription };
        assert.equal((await site.post('/api/push/subscribe', body, person.token)).status, 200);
        const settings = { pushPreview: 'full' };
        assert.equal((await site.post('/api/user/settings', settings, person.token)).status, 200);
        const devices = async () => (await site.get('/api/push/devices', person.token)).body.data.length;
        const outcomes = async (): Promise<string[]> => {
          const { body } = await site.get('/api/push/log', person.token);
          return body.data.map((entry: { outcome: string }) => entry.outcome);
        };
        return { ...person, context, page, subscription, devices, outcomes };
      }

      async function write(from: Account, to: Account, body: string): Promise<void> {
        const message = { to: to.id, cid: crypto.randomUUID(), body };
        assert.equal((await site.post('/api/messages', message, from.token)).status, 200);
      }
      return { site, join, write };
    }

    test('the test notification comes through, and the browser decrypts it', async (t) => {
      const { site, join } = await start(t);
      const alice = await join('alice');
      const { body } = await site.get(`/api/push/test-send?userId=${alice.id}&detail=1`, alice.token);
      assert.equal(body.code, 200, JSON.stringify(body));
      const { data } = await waitForNotification(alice.page);
      assert.deepEqual(JSON.parse(String(data)).notification, {
        title: 'Doorman',
        body: 'Test notification · 测试通知',
        navigate: `${site.url}/`,
        tag: 'doorman-test',
      });
      const { ack, status } = await pushService.acknowledged(alice.subscription.endpoint);
      assert.deepEqual([ack, status], [100, 201]);
    });

    test('a message reaches whom it is for, and nobody else in the same browser', async (t) => {
      const { join, write } = await start(t);
      const [alice, bob] = [await join('alice'), await join('bob')];
      assert.notEqual(alice.subscription.endpoint, bob.subscription.endpoint);
      await write(alice, bob, 'Tea at five? 🫖');
      await waitForNotification(bob.page, { title: 'alice', body: 'Tea at five? 🫖' });
      assert.deepEqual(await shownNotifications(alice.page), []);
      await waitFor('the log', async () => (await bob.outcomes()).includes('accepted'));
    });

    test('what comes while the browser is not connected waits for it', async (t) => {
      const { site, join, write } = await start(t);
      const [alice, bob] = [await site.join('alice'), await join('bob')];
      pushService.dropSockets();
      await write(alice, bob, 'after the cut');
      await waitForNotification(bob.page, { title: 'alice', body: 'after the cut' });
    });

    test('a browser that unsubscribed is tried once more, and then forgotten', async (t) => {
      const { site, join, write } = await start(t);
      const [alice, bob] = [await site.join('alice'), await join('bob')];
      const isDone = await bob.page.evaluate(async () => {
        const registration = await navigator.serviceWorker.ready;
        return (await registration.pushManager.getSubscription())?.unsubscribe();
      });
      assert.equal(isDone, true);
      assert.equal(await bob.devices(), 1);
      await write(alice, bob, 'gone?');
      await waitFor('the device to go', async () => (await bob.devices()) === 0);
      assert.deepEqual(await bob.outcomes(), ['gone']);
      assert.deepEqual(await shownNotifications(bob.page), []);
    });

    test('a browser that its push service lost is told so, and its old address is refused', async (t) => {
      const { site, join, write } = await start(t);
      const [alice, bob] = [await site.join('alice'), await join('bob')];
      const { endpoint } = bob.subscription;
      for (const browser of pushService.browsers()) pushService.forget(browser);
      const { data } = await waitForNotification(bob.page, { title: 'Subscription lost' });
      assert.equal(data, endpoint);
      await write(alice, bob, 'to the old address');
      await waitFor('the device to go', async () => (await bob.devices()) === 0);
      assert.deepEqual(await bob.outcomes(), ['gone']);
      assert.ok(!(await alerts(firefox())).some(({ body }) => body.includes('to the old address')));
    });
  },
  async (group) => {
    pushService = await startFirefoxPushService(group);
    return { pushUrl: pushService.url };
  },
);
