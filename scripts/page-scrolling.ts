// Measures for docs/web.md how smoothly long lists scroll, in Chromium: a conversation of 20,000 messages and 100,000 people,
// and beside them an empty page, whose slow frames are those of a busy machine.
//   npm run page-figures -- scrolling
import type { Page } from 'puppeteer-core';
import type { Db } from '../src/db/db.ts';
import { type Chromium, startChromium } from '../test/browsers/chromium.ts';
import type { Scope } from '../test/browsers/endings.ts';
import { openContext, openWindow } from '../test/browsers/running-browser.ts';
import { type Account, type Site, startSite } from '../test/browsers/site.ts';
import { bodies } from '../test/browsers/talk.ts';
import { waitFor } from '../test/browsers/waiting.ts';
import { addMessages } from '../test/long-lists.ts';

const MESSAGES = 20_000;
const PEOPLE = 100_000;
const STEP_PX = 600;
/** A conversation has no more steps than this, if all its messages are a screen high. */
const MAX_STEPS = 60_000;
const MESSAGE_LIST = '[data-testid="messages"]';
const PEOPLE_LIST = '[data-testid="people-scroller"]';

interface Figures {
  frames: number;
  'over 50 ms': number;
  'worst, ms': number;
  'own work over 50 ms': number;
  'worst own work, ms': number;
  'processor time over 50 ms': number;
  'worst processor time, ms': number;
}

/** Scrolls everything and prints the figures. */
export async function measureScrolling(scope: Scope): Promise<void> {
  const opened: Db[] = [];
  const site = await startSite(scope, { crowd: PEOPLE, opened: ({ db }) => void opened.push(db) });
  const [alice, bob] = [await site.join('alice'), await site.join('bob')];
  const [db] = opened;
  if (!db) throw new Error('the site has no database');
  await addMessages(db, alice.id, bob.id, bodies(MESSAGES));
  const chromium = await startChromium(scope);
  const figures = {
    'an empty page': await onPage(scope, chromium, site, scrollNothing),
    ...(await onPage(scope, chromium, site, (page) => scrollMessages(page, site, bob))),
    ...(await onPage(scope, chromium, site, (page) => scrollPeople(page, site))),
  };
  console.table(figures);
}

async function onPage<T>(
  scope: Scope,
  chromium: Chromium,
  site: Site,
  measure: (page: Page) => Promise<T>,
): Promise<T> {
  const page = await openWindow(await openContext(scope, chromium), `${site.url}/sign-in`);
  await page.waitForSelector('[name="username"]');
  await page.type('[name="username"]', 'alice');
  await page.type('[name="password"]', 'password-of-alice');
  await page.keyboard.press('Enter');
  await page.waitForSelector('[data-testid="own-profile"]');
  try {
    return await measure(page);
  } finally {
    await page.close();
  }
}

/** As many frames as half a minute has, of a page that does nothing. */
async function scrollNothing(page: Page): Promise<Figures> {
  await page.goto('about:blank');
  await page.setContent('<body style="margin: 0"><div style="height: 1e6px"></div>');
  return frames(page, async () => {
    for (let step = 0; step < 1_000; step++) await page.mouse.wheel({ deltaY: STEP_PX });
  });
}

async function scrollMessages(page: Page, site: Site, peer: Account): Promise<Record<string, Figures>> {
  await page.goto(`${site.url}/chat/${peer.id}`);
  await page.waitForSelector(`[data-testid="message-${MESSAGES}"]`);
  const up = await frames(page, () => wheel(page, MESSAGE_LIST, -STEP_PX, '[data-testid="beginning"]'));
  const down = await frames(page, () =>
    wheel(page, MESSAGE_LIST, STEP_PX, `[data-testid="message-${MESSAGES}"]`),
  );
  return {
    [`${MESSAGES} messages, up, loading them`]: up,
    [`${MESSAGES} messages, down`]: down,
    [`${MESSAGES} messages, by the scroll bar`]: await frames(page, () => drag(page, MESSAGE_LIST)),
    [`${MESSAGES} messages, at another width`]: await frames(page, async () => {
      await page.setViewport({ width: 900, height: 800 });
      await page.hover(MESSAGE_LIST);
      for (let step = 0; step < 100; step++) await page.mouse.wheel({ deltaY: -STEP_PX });
    }),
  };
}

async function scrollPeople(page: Page, site: Site): Promise<Record<string, Figures>> {
  await page.goto(`${site.url}/people`);
  await page.waitForSelector('[data-testid^="person-"]');
  const lastRow = `${PEOPLE_LIST} li[aria-setsize="${PEOPLE + 2}"][aria-posinset="${PEOPLE + 2}"]`;
  return {
    [`${PEOPLE} people, down, loading them`]: await frames(page, () =>
      scrollToEnd(page, PEOPLE_LIST, lastRow),
    ),
    [`${PEOPLE} people, by wheel`]: await frames(page, async () => {
      await page.hover(PEOPLE_LIST);
      for (let step = 0; step < 1_000; step++) await page.mouse.wheel({ deltaY: -STEP_PX });
    }),
    [`${PEOPLE} people, by the scroll bar`]: await frames(page, () => drag(page, PEOPLE_LIST)),
  };
}

/** Turns the wheel until the end of the list is on the screen. */
async function wheel(page: Page, list: string, deltaY: number, end: string): Promise<void> {
  await page.hover(list);
  const isAtEnd = () =>
    page.evaluate(
      (list, end) => {
        const { top = 0, bottom = 0 } = document.querySelector(list)?.getBoundingClientRect() ?? {};
        const found = document.querySelector(end)?.getBoundingClientRect();
        return found !== undefined && found.bottom > top && found.top < bottom;
      },
      list,
      end,
    );
  for (let step = 0; step < MAX_STEPS; step++) {
    await page.mouse.wheel({ deltaY });
    if (step % 10 === 0 && (await isAtEnd())) return;
  }
  throw new Error(`${MAX_STEPS} steps do not reach ${end}`);
}

/** Pages are loaded at a limited rate, so this takes some minutes. */
async function scrollToEnd(page: Page, list: string, row: string): Promise<void> {
  const look = async () => {
    await page.hover(list);
    await page.mouse.wheel({ deltaY: 20 * STEP_PX });
    return page.$(row);
  };
  await waitFor(`the row ${row}`, look, 20 * 60_000);
}

/** As the scroll bar is dragged: a hundred far places of the list. */
async function drag(page: Page, list: string): Promise<void> {
  await page.evaluate(async (list) => {
    const element = document.querySelector(list);
    for (let i = 0; i < 100 && element; i++) {
      element.scrollTop = ((i * 37) % 100) * 0.01 * element.scrollHeight;
      for (let frame = 0; frame < 4; frame++) await new Promise(requestAnimationFrame);
    }
  }, list);
}

/**
 * Counts the frames while `act` runs. A frame that comes late may be one of another process. What the page did itself in a
 * long one, its scripts, styles and layout, is named by the Long Animation Frames API, but by the clock: on a busy machine
 * only the processor time of the tasks of the page's main thread says whose fault it is.
 */
async function frames(page: Page, act: () => Promise<void>): Promise<Figures> {
  await page.tracing.start({ categories: ['-*', 'toplevel'] });
  await page.evaluate(() => {
    const seen: { deltas: number[]; work: number[]; isOver: boolean } = {
      deltas: [],
      work: [],
      isOver: false,
    };
    Object.assign(window, { seen });
    let before = performance.now();
    const onFrame = (now: number) => {
      seen.deltas.push(now - before);
      before = now;
      if (!seen.isOver) requestAnimationFrame(onFrame);
    };
    requestAnimationFrame(onFrame);
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { startTime, duration, styleAndLayoutStart, scripts } = entry as PerformanceEntry & {
          styleAndLayoutStart: number;
          scripts: { duration: number }[];
        };
        const layout = styleAndLayoutStart === 0 ? 0 : startTime + duration - styleAndLayoutStart;
        seen.work.push(scripts.reduce((sum, script) => sum + script.duration, layout));
      }
    }).observe({ type: 'long-animation-frame' });
  });
  await act();
  const tasks = taskTimes(await page.tracing.stop());
  const seen = await page.evaluate(async () => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    const { seen } = window as unknown as { seen: { deltas: number[]; work: number[]; isOver: boolean } };
    seen.isOver = true;
    const over = (values: number[]) => values.filter((ms) => ms > 50).length;
    const worst = (values: number[]) => Math.round(Math.max(0, ...values));
    return {
      frames: seen.deltas.length,
      'over 50 ms': over(seen.deltas),
      'worst, ms': worst(seen.deltas),
      'own work over 50 ms': over(seen.work),
      'worst own work, ms': worst(seen.work),
    };
  });
  return {
    ...seen,
    'processor time over 50 ms': tasks.filter((ms) => ms > 50).length,
    'worst processor time, ms': Math.round(tasks.reduce((most, ms) => Math.max(most, ms), 0)),
  };
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly args: { readonly name?: string };
  /** Microseconds of the processor. */
  readonly tdur?: number;
}

/** The processor time of each task of the pages' main threads, in milliseconds. */
function taskTimes(trace: Uint8Array = new Uint8Array()): number[] {
  const { traceEvents }: { traceEvents: TraceEvent[] } = JSON.parse(new TextDecoder().decode(trace));
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const isMain = ({ name, args }: TraceEvent) => name === 'thread_name' && args.name === 'CrRendererMain';
  const mainThreads = new Set(traceEvents.filter(isMain).map(threadOf));
  return traceEvents
    .filter((event) => event.name.endsWith('RunTask') && mainThreads.has(threadOf(event)))
    .map(({ tdur = 0 }) => tdur / 1_000);
}
