// Measures the page for docs/web.md: what the first load brings, and how soon it can be used. In Chromium, with nothing cached.
//   npm run page-figures
//   npm run page-figures -- scrolling    how smoothly long lists scroll
import type { Page } from 'puppeteer-core';
import { findAxeFaults } from '../test/browsers/axe.ts';
import { startChromium } from '../test/browsers/chromium.ts';
import { openContext, openWindow } from '../test/browsers/running-browser.ts';
import { startSite } from '../test/browsers/site.ts';
import { idOf, tellStory } from '../test/browsers/story.ts';
import { measureScrolling } from './page-scrolling.ts';

const RUNS = 5;
/** A line as in a train: bytes a second each way, and milliseconds until an answer begins. */
const SLOW_LINE = { download: 50_000, upload: 50_000, latency: 400 };

const ends: (() => Promise<void> | void)[] = [];
const scope = { after: (end: () => Promise<void> | void) => void ends.push(end) };
try {
  await (process.argv.includes('scrolling') ? measureScrolling(scope) : measure());
} finally {
  for (const end of ends) await end();
}

async function measure(): Promise<void> {
  const site = await startSite(scope);
  const people = await tellStory(site);
  const chromium = await startChromium(scope);
  const load = async (path: string, shows: string, isIn: boolean, isSlow = false) => {
    const runs: Record<string, number>[] = [];
    for (let run = 0; run < RUNS; run++) {
      const page = await openWindow(await openContext(scope, chromium), `${site.url}/sign-in`);
      if (isIn) await signIn(page);
      await page.setCacheEnabled(false);
      await noteWhenShown(page, shows);
      await page.setBypassServiceWorker(true);
      if (isSlow) await page.emulateNetworkConditions(SLOW_LINE);
      await page.goto(site.url + path);
      await page.waitForSelector(shows);
      runs.push({ ...(await read(page)), 'axe, serious': (await findAxeFaults(page)).length });
      await page.close();
    }
    return Object.fromEntries(
      Object.keys(runs[0] ?? {}).map((name) => [name, median(runs.map((run) => run[name] ?? 0))]),
    );
  };
  console.table({
    'sign in': await load('/sign-in', '[data-testid="enter"]', false),
    conversations: await load('/', '[data-testid^="conversation-"]', true),
    chat: await load(`/chat/${idOf(people, 'jonas')}`, '[data-testid="message-7"]', true),
    people: await load('/people', '[data-testid^="person-"]', true),
    'sign in, slow line': await load('/sign-in', '[data-testid="enter"]', false, true),
    'chat, slow line': await load(`/chat/${idOf(people, 'jonas')}`, '[data-testid="message-7"]', true, true),
  });
}

async function signIn(page: Page): Promise<void> {
  await page.waitForSelector('[name="username"]');
  await page.type('[name="username"]', 'alice');
  await page.type('[name="password"]', 'password-of-alice');
  await page.keyboard.press('Enter');
  await page.waitForSelector('[data-testid="own-profile"]');
}

/** Records when the content for which the user came is in the document. */
async function noteWhenShown(page: Page, selector: string): Promise<void> {
  await page.evaluateOnNewDocument((wanted) => {
    const look = new MutationObserver(() => {
      if (!document.querySelector(wanted)) return;
      performance.mark('shown');
      look.disconnect();
    });
    look.observe(document, { childList: true, subtree: true });
  }, selector);
}

/** Kilobytes as they travel, compressed; milliseconds from the beginning of the navigation. */
function read(page: Page): Promise<Record<string, number>> {
  return page.evaluate(async () => {
    const [navigation] = performance.getEntriesByType('navigation');
    const loaded = [navigation, ...performance.getEntriesByType('resource')]
      .filter((entry) => entry instanceof PerformanceResourceTiming)
      .filter(({ name }) => !new URL(name).pathname.startsWith('/api/'));
    const bytes = loaded.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
    const tasks: PerformanceEntry[] = [];
    const observer = new PerformanceObserver((list) => void tasks.push(...list.getEntries()));
    observer.observe({ type: 'longtask', buffered: true });
    await new Promise((resolve) => setTimeout(resolve, 500));
    const paint = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0;
    const blocked = tasks.reduce((sum, { duration }) => sum + Math.max(0, duration - 50), 0);
    // The content is there, and no long task delays the user.
    const shown = performance.getEntriesByName('shown')[0]?.startTime ?? 0;
    const lastTask = Math.max(paint, shown, ...tasks.map(({ startTime, duration }) => startTime + duration));
    return {
      requests: loaded.length,
      'first load, KB': Math.round(bytes / 1000),
      'first paint, ms': Math.round(paint),
      'shown, ms': Math.round(shown),
      'interactive, ms': Math.round(lastTask),
      'blocked, ms': Math.round(blocked),
      elements: document.querySelectorAll('*').length,
    };
  });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}
