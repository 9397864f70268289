import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { createInvite, listInvites } from '../../src/accounts/registration/invites.ts';
import type { Config } from '../../src/config/config.ts';
import type { Services } from '../../src/services.ts';
import { appear, assertFits } from './appearance.ts';
import { assertAccessible } from './axe.ts';
import { fill } from './controls.ts';
import { onChromium } from './each-browser.ts';
import { holdAnswers } from './held-answers.ts';
import { watchFaults } from './page-faults.ts';
import { openContext, openWindow, type RunningBrowser } from './running-browser.ts';
import { startSite } from './site.ts';
import { waitFor } from './waiting.ts';

async function open(t: TestContext, browser: RunningBrowser, registration: Config['registration']) {
  const opened = Promise.withResolvers<Services>();
  const site = await startSite(t, { env: { REGISTRATION: registration }, opened: opened.resolve });
  const services = await opened.promise;
  const page = await openWindow(await openContext(t, browser));
  const faults = await watchFaults(t, page, site.url);
  await appear(t, browser, page, { languages: 'en-US,en' });
  // Records what the user could see, to find a form or a heading that only flashed.
  await page.evaluateOnNewDocument(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    new MutationObserver(() => {
      const fields = [...document.querySelectorAll('input')].map(({ name }) => name);
      const view = [document.querySelector('h1')?.textContent ?? '', ...fields].join(' ');
      if (view !== '' && seen.at(-1) !== view) seen.push(view);
    }).observe(document, { childList: true, subtree: true });
  });
  return {
    site,
    page,
    faults,
    services,
    /** Sets who may register, as a restart that an open page does not notice. */
    admit: (registration: Config['registration']) => Object.assign(services.config, { registration }),
    invite: async () => {
      const { accounts, db } = services;
      return (await createInvite(db, accounts.passwords.queue, { uses: 2, days: 1 }, Date.now())).code;
    },
  };
}

onChromium('Who may create an account', (browser) => {
  test('with an invite its link fills in the field, stays over the sign-in and a reload, and goes with the registration', async (t) => {
    const { site, page, invite, services } = await open(t, browser(), 'invite');
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    const code = await invite();
    await page.goto(`${site.url}/sign-up#invite=${code}`);
    const filledIn = () => page.waitForSelector(`[name="invite"][value="${code}"]`);
    await filledIn();
    assert.deepEqual(await seen(page), ['Create your account username password invite']);
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'username');
    await page.reload();
    await filledIn();
    await page.click('[data-testid="other-way"]');
    await page.waitForSelector('[autocomplete="current-password"]');
    await page.click('[data-testid="other-way"]');
    await filledIn();
    await assertAccessible(page, 'the sign-up with an invite');
    await appear(t, browser(), page, { width: 320 });
    await assertFits(page, 'the sign-up with an invite');
    await fill(page, '[name="username"]', 'alice');
    await fill(page, '[name="password"]', 'wonderland');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-testid="find-people"]');
    assert.equal(await page.evaluate(() => location.href), `${site.url}/`);
    assert.deepEqual(
      requested.filter((url) => url.replace(/#.*/, '').includes(code)),
      [],
    );
    const [left] = await listInvites(services.db, Date.now());
    assert.equal(left?.uses_left, 1);
  });

  test('a page that was opened before an invite was needed asks for it, and keeps what was typed', async (t) => {
    const { site, page, faults, admit, invite } = await open(t, browser(), 'invite');
    faults.expect(/^403 POST \/api\/register$/);
    admit('open');
    await page.goto(`${site.url}/sign-up`);
    await page.waitForSelector('[data-testid="enter"]');
    assert.equal(await page.$('[name="invite"]'), null);
    await fill(page, '[name="username"]', 'alice');
    await fill(page, '[name="password"]', 'wonderland');
    admit('invite');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[name="invite"][aria-invalid="true"]:focus');
    const error = await page.$eval('[id$="-error"]', (element) => element.textContent);
    assert.equal(error, 'Enter a valid invite code. If yours has expired or been used, ask for a new one.');
    await fill(page, '[name="invite"]', ` ${(await invite()).toLowerCase().replace('-', ' ')}`);
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-testid="find-people"]');
  });

  test('where no one can, no form and no button leads to a new account, also before the service has answered', async (t) => {
    const { site, page, faults, admit } = await open(t, browser(), 'closed');
    faults.expect(/^403 POST \/api\/register$/);
    await page.goto(site.url);
    await page.waitForSelector('[data-testid="enter"]');
    assert.equal(await page.evaluate(() => location.pathname), '/sign-in');
    assert.equal(await page.$('[data-testid="other-way"]'), null);
    assert.deepEqual(await seen(page), ['Sign in username password']);

    const held = await holdAnswers(page, '/api/options');
    await page.goto(`${site.url}/sign-up`);
    await page.waitForSelector('[data-testid="registration-closed"]');
    assert.deepEqual(await seen(page), ['Registration is closed']);
    await held.release();
    await assertAccessible(page, 'the closed registration');
    await page.click('[data-testid="other-way"]');
    await page.waitForSelector('[autocomplete="current-password"]');

    await page.evaluate(() => localStorage.clear());
    const first = await holdAnswers(page, '/api/options');
    await page.goto(`${site.url}/sign-up`);
    await page.waitForSelector('[data-testid="waiting"]');
    await first.release();
    await page.waitForSelector('[data-testid="registration-closed"]');
    assert.ok((await seen(page)).every((view) => !view.includes('username')));

    // A page that was opened before.
    admit('open');
    await page.evaluate(() => localStorage.clear());
    await page.goto(`${site.url}/sign-up`);
    await fill(page, '[name="username"]', 'alice');
    await fill(page, '[name="password"]', 'wonderland');
    admit('closed');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-testid="registration-closed"]');
    await waitFor('the title', async () => (await page.title()) === 'Registration is closed · Doorman');
  });
});

function seen(page: Page): Promise<string[]> {
  return page.evaluate(() => Object.getOwnPropertyDescriptor(window, 'seen')?.value);
}
