import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { appear, placesOf } from './appearance.ts';
import { assertAccessible } from './axe.ts';
import { fill } from './controls.ts';
import { onChromium } from './each-browser.ts';
import { watchFaults } from './page-faults.ts';
import { arrive } from './person.ts';
import { openContext, openWindow, type RunningBrowser } from './running-browser.ts';
import { startSite } from './site.ts';
import { waitFor } from './waiting.ts';

const WARNING = 'Many people use this password. Choose one that’s harder to guess.';
const LIST = /\/assets\/common-passwords-[\w-]+\.txt$/;

async function openSignUp(t: TestContext, browser: RunningBrowser, env: Record<string, string> = {}) {
  const site = await startSite(t, { env });
  const page = await openWindow(await openContext(t, browser));
  const faults = await watchFaults(t, page, site.url);
  await appear(t, browser, page, { languages: 'en-US,en' });
  const requested: string[] = [];
  page.on('request', (request) => requested.push(new URL(request.url()).pathname));
  await page.goto(`${site.url}/sign-up`);
  await page.waitForSelector('[name="password"]');
  return { site, page, faults, requested };
}

const warningIn = (page: Page) =>
  page.$eval('[data-testid="password-common"]', (element) => element.textContent);

/** As a user who types and pauses. */
async function typePassword(page: Page, password: string, name = 'password'): Promise<void> {
  await page.focus(`[name="${name}"]`);
  await fill(page, `[name="${name}"]`, password);
}

onChromium('A password that many users choose', (browser) => {
  test('has a warning below the field, which moves nothing and stops no sign-up', async (t) => {
    const { page, faults, requested, site } = await openSignUp(t, browser());
    await fill(page, '[name="username"]', 'alice');
    assert.deepEqual(
      requested.filter((path) => LIST.test(path)),
      [],
      'not before a password is chosen',
    );
    const before = await placesOf(page, 'h1, label, input, button');
    await typePassword(page, 'PassWord');
    await waitFor('the warning', async () => (await warningIn(page)) === WARNING);
    assert.deepEqual(await placesOf(page, 'h1, label, input, button'), before);
    await assertAccessible(page, 'a warning of a common password');
    await typePassword(page, 'password-of-alice');
    await waitFor('no warning', async () => (await warningIn(page)) === '');
    await typePassword(page, '123456');
    await waitFor('the warning again', async () => (await warningIn(page)) === WARNING);
    assert.equal(requested.filter((path) => LIST.test(path)).length, 1);
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-testid="find-people"]');
    assert.equal((await site.post('/api/login', { username: 'alice', password: '123456' })).status, 200);
    assert.deepEqual(faults.lines, []);
  });

  test('has an error where the operator refuses it', async (t) => {
    const { page, faults } = await openSignUp(t, browser(), { PASSWORD_LIST: 'refuse' });
    faults.expect(/^400 POST \/api\/register/);
    await fill(page, '[name="username"]', 'alice');
    await typePassword(page, '123456');
    await page.keyboard.press('Enter');
    await waitFor('the error', () =>
      page.$eval('form', (form) =>
        form.textContent?.includes('This password is too common. Choose another one.'),
      ),
    );
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'password');
  });

  test('has no warning with PASSWORD_LIST=off, and the list is not loaded', async (t) => {
    const { page, requested } = await openSignUp(t, browser(), { PASSWORD_LIST: 'off' });
    const answered = page.waitForResponse(async (answer) => {
      const isOptions = answer.url().endsWith('/api/options');
      return isOptions && (await answer.json()).data.passwordList === 'off';
    });
    await page.reload();
    await page.waitForSelector('[name="password"]');
    await typePassword(page, '123456');
    await answered;
    // The page requests the list as soon as it has read the answer.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
    assert.equal(await warningIn(page), '');
    assert.deepEqual(
      requested.filter((path) => LIST.test(path)),
      [],
    );
  });

  test('has the warning in the settings too, and not the password that a user has', async (t) => {
    const site = await startSite(t);
    const alice = await arrive(t, browser(), site, 'alice');
    await alice.signUp();
    await alice.page.goto(`${site.url}/settings/security`);
    await alice.page.waitForSelector('[name="newPassword"]');
    await alice.find('settings-sign-out');
    await typePassword(alice.page, 'password', 'oldPassword');
    const before = await placesOf(alice.page, 'h2, label, input, button');
    await typePassword(alice.page, '123456', 'newPassword');
    await waitFor('the warning', async () => (await warningIn(alice.page)) === WARNING);
    assert.deepEqual(await placesOf(alice.page, 'h2, label, input, button'), before);
    assert.equal((await alice.page.$$('[data-testid="password-common"]')).length, 1);
  });
});
