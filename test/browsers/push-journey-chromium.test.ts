import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startPushService } from '../push-service.ts';
import { openDelivery } from './chromium-pushes.ts';
import { onChromium } from './each-browser.ts';
import { endingsOf } from './endings.ts';
import { type GcmService, startGcmService } from './gcm-service.ts';
import { setNotificationPermission, shownNotifications, waitForNotification } from './notifications.ts';
import {
  arriveAtHome,
  choosePreview,
  endpointOf,
  leave,
  openRecords,
  openSettings,
  readLog,
  turnOn,
  turnSwitch,
  waitForPush,
} from './notified-person.ts';
import { arrive } from './person.ts';
import { openWindow, PATIENCE_MS } from './running-browser.ts';
import { type Account, startSite } from './site.ts';
import { waitFor } from './waiting.ts';

const NEW_MESSAGE = 'New message';

let gcm: GcmService | string;

onChromium(
  'Notifications',
  (chromium) => {
    /** The site with Bob, in whose Chromium it is installed, and a page of it that has loaded no conversations. */
    async function start(t: TestContext) {
      const site = await startSite(t, { env: { PUSH_ALLOW_PRIVATE: '1' } });
      const bob = await arriveAtHome(t, chromium(), site, 'bob');
      await bob.signUp();
      await setNotificationPermission(bob.context, site.url, 'granted');
      const other = await openWindow(bob.context, `${site.url}/docs`);
      const session = await other.createCDPSession();
      const manifestId = `${site.url}/`;
      await session.send('PWA.install', { manifestId, installUrlOrBundleUrl: manifestId });
      return {
        site,
        bob,
        other,
        records: await openRecords(bob),
        waitForBadge: (count: number) =>
          waitFor(`${count} on the icon`, async () => {
            const { badgeCount } = await session.send('PWA.getOsAppState', { manifestId });
            return badgeCount === count;
          }),
        write: async ({ token }: Account, body: string) => {
          const message = { to: bob.id, cid: crypto.randomUUID(), body };
          assert.equal((await site.post('/api/messages', message, token)).status, 200);
        },
      };
    }

    test('are shown with what the service sent, and counted on the icon until all is read', async (t) => {
      const { site, bob, other, records, waitForBadge, write } = await start(t);
      const [alice, carol] = [await site.join('alice'), await site.join('carol')];
      const pushService = endingsOf(t).use(await startPushService());
      const subscription = pushService.subscribe((await site.get('/api/push/public-key')).body.publicKey);
      const { endpoint } = subscription;
      const status = await bob.page.evaluate(
        async (body, token) => {
          const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
          const request = { method: 'POST', headers, body: JSON.stringify(body) };
          return (await fetch('/api/push/subscribe', request)).status;
        },
        { userId: bob.id, subscription },
        records.token,
      );
      assert.equal(status, 200);
      const deliver = await openDelivery(other);
      await leave(bob, records);

      await write(alice, 'Tea at five?');
      await deliver((await pushService.next(endpoint, PATIENCE_MS)).text ?? '');
      await waitForBadge(1);
      await write(carol, 'hello');
      await deliver((await pushService.next(endpoint, PATIENCE_MS)).text ?? '');
      await waitForBadge(2);
      assert.deepEqual(
        (await shownNotifications(other)).map(({ title, body, tag }) => [title, body, tag]),
        [
          ['alice', NEW_MESSAGE, `chat-${alice.id}`],
          ['carol', NEW_MESSAGE, `chat-${carol.id}`],
        ],
      );
      await waitFor('the receipts', async () => (await records.log()).every(({ shown }) => shown !== null));

      await bob.openPage(`/chat/${alice.id}`);
      await bob.waitForMessage('Tea at five?');
      await waitForBadge(1);
      await waitFor('one notification', async () => {
        const [shown, ...more] = await shownNotifications(other);
        return shown?.title === 'carol' && more.length === 0;
      });
      await bob.click(`conversation-${carol.id}`);
      await waitForBadge(0);
      await waitFor('an empty screen', async () => (await shownNotifications(other)).length === 0);
      assert.deepEqual(await readLog(bob, 'alice', 'Shown on Chrome on Linux'), [
        { who: 'carol', what: 'Shown on Chrome on Linux' },
        { who: 'alice', what: 'Shown on Chrome on Linux' },
      ]);
    });

    test('arrive through the real push service, and are decrypted, with the page closed', async (t) => {
      if (typeof gcm === 'string') return t.skip(gcm);
      const site = await startSite(t, { world: gcm.world, env: { PUSH_ALLOW_PRIVATE: '1' } });
      const bob = await arriveAtHome(t, chromium(), site, 'bob');
      await bob.signUp();
      const alice = await arrive(t, chromium(), site, 'alice');
      await alice.signUp();
      await alice.openChat(bob);
      await turnOn(bob);
      await choosePreview(bob, 'full');
      const endpoint = await endpointOf(bob);
      assert.match(endpoint, /^https:\/\/(jmt17\.google|fcm\.googleapis)\.com\/fcm\/send\//);
      const records = await openRecords(bob);
      await leave(bob, records);

      await alice.write('Tea at five? 🫖');
      assert.equal((await gcm.acknowledged(endpoint)).status, 201);
      await waitFor('the receipt', async () => (await records.log())[0]?.shown);
      await bob.openPage();
      await waitForNotification(bob.page, { title: 'alice', body: 'Tea at five? 🫖' });
      await readLog(bob, 'alice', 'Shown on Chrome on Linux');
    });

    test('are not sent where the user does not want them or has seen the message, and the log says why', async (t) => {
      if (typeof gcm === 'string') return t.skip(gcm);
      const { submissions, world } = gcm;
      const site = await startSite(t, { world, env: { PUSH_ALLOW_PRIVATE: '1' } });
      const bob = await arriveAtHome(t, chromium(), site, 'bob');
      await bob.signUp();
      await turnOn(bob);
      const endpoint = await endpointOf(bob);
      const records = await openRecords(bob);
      const write = async ({ token }: Account, body: string) => {
        const message = { to: bob.id, cid: crypto.randomUUID(), body };
        assert.equal((await site.post('/api/messages', message, token)).status, 200);
      };
      const pushCount = () => submissions.filter((push) => push.endpoint === endpoint).length;
      const [alice, carol] = [await site.join('alice'), await site.join('carol')];
      const [dave, erin] = [await site.join('dave'), await site.join('erin')];
      await turnSwitch(bob, 'dnd', true);
      await leave(bob, records);
      await write(alice, 'while he sleeps');
      await records.waitFor(alice, 'dnd');

      await bob.openPage('/settings/notifications');
      await turnSwitch(bob, 'dnd', false);
      await turnSwitch(bob, 'push-enabled', false);
      await leave(bob, records);
      await write(carol, 'while they are off');
      await records.waitFor(carol, 'off');

      await bob.openPage('/settings/notifications');
      await turnSwitch(bob, 'push-enabled', true);
      await choosePreview(bob, 'none');
      await leave(bob, records);
      const elsewhere = await arrive(t, chromium(), site, 'bob');
      await elsewhere.signIn();
      await write(dave, 'read elsewhere');
      await elsewhere.click(`conversation-${dave.id}`);
      await elsewhere.waitForMessage('read elsewhere');
      await records.waitFor(dave, 'seen');
      await leave(elsewhere, records);
      assert.equal(pushCount(), 0);

      await write(erin, 'a secret');
      await waitFor('the receipt', async () => (await records.log())[0]?.shown);
      assert.equal(pushCount(), 1);
      await bob.openPage();
      assert.deepEqual(
        (await shownNotifications(bob.page)).map(({ title, body }) => [title, body]),
        [['Doorman', NEW_MESSAGE]],
      );
      assert.deepEqual(await readLog(bob, 'erin', 'Shown on Chrome on Linux'), [
        { who: 'erin', what: 'Shown on Chrome on Linux' },
        { who: 'dave', what: 'Not sent: it was already shown on Chrome on Linux' },
        { who: 'carol', what: 'Not sent: notifications were turned off' },
        { who: 'alice', what: 'Not sent: do not disturb was on' },
      ]);
    });

    test('are offered until the user refuses; then the page says what to do', async (t) => {
      const site = await startSite(t);
      const bob = await arrive(t, chromium(), site, 'bob');
      await bob.signUp();
      await setNotificationPermission(bob.context, site.url, 'prompt');
      await openSettings(bob, 'notifications');
      assert.match(await waitForPush(bob, 'off'), /Your browser will ask for permission\./);
      // Headless Chromium gives no answer, as a user does who closes the question.
      await bob.click('push-on');
      await waitFor('what is said of it', async () =>
        (await waitForPush(bob, 'off')).includes('Notifications aren’t allowed yet.'),
      );
      await setNotificationPermission(bob.context, site.url, 'denied');
      const refused = await waitForPush(bob, 'denied');
      assert.match(refused, /To allow them:\s+Click the icon to the left of the address\./);
      assert.equal(await bob.page.$('[data-testid="push-on"]'), null);
      assert.deepEqual(await (await openRecords(bob)).devices(), []);
    });
  },
  async (group) => {
    gcm = await startGcmService(group);
    return typeof gcm === 'string' ? {} : gcm;
  },
);
