import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { appear, comeToRest } from './appearance.ts';
import { assertAccessible } from './axe.ts';
import { onChromium } from './each-browser.ts';
import { openSettings } from './notified-person.ts';
import { arrive, type Person } from './person.ts';
import { WIDE } from './running-browser.ts';
import { startSite } from './site.ts';
import { untilEqual, waitFor } from './waiting.ts';

const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];

onChromium('Quiet hours', (browser) => {
  async function start(t: TestContext) {
    const site = await startSite(t);
    const alice = await arrive(t, browser(), site, 'alice');
    await alice.signUp();
    const { body } = await site.post('/api/login', { username: 'alice', password: alice.password });
    const { token } = body.data;
    const stored = async () => (await site.get('/api/user/quiet', token)).body.data;
    await openSettings(alice, 'notifications');
    await alice.find('quiet-weekly');
    return { site, alice, token, stored };
  }

  test('nights, and until tomorrow: one press each, also by the keyboard, and off again', async (t) => {
    const { alice, stored, site, token } = await start(t);
    const { page } = alice;
    const zone = await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
    await page.focus('[data-testid="quiet-weekly"] input:checked');
    await page.keyboard.press('ArrowRight');
    const nights = [{ days: EVERY_DAY, from: '22:00', to: '07:00' }];
    await untilEqual(stored, { until: 0, time_zone: zone, windows: nights });
    await untilEqual(() => checked(alice), 'nights');
    assert.match(await textOf(alice, 'quiet-once'), /^Quiet for now\nJust this once/);
    await page.focus('[data-testid="quiet-now"]');
    await page.keyboard.press('Enter');
    await waitFor('the time', async () =>
      /^Quiet until .+, 8:00 AM\n/.test(await textOf(alice, 'quiet-once')),
    );
    const tomorrow = await page.evaluate(() => {
      const now = new Date();
      return new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, 8).getTime();
    });
    await untilEqual(stored, { until: tomorrow, time_zone: zone, windows: nights });
    await page.waitForSelector('[data-testid="quiet-now"]:focus[aria-disabled="false"]'); // its answer has come
    await page.keyboard.press('Enter');
    await untilEqual(stored, { until: 0, time_zone: zone, windows: nights });

    // On another device, in another zone.
    await site.post('/api/user/quiet', { timeZone: 'Asia/Kolkata', windows: nights }, token);
    await alice.find('quiet-zone');
    await alice.click('quiet-zone');
    await untilEqual(stored, { until: 0, time_zone: zone, windows: nights });
    await waitFor('the zone to go', async () => (await page.$('[data-testid="quiet-zone"]')) === null);
    await choose(alice, 'off');
    await untilEqual(stored, { until: 0, time_zone: zone, windows: [] });
    await assertAccessible(page, 'quiet hours that are off');
  });

  test('own times: what is wrong is said, each is stored with its days, and fits into 320 px', async (t) => {
    const { alice, stored } = await start(t);
    const { page } = alice;
    await choose(alice, 'own');
    await alice.find('quiet-window-1');
    for (const day of [6, 7])
      await page.locator(`[data-testid="quiet-window-1"] label:nth-child(${day})`).click();
    await alice.click('add-quiet');
    await fillTime(alice, 'quiet-from-2', '12:00');
    await fillTime(alice, 'quiet-to-2', '12:00');
    await alice.click('save-quiet');
    const saysOf = (n: number) => textOf(alice, `quiet-window-${n}`);
    await waitFor('the fault', async () => (await saysOf(2)).includes('Choose two different times.'));
    for (const day of EVERY_DAY)
      await page.locator(`[data-testid="quiet-window-2"] label:nth-child(${day})`).click();
    await waitFor('the fault', async () => (await saysOf(2)).includes('Choose at least one day.'));
    assert.deepEqual((await stored()).windows, []);
    for (const [width, scheme] of [
      [320, 'dark'],
      [390, 'light'],
    ] as const) {
      await appear(t, browser(), page, { width, scheme });
      await comeToRest(page);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
      await assertAccessible(page, `own times at ${width}, ${scheme}`);
    }
    await page.setViewport(WIDE);
    await alice.find('quiet-window-2');
    await page.focus('[data-testid="quiet-window-2"] input[type="checkbox"]');
    await page.keyboard.press('Space');
    await fillTime(alice, 'quiet-to-2', '13:30');
    await alice.click('save-quiet');
    const windows = [
      { days: [1, 2, 3, 4, 5], from: '22:00', to: '07:00' },
      { days: [1], from: '12:00', to: '13:30' },
    ];
    await untilEqual(async () => (await stored()).windows, windows);
    await page.reload();
    await alice.find('quiet-window-2');
    assert.equal(await checked(alice), 'own');
    await alice.click('remove-quiet-1');
    await alice.click('save-quiet');
    await untilEqual(async () => (await stored()).windows, windows.slice(1));
  });
});

function checked({ page }: Person): Promise<string> {
  return page.$eval(
    '[data-testid="quiet-weekly"] input:checked',
    (input) => (input as HTMLInputElement).value,
  );
}

function choose({ page }: Person, kind: 'off' | 'own'): Promise<void> {
  return page.locator(`[data-testid="quiet-weekly"] input[value="${kind}"]`).click();
}

function textOf({ page }: Person, testId: string): Promise<string> {
  return page.$eval(`[data-testid="${testId}"]`, (element) => (element as HTMLElement).innerText);
}

/** By the keyboard, as a browser in American English takes a time. */
async function fillTime({ page }: Person, testId: string, time: string): Promise<void> {
  const [hours = '', minutes = ''] = time.split(':');
  const half = Number(hours) < 12 ? 'A' : 'P';
  await page.focus(`[data-testid="${testId}"]`);
  await page.keyboard.type(`${String(Number(hours) % 12 || 12).padStart(2, '0')}${minutes}${half}`);
}
