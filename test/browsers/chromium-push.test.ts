import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onChromium } from './each-browser.ts';
import { type GcmService, startGcmService } from './gcm-service.ts';
import { setNotificationPermission, waitForNotification } from './notifications.ts';
import { startProbePage, subscribe } from './probe-page.ts';
import { openWindow } from './running-browser.ts';
import { type Account, startSite } from './site.ts';
import { waitFor } from './waiting.ts';

let gcm: GcmService | string;

// In place of the world outside are Google's push service, where the name of its endpoints leads, and who is trusted to
// sign for it. Chromium, its endpoint, and the service that sends to it are what they are elsewhere.
onChromium(
  'A true push',
  (chromium) => {
    async function start(t: TestContext) {
      if (typeof gcm === 'string') return void t.skip(gcm);
      const [site, url] = [await startSite(t, { world: gcm.world }), await startProbePage(t)];
      const [alice, bob, carol] = [
        await site.join('alice'),
        await site.join('bob'),
        await site.join('carol'),
      ];
      // Chromium takes every other context for a private window, where nothing subscribes.
      const context = chromium().driver.defaultBrowserContext();
      await setNotificationPermission(context, url, 'granted');
      const page = await openWindow(context, url);
      const { publicKey } = (await site.get('/api/push/public-key')).body;
      const subscription = await subscribe(page, publicKey);
      const body = { userId: bob.id, subscription };
      assert.equal((await site.post('/api/push/subscribe', body, bob.token)).status, 200);
      await site.post('/api/user/settings', { pushPreview: 'full' }, bob.token);

      async function write(from: Account, text: string): Promise<void> {
        const message = { to: bob.id, cid: crypto.randomUUID(), body: text };
        assert.equal((await site.post('/api/messages', message, from.token)).status, 200);
      }
      return { gcm, site, url, alice, bob, carol, context, page, subscription, write };
    }

    test('a message comes through and is decrypted, with the page open and closed', async (t) => {
      const started = await start(t);
      if (!started) return;
      const { gcm, site, url, alice, bob, carol, context, page, subscription, write } = started;
      assert.match(subscription.endpoint, /^https:\/\/(jmt17\.google|fcm\.googleapis)\.com\/fcm\/send\//);
      await write(alice, 'Tea at five? 🫖');
      await waitForNotification(page, { title: 'alice', body: 'Tea at five? 🫖' });
      await page.close();
      await write(carol, 'Are you there?');
      const push = await gcm.acknowledged(subscription.endpoint, 1);
      assert.equal(push.status, 201);
      await waitForNotification(await openWindow(context, url), { title: 'carol', body: 'Are you there?' });
      const { body } = await site.get('/api/push/log', bob.token);
      const outcomes = body.data.map((entry: { outcome: string }) => entry.outcome);
      assert.deepEqual(outcomes, ['accepted', 'accepted']);
    });

    test('a browser that unsubscribed is tried once more, and then forgotten', async (t) => {
      const started = await start(t);
      if (!started) return;
      const { site, alice, bob, page, write } = started;
      const isDone = await page.evaluate(async () => {
        const registration = await navigator.serviceWorker.ready;
        return (await registration.pushManager.getSubscription())?.unsubscribe();
      });
      assert.equal(isDone, true);
      await waitFor('the device to go', async () => {
        await write(alice, 'gone?');
        return (await site.get('/api/push/devices', bob.token)).body.data.length === 0;
      });
    });
  },
  async (group) => {
    gcm = await startGcmService(group);
    return typeof gcm === 'string' ? {} : gcm;
  },
);
