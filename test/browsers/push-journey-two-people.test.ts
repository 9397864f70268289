import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { askToSignOut } from './controls.ts';
import { onChromium, onFirefox } from './each-browser.ts';
import { type FirefoxPushService, startFirefoxPushService } from './firefox-push-service.ts';
import { type GcmService, startGcmService } from './gcm-service.ts';
import { alerts, shownNotifications, waitForAlert } from './notifications.ts';
import { arriveAtHome, openRecords, openSettings } from './notified-person.ts';
import { arrive } from './person.ts';
import {
  assertNoMorePushes,
  assertNothingOf,
  assertOwnPushesOnly,
  type SharedBrowser,
  takeHerPlace,
  useByAlice,
  writeTo,
} from './shared-browser.ts';
import { type Site, startSite, startSiteProcess } from './site.ts';
import { waitFor } from './waiting.ts';

/** @param start says why there is no browser, if so */
function registerSigningOut(start: (t: TestContext) => Promise<SharedBrowser | string>): void {
  test('a user who signs out leaves nothing to the next one', async (t) => {
    const shared = await start(t);
    if (typeof shared === 'string') return t.skip(shared);
    const used = await useByAlice(shared);
    const { alice } = used;
    await askToSignOut(alice.page);
    const asked = await alice.page.waitForSelector('[data-testid="confirm-dialog"]');
    const says = await asked?.evaluate((dialog) => (dialog as HTMLElement).innerText);
    assert.match(says ?? '', /1 message hasn’t been sent yet and will be lost\./);
    await alice.confirm();
    await alice.find('other-way');
    await assertNothingOf(used, alice);
    const records = await openRecords(alice);
    await waitFor('the service to know', async () => (await records.devices()).length === 0);
    await assertOwnPushesOnly(used, await takeHerPlace(t, used));
  });
}

let firefoxPush: FirefoxPushService;

onFirefox(
  'On a shared browser',
  (firefox) => {
    function share(t: TestContext, site: Site): SharedBrowser {
      const from = new URL(site.url).host;
      return {
        site,
        browser: firefox(),
        pushService: firefoxPush,
        sitDown: (username) => arrive(t, firefox(), site, username),
        async shown() {
          await waitForAlert(firefox(), { from });
          return (await alerts(firefox())).filter((alert) => alert.from === from).map(({ title }) => title);
        },
      };
    }
    const env = { PUSH_ALLOW_PRIVATE: '1' };

    registerSigningOut(async (t) => share(t, await startSite(t, { env })));

    test('a user who was signed out while the page was closed leaves nothing to the next one', async (t) => {
      const used = await useByAlice(share(t, await startSite(t, { env })));
      const { site, browser, alice } = used;
      const newPassword = 'another password of Alice';
      await alice.closePage();
      const elsewhere = await arrive(t, browser, site, alice.username);
      await elsewhere.signIn();
      await openSettings(elsewhere, 'security');
      await elsewhere.fill('[name="oldPassword"]', alice.password);
      await elsewhere.fill('[name="newPassword"]', newPassword);
      await elsewhere.click('change-password');
      await waitFor('the change', async () =>
        (await elsewhere.page.$eval('[data-testid="toasts"]', (toasts) => toasts.textContent)).includes(
          'Password changed.',
        ),
      );
      await elsewhere.closePage();
      await alice.openPage();
      alice.faults.expect(/^401 (?:POST \/api\/token|GET \/api\/push\/devices)$/);
      const end = await alice.page.waitForSelector('[data-testid="end-expired"]');
      assert.equal(
        await end?.evaluate((text) => text.textContent),
        'Your session has ended. Please sign in again.',
      );
      // An expired session ends in the same way, so her unsent messages wait for her, and are shown to no one else.
      await takeHerPlace(t, used, used.unsent);
      await assertNoMorePushes(used, await openRecords(alice, newPassword));
    });

    test('a user who signs out without the service leaves nothing, and gets no more pushes there', async (t) => {
      const site = await startSiteProcess(t, env);
      const used = await useByAlice(share(t, site));
      const { alice, dave, endpoint } = used;
      const records = await openRecords(alice);
      alice.faults.expectOutage();
      await site.kill();
      await alice.write('what Alice wrote in vain');
      await alice.waitForMessage('what Alice wrote in vain', 'waiting');
      await alice.signOut();
      await assertNothingOf(used, alice);

      await site.start();
      assert.equal((await records.devices()).length, 1);
      await writeTo(site, dave, alice, 'for Alice');
      await records.waitFor(dave, 'gone');
      assert.deepEqual(await records.devices(), []);
      const { status, ack } = firefoxPush.submissions.findLast((push) => push.endpoint === endpoint) ?? {};
      assert.deepEqual([status, ack], [410, undefined]);
    });
  },
  async (group) => {
    firefoxPush = await startFirefoxPushService(group);
    return { pushUrl: firefoxPush.url };
  },
);

let gcm: GcmService | string;

onChromium(
  'On a shared browser',
  (chromium) => {
    async function start(t: TestContext): Promise<SharedBrowser | string> {
      if (typeof gcm === 'string') return gcm;
      const site = await startSite(t, { world: gcm.world, env: { PUSH_ALLOW_PRIVATE: '1' } });
      return {
        site,
        browser: chromium(),
        pushService: gcm,
        sitDown: (username) => arriveAtHome(t, chromium(), site, username),
        async shown(person, records) {
          await waitFor('the receipt', async () => (await records.log())[0]?.shown);
          await person.openPage();
          return (await shownNotifications(person.page)).map(({ title }) => title);
        },
      };
    }

    registerSigningOut(start);

    test('a user who is signed out from another device is notified, and leaves nothing', async (t) => {
      const shared = await start(t);
      if (typeof shared === 'string') return t.skip(shared);
      const used = await useByAlice(shared);
      const { site, browser, alice } = used;
      const elsewhere = await arrive(t, browser, site, alice.username);
      await elsewhere.signIn();
      await openSettings(elsewhere, 'security');
      await elsewhere.click('end-others');
      await elsewhere.confirm();
      const end = await alice.page.waitForSelector('[data-testid="end-ended"]');
      assert.equal(
        await end?.evaluate((text) => text.textContent),
        'You were signed out from another device. Please sign in again.',
      );
      await elsewhere.closePage();
      await assertNothingOf(used, alice);
      await takeHerPlace(t, used);
      await assertNoMorePushes(used, await openRecords(alice));
    });
  },
  async (group) => {
    gcm = await startGcmService(group);
    return typeof gcm === 'string' ? {} : gcm;
  },
);
