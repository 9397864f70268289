import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { onChromium, onEachBrowser } from './each-browser.ts';
import { endingsOf } from './endings.ts';
import { buildPage, deployBuild, deployOver } from './page-build.ts';
import { openContext, openWindow, type RunningBrowser } from './running-browser.ts';
import { startSite } from './site.ts';
import { waitFor } from './waiting.ts';
import { cacheNamesOf, cachesOf, recordsOf, textOf, waitForWorker, workerPage } from './worker-page.ts';

const file = { after };
// Registered now: inside of `before`, `after` would mean the end of `before`.
endingsOf(file);
let [first, second] = ['', ''];
before(async () => {
  first = await buildPage(file, workerPage('first'));
  second = await buildPage(file, workerPage('second'));
});

async function start(t: TestContext, browser: RunningBrowser) {
  const folder = await deployBuild(t, first);
  const site = await startSite(t, { world: { pageFolder: folder } });
  const context = await openContext(t, browser);
  const open = async () => {
    const page = await openWindow(context, site.url);
    await waitForWorker(page);
    return page;
  };
  return { folder, open };
}

onEachBrowser('A new version of the page', (browser) => {
  test('the first worker takes over silently, and reloads nothing', async (t) => {
    const { open } = await start(t, browser());
    const page = await open();
    await lookForUpdate(page);
    assert.deepEqual(await recordsOf(page), { loads: 1, updates: 0, opened: [], pushChanges: 0 });
  });

  test('an open page is notified, stays until the user accepts, and is reloaded once', async (t) => {
    const { folder, open } = await start(t, browser());
    const page = await open();
    const [shell] = await cacheNamesOf(page);
    await deployOver(folder, second);
    await lookForUpdate(page);
    await waitFor('the notice', async () => (await recordsOf(page)).updates === 1);
    assert.deepEqual([await textOf(page), (await recordsOf(page)).loads], ['first', 1]);
    assert.equal((await cacheNamesOf(page)).length, 2);

    await accept(page);
    await waitFor('the new page', async () => (await textIfThere(page)) === 'second');
    const [kept, ...others] = await waitFor('the old files to go', async () => {
      const names = await cacheNamesOf(page);
      return names.length === 1 && names;
    });
    assert.notEqual(kept, shell);
    assert.deepEqual(others, []);
    await lookForUpdate(page);
    assert.deepEqual(await recordsOf(page), { loads: 2, updates: 0, opened: [], pushChanges: 0 });
  });

  test('with a page of the previous version open, it waits until both accept; then both have it', async (t) => {
    const { folder, open } = await start(t, browser());
    const [old, fresh] = [await open(), await open()];
    await deployOver(folder, second);
    await fresh.reload();
    await waitFor('the notice', async () => (await recordsOf(old)).updates === 1);
    assert.equal(await textOf(old), 'first');
    assert.equal((await cacheNamesOf(old)).length, 2);
    assert.equal((await recordsOf(fresh)).updates, 0);

    await accept(old);
    for (const page of [old, fresh])
      await waitFor('the new page', async () => (await textIfThere(page)) === 'second');
    await waitFor('the old files to go', async () => (await cacheNamesOf(old)).length === 1);
    assert.equal((await recordsOf(old)).loads, 2);
  });
});

onChromium('A version of the page that has just arrived', (browser) => {
  test('a reload has it at once, without a question', async (t) => {
    const { folder, open } = await start(t, browser());
    const page = await open();
    const [shell] = await cacheNamesOf(page);
    await deployOver(folder, second);
    await page.reload();
    assert.equal(await textOf(page), 'second');
    await waitFor('the new worker', async () => {
      const names = await cacheNamesOf(page);
      return names.length === 1 && names[0] !== shell;
    });
    await lookForUpdate(page);
    assert.deepEqual(await recordsOf(page), { loads: 2, updates: 0, opened: [], pushChanges: 0 });
  });

  test('with a page of the previous version that closes, it takes over then', async (t) => {
    const { folder, open } = await start(t, browser());
    const [old, fresh] = [await open(), await open()];
    await deployOver(folder, second);
    await fresh.reload();
    await waitFor('the notice', async () => (await recordsOf(old)).updates === 1);
    assert.equal((await cacheNamesOf(fresh)).length, 2);
    await old.close();
    await waitFor('the old files to go', async () => (await cacheNamesOf(fresh)).length === 1);
    assert.deepEqual(await recordsOf(fresh), { loads: 2, updates: 0, opened: [], pushChanges: 0 });
  });

  test('worker and document of different builds are not mixed', async (t) => {
    const { folder, open } = await start(t, browser());
    const page = await open();
    const kept = await cachesOf(page);
    const document = await readFile(join(folder, 'index.html'));
    await deployOver(folder, second);
    await writeFile(join(folder, 'index.html'), document);
    await lookForUpdate(page);
    await waitFor('the new worker to give up', () =>
      page.evaluate(async () => {
        const registration = await navigator.serviceWorker.getRegistration();
        return registration?.installing === null && registration.waiting === null;
      }),
    );
    assert.equal((await recordsOf(page)).updates, 0);
    const [name = '', files] = Object.entries(kept)[0] ?? [];
    assert.deepEqual((await cachesOf(page))[name], files);
  });
});

/** Looks for a new worker, and waits until it is known whether there is one. */
function lookForUpdate(page: Page): Promise<void> {
  return page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    await registration?.update();
  });
}

async function accept(page: Page): Promise<void> {
  await page.evaluate(() => window.accept());
}

/** While a page is replaced, it may not answer. */
function textIfThere(page: Page): Promise<string> {
  return textOf(page).catch(() => '');
}
