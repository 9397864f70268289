import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onFirefox } from './each-browser.ts';
import { type FirefoxPushService, startFirefoxPushService } from './firefox-push-service.ts';
import { alerts, holdAlerts, waitForAlert } from './notifications.ts';
import { endpointOf, leave, openRecords, turnOn } from './notified-person.ts';
import { arrive } from './person.ts';
import { hide } from './running-browser.ts';
import { type Account, startSite } from './site.ts';
import { waitFor } from './waiting.ts';

/** What the service says in each language. */
const NEW_MESSAGE = { en: 'New message', zh: '新消息' };

let pushService: FirefoxPushService;

onFirefox(
  'A browser with notifications',
  (firefox) => {
    /** Bob has notifications on; Alice and Carol may write to him. */
    async function start(t: TestContext) {
      let language = async () => '';
      const site = await startSite(t, {
        env: { PUSH_ALLOW_PRIVATE: '1' },
        opened: ({ db }) => {
          language = async () =>
            (await db.get<{ language: string }>`select language from push_subscriptions`)?.language ?? '';
        },
      });
      const bob = await arrive(t, firefox(), site, 'bob');
      await bob.signUp();
      await turnOn(bob);
      const records = await openRecords(bob);
      const [device] = await records.devices();
      assert.ok(device);
      const from = new URL(site.url).host;
      return {
        site,
        bob,
        alice: await site.join('alice'),
        carol: await site.join('carol'),
        records,
        device,
        endpoint: await endpointOf(bob),
        /** Chooses the language of the page, which the service learns without a question to Bob. */
        chooseLanguage: async (name: keyof typeof NEW_MESSAGE) => {
          await bob.click('nav-settings');
          await bob.page.locator(`[data-testid="language"] label:has([value="${name}"])`).click();
          await waitFor(`notifications in ${name}`, async () => (await language()) === name);
        },
        write: async (
          { token, username: title }: Account,
          body: string,
          language: keyof typeof NEW_MESSAGE = 'en',
        ) => {
          const message = { to: bob.id, cid: crypto.randomUUID(), body };
          assert.equal((await site.post('/api/messages', message, token)).status, 200);
          await waitForAlert(firefox(), { title, body: NEW_MESSAGE[language], from }).catch((error) => {
            const sent = pushService.submissions.slice(-3).map(({ status, ack }) => ({ status, ack }));
            throw new Error(`${error.message}; sent: ${JSON.stringify(sent)}`, { cause: error });
          });
          await holdAlerts(firefox());
        },
        /** The senders of the notifications on the screen. */
        shown: async () =>
          (await alerts(firefox())).filter((alert) => alert.from === from).map(({ title }) => title),
      };
    }

    test('subscribes again by itself when its push service has lost it, with no page open, in the language of the page', async (t) => {
      const { bob, alice, carol, records, device, endpoint, chooseLanguage, write } = await start(t);
      await chooseLanguage('zh');
      await leave(bob, records);
      for (const browser of pushService.browsers()) pushService.forget(browser);
      const after = await waitFor('another device', async () => {
        const [found, ...more] = await records.devices();
        return found?.id !== device.id && more.length === 0 && found;
      });
      assert.equal(after.confirmed, 1);
      // It names the sender, which an unconfirmed subscription does not get.
      await write(alice, 'still there?', 'zh');
      assert.notEqual(pushService.submissions.at(-1)?.endpoint, endpoint);

      await bob.openPage();
      await chooseLanguage('en');
      await leave(bob, records);
      await write(carol, 'and in English?', 'en');
    });

    test('subscribes again with the key in force as soon as the page is loaded', async (t) => {
      const { site, bob, alice, carol, records, device, endpoint, write } = await start(t);
      const key = async (): Promise<string> => (await site.get('/api/push/public-key')).body.publicKey;
      const before = await key();
      await site.command('keys', 'rotate', 'vapid');
      await waitFor('the other key', async () => (await key()) !== before);
      // Until then the old subscription still works.
      await leave(bob, records);
      await write(alice, 'with the old key');
      assert.equal(pushService.submissions.at(-1)?.endpoint, endpoint);

      await bob.openPage();
      await waitFor('another device', async () => {
        const [found, ...more] = await records.devices();
        return found?.id !== device.id && more.length === 0;
      });
      const registered = pushService.journal.findLast(
        ({ frame }) => frame.messageType === 'register' && frame.key,
      );
      assert.equal(registered?.frame.key?.replace(/=+$/, ''), await key());
      const renewed = await endpointOf(bob);
      assert.notEqual(renewed, endpoint);
      await leave(bob, records);
      await write(carol, 'with the new key');
      assert.equal(pushService.submissions.at(-1)?.endpoint, renewed);
    });

    test('removes the notifications of read messages, whichever device they were read on', async (t) => {
      const { site, bob, alice, carol, write, shown } = await start(t);
      const comeBack = await hide(bob.page);
      await write(alice, 'to be read here');
      await write(carol, 'to be read elsewhere');
      assert.deepEqual(await shown(), ['alice', 'carol']);
      await comeBack();
      await bob.click('nav-chats');
      await bob.click(`conversation-${alice.id}`);
      await bob.waitForMessage('to be read here');
      await waitFor('one notification', async () => (await shown()).join() === 'carol');

      const elsewhere = await arrive(t, firefox(), site, 'bob');
      await elsewhere.signIn();
      await elsewhere.click(`conversation-${carol.id}`);
      await elsewhere.waitForMessage('to be read elsewhere');
      await waitFor('an empty screen', async () => (await shown()).length === 0);
    });
  },
  async (group) => {
    pushService = await startFirefoxPushService(group);
    return { pushUrl: pushService.url };
  },
);
