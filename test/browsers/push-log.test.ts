import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { writePushLog } from '../../src/push/log/push-log.ts';
import type { PushLogOutcome } from '../../src/push/schemas.ts';
import type { Services } from '../../src/services.ts';
import { assertAccessible } from './axe.ts';
import { onChromium } from './each-browser.ts';
import { setNotificationPermission } from './notifications.ts';
import { openSettings } from './notified-person.ts';
import { arrive } from './person.ts';
import { type Account, startSite } from './site.ts';
import { untilEqual, waitFor } from './waiting.ts';

onChromium('The push log', (browser) => {
  async function start(t: TestContext) {
    const opened: Services[] = [];
    const site = await startSite(t, { opened: (services) => void opened.push(services) });
    const { db } = opened[0] ?? assert.fail();
    const alice = await arrive(t, browser(), site, 'alice');
    await alice.signUp();
    const [bob, carol] = [await site.join('bob'), await site.join('carol')];
    const { id: userId } = alice;
    const today = new Date();
    const noon = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1, 12).getTime();
    let minutes = 0;
    /** Adds an entry for each of these outcomes, a minute after each other, from noon of yesterday on. */
    const add = async (peer: Account, ...outcomes: PushLogOutcome[]) => {
      for (const outcome of outcomes) {
        const at = noon + minutes++ * 60_000;
        const entry = { userId, peerId: peer.id, kind: 'message', outcome } as const;
        await db.transaction((tx) => writePushLog(tx, entry, at));
      }
    };
    const write = async (from: Account, body: string) => {
      const message = { to: alice.id, cid: crypto.randomUUID(), body };
      assert.equal((await site.post('/api/messages', message, from.token)).status, 200);
    };
    return { site, alice, bob, carol, add, write };
  }

  test('folds neighbours that say the same, and unfolds them by the keyboard', async (t) => {
    const { alice, bob, carol, add } = await start(t);
    await add(carol, 'dnd');
    await add(bob, 'no_device', 'no_device', 'no_device');
    await add(carol, 'dnd');
    await openSettings(alice, 'log');
    // The names may come after the rows.
    await untilEqual(
      () => rows(alice.page),
      [
        ['carol', '12:04 PM', 'Not sent: do not disturb was on'],
        ['bob', '12:01 – 12:03 PM', 'Not sent: none of your devices has notifications on', '3 times'],
        ['carol', '12:00 PM', 'Not sent: do not disturb was on'],
      ],
    );
    await alice.page.focus('[data-testid^="times-"] summary');
    await alice.page.keyboard.press('Enter');
    await waitFor('all three', async () => (await rows(alice.page))[1]?.length === 7);
    assert.deepEqual((await rows(alice.page))[1]?.slice(4), ['12:03 PM', '12:02 PM', '12:01 PM']);
    await assertAccessible(alice.page, 'the unfolded log');
  });

  test('shows what happens while it is open, and holds the place of its reader', async (t) => {
    const { alice, bob, carol, add, write } = await start(t);
    await alice.page.bringToFront();
    await openSettings(alice, 'log');
    await alice.find('push-offer');
    assert.deepEqual(await rows(alice.page), []);
    await write(bob, 'seen at once');
    await waitFor('the row', async () => (await rows(alice.page)).length === 1);
    assert.match(
      (await rows(alice.page))[0]?.join() ?? '',
      /^bob,.*,Not sent: it was already shown on Chrome on Linux$/,
    );

    for (let i = 0; i < 15; i++) for (const peer of [bob, carol]) await add(peer, 'off');
    await alice.click('refresh');
    await waitFor('all rows', async () => (await rows(alice.page)).length === 31);
    const placeOf = (row: number) =>
      alice.page.$$eval(
        '[data-status]',
        (items, row) => {
          const item = items.at(-row) as HTMLElement;
          return { says: item.innerText, top: item.getBoundingClientRect().top };
        },
        row,
      );
    await alice.page.$$eval('[data-status]', (items) => items.at(-10)?.scrollIntoView());
    const before = await placeOf(10);
    await write(carol, 'seen too');
    await waitFor('one more', async () => (await rows(alice.page)).length === 32);
    const { says, top } = await placeOf(10);
    assert.equal(says, before.says);
    assert.ok(Math.abs(top - before.top) <= 1, `the row moved from ${before.top} to ${top}`);
  });

  test('says where notifications can be turned on if not here', async (t) => {
    const { site, alice } = await start(t);
    await setNotificationPermission(alice.context, site.url, 'denied');
    await openSettings(alice, 'log');
    await alice.page.waitForSelector('[data-testid="push-offer"][data-state="denied"]');
    assert.equal(await alice.page.$('[data-testid="turn-on-here"]'), null);
    await alice.click('push-settings');
    await alice.page.waitForSelector('[data-testid="push-here"][data-state="denied"]');
  });
});

/** The lines of each row, as they are seen. */
function rows(page: Page): Promise<string[][]> {
  return page.$$eval('[data-status]', (items) =>
    items.map((item) =>
      (item as HTMLElement).innerText
        .split(/\s*\n\s*/)
        .map((line) => line.replaceAll(/[\u2009\u202f]/g, ' ')),
    ),
  );
}
