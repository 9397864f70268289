import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appear } from './appearance.ts';
import { assertAccessible } from './axe.ts';
import { onChromium } from './each-browser.ts';
import { holdAnswers } from './held-answers.ts';
import { noteShifts, shiftsOf } from './layout-shifts.ts';
import { arrive } from './person.ts';
import { startTalk } from './talk.ts';
import { untilEqual, waitFor } from './waiting.ts';
import { loadWithoutWorker } from './without-worker.ts';

/** The views by their paths: their title, their file, what they request, and what they show in the end. */
const VIEWS = [
  { path: '/settings/profile', title: 'Profile', file: 'profile-page', shows: '[name="nickname"]' },
  {
    path: '/settings/notifications',
    title: 'Notifications',
    file: 'notifications-page',
    asks: '/api/push/devices',
    shows: '[data-testid="dnd"]',
  },
  {
    path: '/settings/log',
    title: 'Notification log',
    file: 'log-page',
    asks: '/api/push/log*',
    shows: '[data-testid="push-offer"]',
  },
  {
    path: '/settings/privacy',
    title: 'Privacy',
    file: 'privacy-page',
    asks: '/api/user/privacy',
    shows: '[data-testid="privacy-listed"]',
  },
  {
    path: '/settings/security',
    title: 'Password and devices',
    file: 'security-page',
    asks: '/api/sessions',
    shows: '[data-testid^="session-"]',
  },
  {
    path: '/settings/account-log',
    title: 'Account log',
    file: 'account-log-page',
    asks: '/api/account/log*',
    shows: '[data-testid^="act-"]',
  },
  { path: '/settings/blocked', title: 'Blocked people', file: 'blocked-page', shows: 'h3, h2' },
  {
    path: '/people/BOB',
    title: 'Profile',
    file: 'person-page',
    asks: '/api/user/profile/BOB',
    shows: '[data-testid="block"]',
  },
];

onChromium('While a view is loading', (browser) => {
  for (const { path, title, file, asks, shows } of VIEWS)
    test(`${path} shows its title and grey rows, and nothing moves when it is there`, async (t) => {
      const { site, bob } = await startTalk(t);
      await site.post('/api/user/profile', { bio: 'Builds bridges' }, bob.token);
      const her = await arrive(t, browser(), site, 'alice');
      const { page } = her;
      await her.signIn();
      await loadWithoutWorker(page);
      await page.setCacheEnabled(false);
      await page.evaluateOnNewDocument(noteShifts);
      let held = Promise.withResolvers<void>();
      await page.setRequestInterception(true);
      page.on('request', async (request) => {
        if (request.url().includes(`/${file}-`) && request.url().endsWith('.js')) await held.promise;
        await request.continue();
      });
      for (const width of [1280, 390]) {
        held = Promise.withResolvers<void>();
        await appear(t, browser(), page, { width, height: 800, languages: 'en-US,en' });
        const answers = asks && (await holdAnswers(page, asks.replace('BOB', bob.id)));
        await page.goto(site.url + path.replace('BOB', bob.id), { waitUntil: 'domcontentloaded' });
        const titleOf = () =>
          page.evaluate(() => document.querySelector('[data-pane="page"] h1')?.firstChild?.textContent);
        const busy = '[data-pane="page"] [aria-busy="true"]';
        await untilEqual(titleOf, title);
        await page.waitForSelector(busy);
        assert.ok(await page.$$eval(`${busy} [data-grey]`, (rows) => rows.length >= 3));
        await assertAccessible(page, `the shell of ${path}`);
        held.resolve();
        if (answers) {
          await waitFor('its file', async () => (await page.$('[data-testid="waiting"]')) === null);
          await untilEqual(titleOf, title);
          await page.waitForSelector(busy);
          await answers.release();
        }
        await page.waitForSelector(shows);
        await waitFor('all of it', async () => (await page.$(busy)) === null);
        assert.deepEqual(await shiftsOf(page), [], `at ${width}`);
      }
    });
});
