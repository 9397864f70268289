import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onChromium, onFirefox } from './each-browser.ts';
import { type FirefoxPushService, startFirefoxPushService } from './firefox-push-service.ts';
import { type GcmService, startGcmService } from './gcm-service.ts';
import { findLeft } from './left-behind.ts';
import { alerts, shownNotifications, waitForAlert } from './notifications.ts';
import {
  arriveAtHome,
  endpointOf,
  openRecords,
  openSettings,
  type Records,
  turnOn,
} from './notified-person.ts';
import { arrive, Person } from './person.ts';
import type { RunningBrowser } from './running-browser.ts';
import { type Account, type Site, startSite, startSiteProcess } from './site.ts';
import { waitFor } from './waiting.ts';

/** A browser that two people use one after the other, with what each kind does in its own way. */
interface SharedBrowser {
  readonly site: Site;
  readonly browser: RunningBrowser;
  readonly pushService: Pick<FirefoxPushService | GcmService, 'submissions' | 'isGone'>;
  sitDown(username: string): Promise<Person>;
  /** Whose notifications stand on the screen, once there is one for this person, who has no page open. */
  shown(person: Person, records: Records): Promise<string[]>;
}

/** Alice has used it: she is told there, has a conversation, a draft, and a message that was refused. */
interface Used extends SharedBrowser {
  readonly alice: Person;
  readonly dave: Account;
  readonly endpoint: string;
  /** What of her is there to be found, and is found. */
  readonly hers: readonly string[];
  /** As much of that as belongs to what she has not sent, and to her wish to be told here. */
  readonly unsent: readonly string[];
}

async function useByAlice(shared: SharedBrowser): Promise<Used> {
  const { site } = shared;
  const [carol, dave] = [await site.join('carol-quist'), await site.join('dave-quist')];
  const alice = await shared.sitDown('alice-quist');
  await alice.signUp();
  await turnOn(alice);
  const endpoint = await endpointOf(alice);
  await alice.page.goto(`${site.url}/chat/${carol.id}`);
  await alice.write('what Alice wrote');
  await write(site, carol, alice, 'what Carol answered');
  await alice.waitForMessage('what Carol answered');
  await site.post('/api/user/block', { blockedId: alice.id }, carol.token);
  await alice.write('what Carol refused');
  await alice.waitForMessage('what Carol refused', 'refused');
  await alice.page.goto(`${site.url}/chat/${dave.id}`);
  await alice.fill('[data-testid="composer"]', 'what Alice has not finished');
  const unsent = [alice.id, carol.id, endpoint, 'what Carol refused'];
  const read = [alice.username, carol.username, 'what Alice wrote', 'what Carol answered'];
  const hers = [...unsent, ...read, 'what Alice has not finished'];
  // In the database too, where it stands in quotes.
  const all = [...hers, 'what Alice has not finished"'];
  await waitFor(
    'all of hers to be kept',
    async () => (await findLeft(alice.page, all)).length === all.length,
  );
  return { ...shared, alice, dave, endpoint, hers, unsent };
}

async function write(site: Site, from: Account, to: Person, body: string): Promise<void> {
  const message = { to: to.id, cid: crypto.randomUUID(), body };
  assert.equal((await site.post('/api/messages', message, from.token)).status, 200);
}

/** @param except what is to wait for her alone, out of sight */
async function assertNothingOf(
  { hers, pushService, endpoint }: Used,
  { page }: Person,
  except: readonly string[] = [],
): Promise<void> {
  const seen = await page.evaluate(() => document.body.outerHTML);
  const left = await findLeft(page, hers);
  assert.deepEqual(
    left.filter((one) => seen.includes(one) || !except.includes(one)),
    [],
  );
  await waitFor('the push service to know', () => pushService.isGone(endpoint));
}

/** Bob comes to where Alice was, and is told of what is for him; of what is for her, he is not. */
async function goOnAsBob(
  t: TestContext,
  used: Used,
  { except, records }: { except?: readonly string[]; records?: Records } = {},
): Promise<void> {
  const { site, alice, dave, endpoint, pushService, shown } = used;
  const bob = new Person(t, 'bob-quist', alice);
  await bob.signUp();
  await bob.find('find-people');
  await assertNothingOf(used, bob, except);
  assert.equal(await endpointOf(bob), '');
  const told = () => pushService.submissions.filter((push) => push.endpoint === endpoint).length;
  const toldBefore = told();

  await turnOn(bob);
  const recordsOfBob = await openRecords(bob);
  await bob.closePage();
  await write(site, dave, alice, 'for Alice');
  await (records ?? (await openRecords(alice))).waitFor(dave, 'no_device');
  await write(site, await site.join('erin-quist'), bob, 'for Bob');
  assert.deepEqual(await shown(bob, recordsOfBob), ['erin-quist']);
  assert.equal(told(), toldBefore);
}

/** @param start tells why there can be none, if so */
function registerJourneys(start: (t: TestContext) => Promise<SharedBrowser | string>): void {
  test('who signs out leaves nothing to the next one', async (t) => {
    const shared = await start(t);
    if (typeof shared === 'string') return t.skip(shared);
    const used = await useByAlice(shared);
    const { alice } = used;
    await alice.click('sign-out');
    const asked = await alice.page.waitForSelector('[data-testid="confirm-dialog"]');
    const says = await asked?.evaluate((dialog) => (dialog as HTMLElement).innerText);
    assert.match(says ?? '', /One message has not been sent yet and would be lost\./);
    await alice.click('confirm-yes');
    await alice.find('other-way');
    await assertNothingOf(used, alice);
    assert.deepEqual(await (await openRecords(alice)).devices(), []);
    await goOnAsBob(t, used);
  });

  test('who is signed out from elsewhere reads so, and leaves nothing either', async (t) => {
    const shared = await start(t);
    if (typeof shared === 'string') return t.skip(shared);
    const used = await useByAlice(shared);
    const { site, browser, alice } = used;
    const elsewhere = await arrive(t, browser, site, alice.username);
    await elsewhere.signIn();
    await openSettings(elsewhere, 'security');
    await elsewhere.click('end-others');
    await elsewhere.click('confirm-yes');
    const end = await alice.page.waitForSelector('[data-testid="end-ended"]');
    assert.equal(
      await end?.evaluate((told) => told.textContent),
      'This device was signed out from another one. Sign in to come back.',
    );
    await elsewhere.closePage();
    await waitFor('an end of it here', async () => (await endpointOf(alice)) === '');
    await assertNothingOf(used, alice);
    await goOnAsBob(t, used);
  });
}

let firefoxPush: FirefoxPushService;

onFirefox(
  'On a browser that is shared',
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

    registerJourneys(async (t) => share(t, await startSite(t, { env })));

    test('who was signed out while the page was closed leaves nothing to the next one', async (t) => {
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
          'Your password is changed.',
        ),
      );
      await elsewhere.closePage();
      await alice.openPage();
      alice.faults.expect(/^401 (?:POST \/api\/token|GET \/api\/push\/devices)$/);
      await alice.find('end-expired');
      // It may have been too long ago as well: what she had not sent waits for her, and for nobody else.
      const records = await openRecords(alice, newPassword);
      await goOnAsBob(t, used, { except: used.unsent, records });
    });

    test('who signs out without the service leaves nothing, and is told nothing there any more', async (t) => {
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
      await write(site, dave, alice, 'for Alice');
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
  'On a browser that is shared',
  (chromium) => {
    registerJourneys(async (t) => {
      if (typeof gcm === 'string') return gcm;
      const site = await startSite(t, { world: gcm.world });
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
    });
  },
  async (group) => {
    gcm = await startGcmService(group);
    return typeof gcm === 'string' ? {} : gcm;
  },
);
