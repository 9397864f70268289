import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onFirefox } from './each-browser.ts';
import { type FirefoxPushService, startFirefoxPushService } from './firefox-push-service.ts';
import { answerQuestion } from './firefox-question.ts';
import { waitForNotification } from './notifications.ts';
import { endpointOf, openRecords, openSettings, readLog, turnOn, waitForPush } from './notified-person.ts';
import { arrive } from './person.ts';
import { startSite } from './site.ts';
import { untilEqual, waitFor } from './waiting.ts';

let pushService: FirefoxPushService;

onFirefox(
  'Devices with notifications',
  (firefox) => {
    async function start(t: TestContext) {
      const site = await startSite(t, { env: { PUSH_ALLOW_PRIVATE: '1' } });
      const alice = await arrive(t, firefox(), site, 'alice');
      await alice.signUp();
      await turnOn(alice);
      const records = await openRecords(alice);
      const [here] = await records.devices();
      assert.ok(here);
      const text = (name: string) =>
        alice.page.$$eval(
          `[data-testid="${name}-${here.id}"]`,
          ([row]) => (row as HTMLElement | undefined)?.innerText,
        );
      return { site, alice, records, here, text };
    }

    test('are listed by readable names, and can be removed: an unconfirmed one, and this one', async (t) => {
      const { site, alice, records, here, text } = await start(t);
      await waitFor('this device', async () =>
        /^Firefox on Linux\s+This device\s+Added just now/.test((await text('device')) ?? ''),
      );
      // It could be of anyone.
      const keys = {
        p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
        auth: 'BTBZMqHH6r4Tts7J_aSIgg',
      };
      const subscription = { endpoint: `${pushService.origin}/nobody`, keys };
      assert.equal((await site.post('/api/push/subscribe', { userId: alice.id, subscription })).status, 200);
      await openSettings(alice, 'log');
      await openSettings(alice, 'notifications');
      const other = (await records.devices()).find(({ id }) => id !== here.id) ?? assert.fail();
      await alice.find(`device-${other.id}`);
      const says = await alice.page.$eval(
        `[data-testid="device-${other.id}"]`,
        (row) => (row as HTMLElement).innerText,
      );
      assert.match(says, /^node\s+Not confirmed\s+Added just now\s+It was set up without signing in/);
      await alice.click(`remove-${other.id}`);
      await alice.confirm();
      await waitFor(
        'it to go',
        async () => (await alice.page.$(`[data-testid="device-${other.id}"]`)) === null,
      );
      assert.deepEqual(
        (await records.devices()).map(({ id }) => id),
        [here.id],
      );

      await alice.click(`remove-${here.id}`);
      await alice.confirm();
      await waitForPush(alice, 'off');
      assert.equal(await endpointOf(alice), '');
      assert.deepEqual(await records.devices(), []);
      const page = await alice.page.$eval('[data-pane="page"]', (pane) => (pane as HTMLElement).innerText);
      assert.match(page, /No devices yet\./);
    });

    test('are tested one by one, and the result is beside each', async (t) => {
      const { alice, here, text } = await start(t);
      await alice.click(`test-${here.id}`);
      await waitForNotification(alice.page, { title: 'Doorman', body: 'Test notification' });
      await waitFor('the result', async () => (await text('result')) === 'It arrived and was shown.');
      await readLog(alice, 'Test', 'Shown on Firefox on Linux');

      // The service has removed it by itself.
      alice.faults.expect(/^404 POST \/api\/push\/unsubscribe$/);
      pushService.expire(await endpointOf(alice));
      await openSettings(alice, 'notifications');
      await alice.click(`test-${here.id}`);
      await waitFor('it to be renewed', async () =>
        /The subscription was no longer valid and has been renewed\./.test(
          await alice.page.$eval('[data-testid="toasts"]', (toasts) => toasts.textContent ?? ''),
        ),
      );
      const renewed = await alice.page.waitForSelector(
        `[data-testid^="test-"]:not([data-testid="test-${here.id}"])`,
      );
      assert.equal((await alice.page.$$('[data-testid^="device-"]')).length, 1);
      await renewed?.click();
      await alice.page.waitForSelector('[data-result="shown"]');
    });

    test('include this one after its user accepts the invitation, or the offer of the push log', async (t) => {
      const site = await startSite(t, { env: { PUSH_ALLOW_PRIVATE: '1' } });
      const alice = await arrive(t, firefox(), site, 'alice');
      await alice.signUp();
      const bob = await site.join('bob');
      await site.post('/api/messages', { to: alice.id, cid: 'first', body: 'Hello' }, bob.token);
      await alice.find('push-invitation');
      await alice.page.bringToFront();
      await alice.page.locator('[data-testid="push-invitation"] button:first-of-type').click();
      await answerQuestion(firefox(), 'allow');
      await waitFor('the toast', async () =>
        /Notifications are on\./.test(
          await alice.page.$eval('[data-testid="toasts"]', (toasts) => toasts.textContent ?? ''),
        ),
      );
      await waitFor(
        'the invitation to go',
        async () => (await alice.page.$('[data-testid="push-invitation"]')) === null,
      );
      const records = await openRecords(alice);
      assert.equal((await records.devices()).length, 1);

      await openSettings(alice, 'notifications');
      await alice.click('push-off');
      await waitForPush(alice, 'off');
      await openSettings(alice, 'log');
      await alice.click('turn-on-here');
      await alice.page.waitForSelector('[data-testid="push-offer"]', { hidden: true });
      assert.equal((await records.devices()).length, 1);
      await untilEqual(() => alice.page.evaluate(() => document.activeElement?.tagName), 'H1');
    });
  },
  async (group) => {
    pushService = await startFirefoxPushService(group);
    return { pushUrl: pushService.url };
  },
);
