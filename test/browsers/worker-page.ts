import type { Page } from 'puppeteer-core';
import { waitFor } from './waiting.ts';

/** What a page of {@link workerPage} has been told, and what it can do. */
export interface Told {
  /** Documents that this tab has loaded, this one included. */
  loads: number;
  updates: number;
  opened: string[];
  pushChanges: number;
}

declare global {
  interface Window {
    told: Told;
    accept(): void;
  }
}

/**
 * The script of a page that only writes down what its worker tells, and shows `name`.
 *
 * @param more of the script, at its end; what it imports lies in `web/src/app`
 */
export function workerPage(name: string, more = ''): string {
  return `
    import { registerWorker } from '../../web/src/app/worker-registration.ts';
    const loads = Number(sessionStorage.getItem('loads') ?? 0) + 1;
    sessionStorage.setItem('loads', String(loads));
    const told = { loads, updates: 0, opened: [], pushChanges: 0 };
    Object.assign(window, { told });
    document.getElementById('root').textContent = ${JSON.stringify(name)};
    registerWorker({
      onUpdate: (accept) => {
        told.updates += 1;
        window.accept = accept;
      },
      onOpen: (path) => {
        told.opened.push(path);
        history.pushState(null, '', path);
      },
      onPushChanged: () => {
        told.pushChanges += 1;
      },
    });
    ${more}`;
}

export function toldOf(page: Page): Promise<Told> {
  return page.evaluate(() => window.told);
}

/** What the page shows; empty until its script has run. */
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

/** Names of all caches with the paths that are kept in each. */
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
