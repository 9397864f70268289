import type { Page } from 'puppeteer-core';
import type { Firefox } from './firefox.ts';
import type { RunningBrowser } from './running-browser.ts';
import { waitForWorker } from './worker-page.ts';

/**
 * Takes the network from a page, or gives it back; the page gets the browser's event. In Firefox, from all pages. It is taken once
 * the worker has all files: a view that the page loads later would fail.
 */
export async function setOffline(browser: RunningBrowser, page: Page, isOffline: boolean): Promise<void> {
  if (isOffline) await waitForWorker(page);
  if (isFirefox(browser)) await browser.inside(`Services.io.offline = ${isOffline}`);
  else await page.setOfflineMode(isOffline);
}

function isFirefox(browser: RunningBrowser): browser is Firefox {
  return browser.kind === 'firefox';
}
