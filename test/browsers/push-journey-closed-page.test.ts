import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onFirefox } from './each-browser.ts';
import { type FirefoxPushService, startFirefoxPushService } from './firefox-push-service.ts';
import { answerQuestion, isAsking } from './firefox-question.ts';
import { alerts, clickNotification, setNotificationPermission, waitForAlert } from './notifications.ts';
import {
  choosePreview,
  endpointOf,
  leave,
  openRecords,
  openSettings,
  readLog,
  takeUp,
  waitForPush,
} from './notified-person.ts';
import { arrive } from './person.ts';
import { startSite } from './site.ts';
import { waitFor } from './waiting.ts';

let pushService: FirefoxPushService;

onFirefox(
  'Notifications',
  (firefox) => {
    async function start(t: TestContext) {
      const site = await startSite(t, { env: { PUSH_ALLOW_PRIVATE: '1' } });
      const bob = await arrive(t, firefox(), site, 'bob');
      const registered = pushService.journal.length;
      return {
        site,
        bob,
        /** Keys with which Firefox has registered since the start. */
        keys: () =>
          pushService.journal
            .slice(registered)
            .filter(({ frame }) => frame.messageType === 'register' && frame.key !== undefined)
            .map(({ frame }) => frame.key?.replace(/=+$/, '')),
      };
    }

    test('are turned on by a button next to an explanation, and arrive with the page closed', async (t) => {
      const { site, bob, keys } = await start(t);
      const alice = await arrive(t, firefox(), site, 'alice');
      await alice.signUp();
      await bob.signUp();
      await openSettings(bob, 'notifications');
      const offered = await waitForPush(bob, 'off');
      assert.match(offered, /Get notified on this device when someone messages you/);
      assert.match(offered, /Shows the sender, not the message\./);
      assert.match(offered, /Your browser will ask for permission\./);
      await bob.page.bringToFront();
      await bob.click('push-on');
      await answerQuestion(firefox(), 'allow');
      await waitForPush(bob, 'on');
      assert.deepEqual(keys(), [(await site.get('/api/push/public-key')).body.publicKey]);
      const atBob = await endpointOf(bob);
      const records = await openRecords(bob);
      const pushes = () => pushService.submissions.filter(({ endpoint }) => endpoint === atBob);
      await leave(bob, records);

      await alice.openChat(bob);
      await alice.write('Tea at five?');
      const from = new URL(site.url).host;
      const withoutText = { title: 'alice', body: 'New message', from };
      await waitForAlert(firefox(), withoutText);
      await clickNotification(firefox(), withoutText);
      await takeUp(t, bob, `/chat/${alice.id}`);
      assert.equal((await bob.context.pages()).length, 1);
      await bob.waitForMessage('Tea at five?');
      await alice.waitForMessage('Tea at five?', 'read');
      await bob.waitForUnread(alice, 0);
      await waitFor('an empty screen', async () => (await alerts(firefox())).length === 0);
      await readLog(bob, 'alice', 'Opened on Firefox on Linux');
      assert.equal(pushes().length, 1);

      await openSettings(bob, 'notifications');
      await choosePreview(bob, 'full');
      await leave(bob, records);
      await alice.write('With cake 🍰');
      // Alone: what was read is not counted again.
      await waitForAlert(firefox(), { title: 'alice', body: 'With cake 🍰', from });
      await bob.openPage();
      assert.deepEqual(await readLog(bob, 'alice', 'Shown on Firefox on Linux'), [
        { who: 'alice', what: 'Shown on Firefox on Linux' },
        { who: 'alice', what: 'Opened on Firefox on Linux' },
      ]);
      assert.equal(pushes().length, 2);
      assert.deepEqual(await (await openRecords(alice)).log(), []);
    });

    test('are requested only by the button, and a refusal is explained', async (t) => {
      const { site, bob, keys } = await start(t);
      await bob.page.evaluateOnNewDocument(() => {
        const ask = Notification.requestPermission.bind(Notification);
        Object.assign(window, { asked: 0 });
        Notification.requestPermission = () => {
          Object.assign(window, { asked: Object.getOwnPropertyDescriptor(window, 'asked')?.value + 1 });
          return ask();
        };
      });
      const asked = () => bob.page.evaluate(() => Object.getOwnPropertyDescriptor(window, 'asked')?.value);
      await bob.signUp();
      await bob.page.bringToFront();
      const alice = await site.join('alice');
      await bob.page.goto(`${site.url}/people/${alice.id}`);
      await bob.find('profile');
      await bob.page.goto(`${site.url}/chat/${alice.id}`);
      await bob.write('hello');
      await openSettings(bob, 'notifications');
      await waitForPush(bob, 'off');
      assert.equal(await bob.page.evaluate(() => Notification.permission), 'default');
      assert.deepEqual([await asked(), await isAsking(firefox()), keys()], [0, false, []]);

      await bob.click('push-on');
      await answerQuestion(firefox(), 'block');
      const refused = await waitForPush(bob, 'denied');
      assert.match(refused, /To allow them:\s+Click the icon to the left of the address\./);
      assert.equal(await bob.page.$('[data-testid="push-on"]'), null);
      const records = await openRecords(bob);
      assert.deepEqual([keys(), await records.devices()], [[], []]);

      await setNotificationPermission(bob.context, site.url, 'granted');
      await waitForPush(bob, 'off');
      await bob.click('push-on');
      await waitForPush(bob, 'on');
      assert.equal((await records.devices()).length, 1);
    });
  },
  async (group) => {
    pushService = await startFirefoxPushService(group);
    return { pushUrl: pushService.url };
  },
);
