import type { Page } from 'puppeteer-core';

/**
 * From its next document on, the page has no service worker. With one that claims the page while it starts, the page would
 * wait for all files of a view instead of the first.
 */
export async function loadWithoutWorker(page: Page): Promise<void> {
  await page.setBypassServiceWorker(true);
  await page.evaluateOnNewDocument(() => Reflect.deleteProperty(Navigator.prototype, 'serviceWorker'));
}
