import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import type { Doorman, DoormanStorage } from 'doorman-client';
import type { Body } from '../harness.ts';
import { onFirefox } from './each-browser.ts';
import { endingsOf } from './endings.ts';
import { type FirefoxPushService, startFirefoxPushService } from './firefox-push-service.ts';
import { clickNotification, setNotificationPermission } from './notifications.ts';
import { buildPage, deployBuild, deployOver } from './page-build.ts';
import { openContext, openWindow } from './running-browser.ts';
import { startSite } from './site.ts';
import { waitFor } from './waiting.ts';
import { recordsOf, textOf, waitForWorker, workerPage } from './worker-page.ts';

const WITH_KIT = `
  import { createDoorman, openStorage } from 'doorman-client';
  window.storage = openStorage();
  window.doorman = createDoorman({ baseUrl: location.origin, storage });
  await window.doorman.restore();`;
/** Registers the worker and ignores its messages. */
const DEAF = `
  document.getElementById('root').textContent = 'deaf';
  navigator.serviceWorker.register('/sw.js');`;

declare global {
  interface Window {
    doorman: Doorman;
    storage: DoormanStorage;
  }
}

let pushService: FirefoxPushService;

onFirefox(
  'The worker',
  (firefox) => {
    const group = { after };
    // Registered now: inside of `before`, `after` would mean the end of `before`.
    endingsOf(group);
    let [listening, deaf] = ['', ''];
    before(async () => {
      listening = await buildPage(group, workerPage('listening', WITH_KIT));
      deaf = await buildPage(group, DEAF);
    });

    /** Bob, whose browser the kit has subscribed, and Alice, who writes to him. */
    async function start(t: TestContext) {
      const pageFolder = await deployBuild(t, listening);
      const site = await startSite(t, { world: { pageFolder }, env: { PUSH_ALLOW_PRIVATE: '1' } });
      const [alice, bob] = [await site.join('alice'), await site.join('bob')];
      const context = await openContext(t, firefox());
      await setNotificationPermission(context, site.url, 'granted');
      const page = await openWindow(context, site.url);
      await waitForWorker(page);
      const credentials = { username: bob.username, password: bob.password };
      const state = await page.evaluate(async (body) => {
        await window.doorman.signIn(body);
        return await window.doorman.push.enable();
      }, credentials);
      assert.equal(state, 'on');
      const write = async (body: string) => {
        const { status } = await site.post('/api/messages', { to: bob.id, cid: body, body }, alice.token);
        assert.equal(status, 200);
        return { title: 'alice', from: new URL(site.url).host };
      };
      const devices = async (): Promise<Body[]> => (await site.get('/api/push/devices', bob.token)).body.data;
      return {
        site,
        pageFolder,
        alice,
        bob,
        context,
        page,
        write,
        devices,
        chat: `${site.url}/chat/${alice.id}`,
      };
    }

    test('an open page goes to the conversation without a reload', async (t) => {
      const { context, page, write, chat, alice } = await start(t);
      await clickNotification(firefox(), await write('Tea?'));
      await waitFor('the conversation', () => page.url() === chat);
      assert.deepEqual(await recordsOf(page), {
        loads: 1,
        updates: 0,
        opened: [`/chat/${alice.id}`],
        pushChanges: 0,
      });
      assert.equal((await context.pages()).length, 1);
    });

    test('a page that does not answer is reloaded with the conversation', async (t) => {
      const { site, pageFolder, context, page, write, chat } = await start(t);
      await deployOver(pageFolder, deaf);
      await page.goto(`${site.url}/people`);
      assert.equal(await textOf(page), 'deaf');
      await clickNotification(firefox(), await write('Tea?'));
      await waitFor('the conversation', () => page.url() === chat);
      assert.equal((await context.pages()).length, 1);
    });

    test('a tab with the documentation is left alone', async (t) => {
      const { site, context, page, write, chat } = await start(t);
      await page.goto(`${site.url}/docs`);
      await page.evaluate(() => Object.assign(window, { isSameDocument: true }));
      await clickNotification(firefox(), await write('Tea?'));
      await waitFor('the page', async () => (await context.pages()).some((one) => one.url() === chat));
      // The reference adds the section that is read to its address, sooner or later.
      const left = await page.evaluate(() => [location.pathname, 'isSameDocument' in window]);
      assert.deepEqual(left, ['/docs', true]);
    });

    test('an open page is notified, and without a session there is no new subscription', async (t) => {
      const { page, devices } = await start(t);
      const before = await devices();
      await page.evaluate(() => window.storage.delete('session'));
      for (const browser of pushService.browsers()) pushService.forget(browser);
      await waitFor('the notice', async () => (await recordsOf(page)).pushChanges === 1);
      const subscription = await page.evaluate(async () => {
        const registration = await navigator.serviceWorker.ready;
        return registration.pushManager.getSubscription();
      });
      assert.equal(subscription, null);
      assert.deepEqual(await devices(), before);
    });
  },
  async (group) => {
    pushService = await startFirefoxPushService(group);
    return { pushUrl: pushService.url };
  },
);
