import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { onChromium } from './each-browser.ts';
import { watchFaults } from './page-faults.ts';
import { arrive } from './person.ts';
import { openWindow } from './running-browser.ts';
import { openChat, startTalk } from './talk.ts';

onChromium('In a browser at its limits', (browser) => {
  test('a page whose storage is full goes on, and says so once', async (t) => {
    const talk = await startTalk(t);
    const her = await arrive(t, browser(), talk.site, 'alice');
    const { page } = her;
    const driver = await page.createCDPSession();
    await driver.send('Storage.overrideQuotaForOrigin', { origin: talk.site.url, quotaSize: 20_000_000 });
    await her.signIn();
    await her.openChat(talk.bob);
    await her.write('while there is room');
    await her.waitForMessage('while there is room', 'stored');
    await page.evaluate(fillDatabases);
    await page.evaluate(fillLocalStorage);
    await her.write('without room');
    await her.find('storage-banner');
    await her.waitForMessage('without room', 'stored');
    await page.locator('[data-testid="storage-banner"] button').click();
    await page.waitForSelector('[data-testid="storage-banner"]', { hidden: true });

    await her.click('nav-settings');
    await page.locator('[data-testid="language"] input[value="zh"]').click();
    await page.locator('[data-testid="color-scheme"] input[value="dark"]').click();
    await page.waitForSelector('html[lang="zh-CN"][data-mantine-color-scheme="dark"]');
    await her.openChat(talk.bob);
    await her.write('once more');
    await her.waitForMessage('once more', 'stored');
    await talk.write(talk.bob, talk.alice, 'and back');
    await her.waitForMessage('and back');
    assert.equal(await page.$('[data-testid="storage-banner"]'), null);

    // The session was stored before; the messages are at the service.
    await page.reload();
    await her.waitForMessage('once more');
    await her.signOut();
  });

  test('two tabs have one language, that of the last choice, and do not answer each other', async (t) => {
    const talk = await startTalk(t);
    const her = await openChat(t, browser(), talk);
    const tabs = [her.page, await openWindow(her.context)];
    const [, second] = tabs;
    assert.ok(second);
    await watchFaults(t, second, talk.site.url);
    await second.goto(`${talk.site.url}/settings`);
    await her.click('nav-settings');
    for (const tab of tabs) {
      await tab.waitForSelector('[data-testid="language"]');
      await tab.evaluate(countWrites);
    }
    const choose = (tab: Page, language: string) =>
      tab.locator(`[data-testid="language"] input[value="${language}"]`).click();
    const inBoth = async (lang: string) => {
      for (const tab of tabs) await tab.waitForSelector(`html[lang="${lang}"]`);
    };
    await choose(second, 'zh');
    await inBoth('zh-CN');
    await choose(her.page, 'en');
    await inBoth('en');
    // Each choice was stored by the tab in which it was made, and by no other.
    assert.deepEqual(await Promise.all(tabs.map((tab) => tab.evaluate(writes))), [1, 1]);
  });
});

/** In the page: takes what the browser grants to its databases, down to the last byte. */
async function fillDatabases(): Promise<void> {
  const opening = indexedDB.open('filler', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore('filler', { autoIncrement: true });
  await new Promise((resolve) => {
    opening.onsuccess = resolve;
  });
  const add = (size: number) =>
    new Promise<boolean>((resolve) => {
      // Noise, as other values would be compressed.
      const noise = new Uint8Array(size);
      for (let i = 0; i < size; i += 65_536) crypto.getRandomValues(noise.subarray(i, i + 65_536));
      const transaction = opening.result.transaction('filler', 'readwrite');
      transaction.objectStore('filler').add(noise);
      transaction.oncomplete = () => resolve(true);
      transaction.onabort = () => resolve(false);
    });
  for (let size = 4_000_000; size >= 1; size = Math.floor(size / 4)) while (await add(size));
}

function fillLocalStorage(): void {
  for (let size = 4_000_000; size >= 1; size = Math.floor(size / 4)) {
    try {
      for (let i = 0; ; i++) localStorage.setItem(`filler-${size}-${i}`, 'x'.repeat(size));
    } catch {
      // The rest is smaller.
    }
  }
}

/** In the page: counts from now on how often it stores a language. */
function countWrites(): void {
  const { setItem } = Storage.prototype;
  document.documentElement.dataset.writes = '0';
  Storage.prototype.setItem = function (key: string, value: string) {
    const { dataset } = document.documentElement;
    if (key === 'doorman.language') dataset.writes = String(Number(dataset.writes) + 1);
    setItem.call(this, key, value);
  };
}

function writes(): number {
  return Number(document.documentElement.dataset.writes);
}
