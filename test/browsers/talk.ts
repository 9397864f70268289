import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';
import type { Db } from '../../src/db/db.ts';
import type { Scope } from './endings.ts';
import { arrive, type Person } from './person.ts';
import type { RunningBrowser } from './running-browser.ts';
import { type Account, type Site, startSite } from './site.ts';
import { waitFor } from './waiting.ts';

export interface Talk {
  site: Site;
  alice: Account;
  bob: Account;
  /**
   * Sends through the interface, without the limit of thirty in ten seconds, each message in a later millisecond than the one
   * before: conversations whose last messages are of the same millisecond have any order. @returns the number of the last message
   */
  write(from: Account, to: Pick<Account, 'id'>, ...bodies: string[]): Promise<number>;
  /** Marks the messages of `who` with `peer` as read up to number `n`. */
  read(who: Account, peer: Account, n: number): Promise<void>;
  /** Fills the database, for a conversation that is too long to be written. */
  fill(add: (db: Db) => Promise<void>): Promise<void>;
}

/** Alice and Bob with accounts, who can write to each other without a page. */
export async function startTalk(scope: Scope, env: Record<string, string> = {}): Promise<Talk> {
  let skippedMs = 0;
  const opened: Db[] = [];
  const site = await startSite(scope, {
    env,
    world: { monotonicMs: () => performance.now() + skippedMs },
    opened: ({ db }) => void opened.push(db),
  });
  const [alice, bob] = [await site.join('alice'), await site.join('bob')];
  let count = 0;
  return {
    site,
    alice,
    bob,
    async write(from, to, ...bodies) {
      let last = 0;
      for (const body of bodies) {
        if (++count % 25 === 0) skippedMs += 11_000;
        const answer = await site.post(
          '/api/messages',
          { to: to.id, cid: crypto.randomUUID(), body },
          from.token,
        );
        if (answer.status !== 200) throw new Error(`not sent: ${JSON.stringify(answer.body)}`);
        last = answer.body.data.n;
        while (Date.now() <= answer.body.data.at) await nextTurn();
      }
      return last;
    },
    async read(who, peer, n) {
      const { status } = await site.post('/api/messages/mark', { peer: peer.id, read: n }, who.token);
      if (status !== 200) throw new Error(`not marked: ${status}`);
    },
    async fill(add) {
      for (const db of opened) await add(db);
    },
  };
}

/** Messages of one line, of some, and of more than a screen. */
export function bodies(count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const words = i % 60 === 30 ? 350 : (i * 7) % 40;
    return `No. ${i + 1} ${'more words '.repeat(words)}`.trim();
  });
}

/** The scroll position of the messages in pixels, and the distance to the end. */
export async function place(page: Page): Promise<{ top: number; below: number }> {
  return page.$eval('[data-testid="messages"]', ({ scrollTop, scrollHeight, clientHeight }) => ({
    top: Math.round(scrollTop),
    below: Math.round(scrollHeight - scrollTop - clientHeight),
  }));
}

/** Scrolls as a wheel does; down if `pixels` is above 0. */
export async function scroll(page: Page, pixels: number): Promise<void> {
  await page.$eval('[data-testid="messages"]', (list, pixels) => list.scrollBy(0, pixels), pixels);
}

export function waitForEnd(page: Page): Promise<boolean> {
  return waitFor('the end of the conversation', async () => (await place(page)).below <= 1);
}

/** The distance of the "new" line to the upper edge of the list; `undefined` without a line. */
export function lineTop(page: Page): Promise<number | undefined> {
  return page.evaluate(() => {
    const line = document.querySelector('[data-testid="unread-line"]')?.getBoundingClientRect();
    const list = document.querySelector('[data-testid="messages"]')?.getBoundingClientRect();
    return line && list ? Math.round(line.top - list.top) : undefined;
  });
}

/** Opens the chat with Bob in a page of Alice, also if it has no messages yet. */
export async function openChat(scope: Scope, browser: RunningBrowser, { site, bob }: Talk): Promise<Person> {
  const her = await arrive(scope, browser, site, 'alice');
  her.faults.expect(/^403 POST \/api\/messages$/);
  await her.signIn();
  // In Firefox only the front window gets focus events.
  await her.page.bringToFront();
  await her.find(`conversation-${bob.id}`, 'find-people');
  const row = await her.page.$(`[data-testid="conversation-${bob.id}"]`);
  if (row) await her.click(`conversation-${bob.id}`);
  else {
    await her.click('nav-people');
    await her.click(`message-${bob.id}`);
  }
  await her.find('composer');
  await her.find('messages');
  // What copies, announces and opens menus is loaded after the first view.
  await her.find('announcer');
  return her;
}

export function textOf(page: Page, selector: string): Promise<string> {
  return page.evaluate((found) => document.querySelector<HTMLElement>(found)?.textContent ?? '', selector);
}

export function hasFocus(page: Page, selector: string): Promise<boolean> {
  return page.evaluate((wanted) => document.activeElement?.matches(wanted) ?? false, selector);
}

/** In the page: whether a text is stored on this device. */
export function isKept(text: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('doorman');
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const reading = opening.result.transaction('kept').objectStore('kept').getAll();
      reading.onerror = () => reject(reading.error);
      reading.onsuccess = () => {
        opening.result.close();
        resolve(JSON.stringify(reading.result).includes(text));
      };
    };
  });
}
