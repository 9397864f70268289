import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onFirefox } from './each-browser.ts';
import { type FirefoxPushService, startFirefoxPushService } from './firefox-push-service.ts';
import { alerts, waitForAlert } from './notifications.ts';
import {
  choosePreview,
  endpointOf,
  leave,
  openRecords,
  readLog,
  turnOn,
  turnSwitch,
  waitForPush,
} from './notified-person.ts';
import { arrive } from './person.ts';
import { type Account, startSite } from './site.ts';

const NEW_MESSAGE = 'New message';

let pushService: FirefoxPushService;

onFirefox(
  'A user who limits notifications',
  (firefox) => {
    /** Bob has notifications on, and has their settings open; Alice and Carol may write to him. */
    async function start(t: TestContext) {
      const site = await startSite(t, { env: { PUSH_ALLOW_PRIVATE: '1' } });
      const bob = await arrive(t, firefox(), site, 'bob');
      await bob.signUp();
      await turnOn(bob);
      const endpoint = await endpointOf(bob);
      const from = new URL(site.url).host;
      return {
        site,
        bob,
        alice: await site.join('alice'),
        carol: await site.join('carol'),
        from,
        records: await openRecords(bob),
        write: async ({ token }: Account, body: string) => {
          const message = { to: bob.id, cid: crypto.randomUUID(), body };
          assert.equal((await site.post('/api/messages', message, token)).status, 200);
        },
        /** The number of pushes to this browser. */
        pushCount: () => pushService.submissions.filter((push) => push.endpoint === endpoint).length,
        shown: async () => (await alerts(firefox())).filter((alert) => alert.from === from),
      };
    }

    test('gets no push with do not disturb or with notifications off, and can read why', async (t) => {
      const { bob, alice, carol, from, records, write, pushCount, shown } = await start(t);
      await turnSwitch(bob, 'dnd', true);
      assert.match(await waitForPush(bob, 'on'), /Do not disturb is on, so nothing will ring\./);
      await leave(bob, records);
      await write(alice, 'while he sleeps');
      await records.waitFor(alice, 'dnd');

      await bob.openPage('/settings/notifications');
      await turnSwitch(bob, 'dnd', false);
      await turnSwitch(bob, 'push-enabled', false);
      assert.match(await waitForPush(bob, 'on'), /But they’re turned off for all your devices, below\./);
      await leave(bob, records);
      await write(carol, 'while they are off');
      await records.waitFor(carol, 'off');

      await bob.openPage('/settings/notifications');
      await turnSwitch(bob, 'push-enabled', true);
      await leave(bob, records);
      assert.equal(pushCount(), 0);
      await write(alice, 'now he may know');
      await waitForAlert(firefox(), { title: 'alice', body: '2 new messages', from });
      assert.deepEqual([pushCount(), (await shown()).length], [1, 1]);
      await bob.openPage();
      assert.deepEqual(await readLog(bob, 'alice', 'Shown on Firefox on Linux'), [
        { who: 'alice', what: 'Shown on Firefox on Linux' },
        { who: 'carol', what: 'Not sent: notifications were turned off' },
        { who: 'alice', what: 'Not sent: do not disturb was on' },
      ]);
    });

    test('gets a push without text and sender if the preview is off', async (t) => {
      const { bob, alice, from, records, write, pushCount, shown } = await start(t);
      await choosePreview(bob, 'none');
      await leave(bob, records);
      await write(alice, 'a secret');
      await waitForAlert(firefox(), { title: 'Doorman', body: NEW_MESSAGE, from });
      assert.deepEqual([pushCount(), (await shown()).length], [1, 1]);
    });

    test('gets no push for a message that they read on another device within five seconds', async (t) => {
      const { site, bob, alice, carol, from, records, write, pushCount, shown } = await start(t);
      await leave(bob, records);
      const elsewhere = await arrive(t, firefox(), site, 'bob');
      await elsewhere.signIn();
      await elsewhere.find('find-people');
      await elsewhere.page.bringToFront();
      await elsewhere.click('nav-chats');
      // The row in the list is enough to see the message; the device reports that before a push would be sent.
      await write(alice, 'seen');
      await elsewhere.find(`conversation-${alice.id}`);
      await records.waitFor(alice, 'seen');
      await elsewhere.click(`conversation-${alice.id}`);
      await elsewhere.waitForMessage('seen');
      await write(alice, 'read');
      await elsewhere.waitForMessage('read');
      const notSent = { who: 'alice', what: 'Not sent: it was already shown on Firefox on Linux' };
      // Messages seen within a short time have one entry.
      assert.deepEqual(await readLog(elsewhere, notSent.who, notSent.what), [notSent]);

      await leave(elsewhere, records);
      await write(carol, 'read nowhere');
      await waitForAlert(firefox(), { title: 'carol', body: NEW_MESSAGE, from });
      assert.deepEqual([pushCount(), (await shown()).length], [1, 1]);
    });
  },
  async (group) => {
    pushService = await startFirefoxPushService(group);
    return { pushUrl: pushService.url };
  },
);
