import type { Page } from 'puppeteer-core';

/**
 * Which of these texts are anywhere in the page or stored for its origin in this browser: fields, both storages, all
 * databases, all caches with their contents, notifications, the push subscription.
 */
export function findLeft(page: Page, words: readonly string[]): Promise<string[]> {
  return page.evaluate(async (sought) => {
    const found: unknown[] = [location.href, document.title, document.cookie, history.state];
    found.push(document.documentElement.outerHTML);
    for (const field of document.querySelectorAll('input, textarea')) {
      // The line above chooses it.
      found.push((field as HTMLInputElement | HTMLTextAreaElement).value);
    }
    found.push({ ...localStorage }, { ...sessionStorage });

    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    for (const { name = '' } of await indexedDB.databases()) {
      const database = await done(indexedDB.open(name));
      for (const store of database.objectStoreNames) {
        const kept = database.transaction(store).objectStore(store);
        found.push(name, store, await Promise.all([done(kept.getAllKeys()), done(kept.getAll())]));
      }
      database.close();
    }

    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const { url } of await cache.keys()) found.push(name, url, await (await cache.match(url))?.text());
    }

    const registration = await navigator.serviceWorker.getRegistration();
    for (const { title, body, data } of (await registration?.getNotifications()) ?? [])
      found.push(title, body, data);
    found.push(await registration?.pushManager.getSubscription());
    const all = found.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('\n');
    return sought.filter((word) => all.includes(word));
  }, words);
}
