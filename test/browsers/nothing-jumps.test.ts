import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { appear, placesOf } from './appearance.ts';
import { onChromium } from './each-browser.ts';
import { noteShifts, shiftsOf } from './layout-shifts.ts';
import { arrive } from './person.ts';
import { openContext, openWindow, type RunningBrowser } from './running-browser.ts';
import { startSite } from './site.ts';
import { waitFor } from './waiting.ts';
import { loadWithoutWorker } from './without-worker.ts';

/** What a user reads or touches, in both panes. */
const PARTS = 'h1, a, button, input, textarea, [data-message]';
const SHELL = { navigation: '.shell-rail', list: '.shell-list', page: '.shell-page' };
const PANES = { navigation: 'nav', list: '[data-pane="list"]', page: '[data-pane="page"]' };

/** Alice in her page, with a conversation with Bob. */
async function startTalking(t: TestContext, browser: RunningBrowser) {
  const site = await startSite(t);
  const alice = await arrive(t, browser, site, 'alice');
  await appear(t, browser, alice.page, { width: 1280, height: 800, languages: 'en-US,en' });
  await alice.signUp();
  const bob = await site.join('bob');
  await alice.openChat(bob);
  await alice.write('Tea at five?');
  await alice.waitForMessage('Tea at five?', 'stored');
  return { site, alice, bob, page: alice.page };
}

onChromium('Nothing on the page jumps', (browser) => {
  test('a lost network is reported at once, and moves and covers nothing', async (t) => {
    const { site, alice, bob, page } = await startTalking(t, browser());
    alice.faults.expectOutage();
    alice.faults.expect(/ERR_INTERNET_DISCONNECTED/);
    for (const width of [1280, 390])
      for (const path of ['/', `/chat/${bob.id}`]) {
        const where = `${path} at ${width}`;
        await appear(t, browser(), page, { width, height: 800 });
        await page.goto(site.url + path);
        await page.waitForSelector(
          path === '/' ? `[data-testid="conversation-${bob.id}"]` : '[data-message]',
        );
        await waitFor('its files', async () => (await page.$('[data-testid="waiting"]')) === null);
        // At this width also beside the list; it comes after the first view, into its place.
        if (path !== '/' || width > 768) await page.waitForSelector('[data-testid="attach"]');
        const before = await placesOf(page, PARTS);
        const reported = page.evaluate(reportedAtOnce);
        await page.setOfflineMode(true);
        assert.equal(await reported, true, where);
        const added = (places: string[]) => places.filter((place) => !place.startsWith('Try now'));
        assert.deepEqual(added(await placesOf(page, PARTS)), before, where);
        assert.deepEqual(await page.$$eval(`:is(${PARTS}):not([data-message])`, findCovered), [], where);
        await page.setOfflineMode(false);
        await page.waitForSelector('[data-testid="connection-banner"]', { hidden: true });
        assert.deepEqual(await placesOf(page, PARTS), before, where);
      }
  });

  test('the document has the panes before the scripts of the page come, and they stay where they are', async (t) => {
    const { site, bob, page } = await startTalking(t, browser());
    await loadWithoutWorker(page);
    // What is in memory would not be held.
    await page.setCacheEnabled(false);
    await page.evaluateOnNewDocument(noteShifts);
    let held = Promise.withResolvers<void>();
    await page.setRequestInterception(true);
    page.on('request', async (request) => {
      if (request.resourceType() === 'script') await held.promise;
      await request.continue();
    });
    for (const width of [1280, 390])
      for (const path of ['/', `/chat/${bob.id}`]) {
        const where = `${path} at ${width}`;
        held = Promise.withResolvers<void>();
        await appear(t, browser(), page, { width, height: 800 });
        const opened = page.goto(site.url + path);
        await page.waitForSelector('.shell-row');
        const shell = await rectanglesOf(page, SHELL);
        held.resolve();
        await opened;
        await page.waitForSelector(
          path === '/' ? `[data-testid="conversation-${bob.id}"]` : '[data-message]',
        );
        await waitFor('its files', async () => (await page.$('[data-testid="waiting"]')) === null);
        assert.deepEqual(await rectanglesOf(page, PANES), shell, where);
        assert.deepEqual(await shiftsOf(page), [], where);
      }
  });

  test('the messages are requested while React is loaded, and few files come before them', async (t) => {
    const site = await startSite(t);
    const bob = await site.join('bob');
    const account = await site.join('alice');
    const message = { to: account.id, cid: 'c', body: 'Tea at five?' };
    assert.equal((await site.post('/api/messages', message, bob.token)).status, 200);
    // The message is older than this sign-in, so the device has not stored it.
    const alice = await arrive(t, browser(), site, 'alice');
    await alice.signIn();
    const { page } = alice;
    await loadWithoutWorker(page);
    await page.setCacheEnabled(false);
    const asked = Promise.withResolvers<void>();
    await page.setRequestInterception(true);
    page.on('request', async (request) => {
      const { pathname } = new URL(request.url());
      if (pathname === '/api/messages') asked.resolve();
      if (/^\/assets\/page-.*\.js$/.test(pathname)) await asked.promise;
      await request.continue();
    });
    await page.goto(`${site.url}/chat/${bob.id}`);
    await page.waitForSelector('[data-message]');
    const loaded = await page.evaluate(() => {
      const files = ['navigation', 'resource']
        .flatMap((type) => performance.getEntriesByType(type))
        .filter((entry) => entry instanceof PerformanceResourceTiming)
        .filter(({ name }) => !/\/(?:api|icons)\//.test(name));
      const react = files.find(({ name }) => /\/page-.*\.js$/.test(name))?.responseEnd ?? 0;
      return files
        .filter(({ startTime }) => startTime < react)
        .map(({ name, encodedBodySize }) => ({ name: new URL(name).pathname, bytes: encodedBodySize }));
    });
    const bytes = loaded.reduce((sum, file) => sum + file.bytes, 0);
    const what = loaded.map((file) => `${file.name} ${file.bytes}`).join('\n');
    t.diagnostic(`${bytes} bytes`);
    // On a line of 50 KB/s each KB takes 20 ms, and each file some 30 ms more (docs/web.md, Figures).
    assert.ok(loaded.length <= 6 && bytes > 100_000 && bytes < 136_000, `${bytes} bytes:\n${what}`);
  });

  test('nor does the sign-in, when its scripts come', async (t) => {
    const site = await startSite(t);
    const page = await openWindow(await openContext(t, browser()));
    await page.evaluateOnNewDocument(noteShifts);
    for (const width of [1280, 390]) {
      await appear(t, browser(), page, { width, height: 800 });
      await page.goto(`${site.url}/sign-in`);
      await page.waitForSelector('[data-testid="enter"]');
      // What comes late moves things too.
      await page.waitForNetworkIdle();
      assert.deepEqual(await shiftsOf(page), [], `at ${width}`);
    }
  });
});

/** Whether the first frame after the browser's `offline` event has the banner. */
function reportedAtOnce(): Promise<boolean> {
  return new Promise((resolve) => {
    const look = () => resolve(document.querySelector('[data-testid="connection-banner"]') !== null);
    addEventListener('offline', () => requestAnimationFrame(look), { once: true });
  });
}

/** The visible controls that something else lies upon. */
function findCovered(controls: Element[]): string[] {
  return controls
    .filter((control) => control.checkVisibility({ visibilityProperty: true }))
    .filter((control) => {
      const { x, y, width, height } = control.getBoundingClientRect();
      if (y + height <= 0 || height < 2) return false; // the link to skip the navigation
      const top = document.elementFromPoint(x + width / 2, y + height / 2);
      return !control.contains(top) && !top?.contains(control);
    })
    .map((control) => control.outerHTML.slice(0, 120));
}

/** The rectangles of those parts that are visible, in whole pixels. */
function rectanglesOf(page: Page, parts: Record<string, string>): Promise<Record<string, string>> {
  return page.evaluate((selectors) => {
    const found = Object.entries(selectors).flatMap(([name, selector]) => {
      const part = document.querySelector(selector);
      if (!part?.checkVisibility({ visibilityProperty: true })) return [];
      const { x, y, width, height } = part.getBoundingClientRect();
      return [[name, [x, y, width, height].map(Math.round).join(' ')]];
    });
    return Object.fromEntries(found);
  }, parts);
}
