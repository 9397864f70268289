import type { Page } from 'puppeteer-core';
import { waitFor } from './waiting.ts';

/** What a page of {@link workerPage} records, and what it can do. */
export interface Recorded {
  /** Documents that this tab has loaded, this one included. */
  loads: number;
  updates: number;
  opened: string[];
  pushChanges: number;
}

declare global {
  interface Window {
    recorded: Recorded;
    accept(): void;
  }
}

/**
 * The script of a page that records the messages of its worker, and shows `name`.
 *
 * @param more code at the end of the script; its imports are relative to `web/src/app`
 */
export function workerPage(name: string, more = ''): string {
  return `
    import { registerWorker } from './worker-registration.ts';
    const loads = Number(sessionStorage.getItem('loads') ?? 0) + 1;
    sessionStorage.setItem('loads', String(loads));
    const recorded = { loads, updates: 0, opened: [], pushChanges: 0 };
    Object.assign(window, { recorded });
    document.getElementById('root').textContent = ${JSON.stringify(name)};
    registerWorker({
      onUpdate: (accept) => {
        recorded.updates += 1;
        window.accept = accept;
      },
      onOpen: (path) => {
        recorded.opened.push(path);
        history.pushState(null, '', path);
      },
      onPushChanged: () => {
        recorded.pushChanges += 1;
      },
    });
    ${more}`;
}

export function recordsOf(page: Page): Promise<Recorded> {
  return page.evaluate(() => window.recorded);
}

/** The text of the page; empty until its script has run. */
export function textOf(page: Page): Promise<string> {
  return page.evaluate(() => document.getElementById('root')?.textContent ?? '');
}

/** Waits until the worker has taken over the page, with its shell in the cache. */
export async function waitForWorker(page: Page): Promise<void> {
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await waitFor('the worker to take over', () =>
    page.evaluate(() => navigator.serviceWorker.controller?.state === 'activated'),
  );
}

/** The names of all caches, also while the worker deletes one: {@link cachesOf} would open that one, which creates it again. */
export function cacheNamesOf(page: Page): Promise<string[]> {
  return page.evaluate(() => caches.keys());
}

/** The names of all caches, with the paths in each. */
export function cachesOf(page: Page): Promise<Record<string, string[]>> {
  return page.evaluate(async () => {
    const found: Record<string, string[]> = {};
    for (const name of await caches.keys()) {
      const kept = await (await caches.open(name)).keys();
      found[name] = kept.map(({ url }) => url.replace(location.origin, '')).sort();
    }
    return found;
  });
}
