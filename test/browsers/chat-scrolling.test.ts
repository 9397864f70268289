import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { addMessages } from '../long-lists.ts';
import { comeToRest } from './appearance.ts';
import { onChromium, onEachBrowser } from './each-browser.ts';
import { setOffline } from './offline.ts';
import { hide } from './running-browser.ts';
import { emptyPixels, painted, topRow, watchDays, watchScrollingUp } from './scroll-watch.ts';
import { bodies, lineTop, openChat, place, scroll, startTalk, textOf, waitForEnd } from './talk.ts';
import { waitFor } from './waiting.ts';

declare global {
  interface Window {
    runTimers(): void;
  }
}

const LENGTH = 300;
const TO_NEWEST = '[data-testid="to-newest"]';

onEachBrowser('A long conversation', (browser) => {
  test('loads older messages on scrolling up, keeps only those near the screen, and no visible row moves', async (t) => {
    const talk = await startTalk(t);
    const { alice, bob, fill } = talk;
    await fill((db) => addMessages(db, alice.id, bob.id, bodies(LENGTH)));
    const { page } = await openChat(t, browser(), talk);
    await waitForEnd(page);
    const up = await page.evaluate(watchScrollingUp);
    assert.deepEqual(up.moved, []);
    assert.ok(up.steps > 30, `${up.steps} steps`);
    assert.equal(up.seen, LENGTH);
    assert.ok(up.most <= 160, `${up.most} messages in the document`);
    assert.equal(
      await page.$eval('[data-testid="beginning"]', (top) => top.getBoundingClientRect().top > 0),
      true,
    );
    // As the scroll bar is dragged: what is there is rendered by its position.
    await page.$eval('[data-testid="messages"]', (list) => list.scrollTo(0, list.scrollHeight / 2));
    await waitFor('the middle', async () => (await page.evaluate(emptyPixels)) === 0);
    assert.deepEqual((await page.evaluate(watchScrollingUp)).moved, []);
  });
});

onChromium('A long conversation in Chromium', (browser) => {
  test('keeps its rows in place when it becomes narrower, and after it', async (t) => {
    const talk = await startTalk(t);
    const { alice, bob, fill } = talk;
    await fill((db) => addMessages(db, alice.id, bob.id, bodies(120)));
    const { page } = await openChat(t, browser(), talk);
    await waitForEnd(page);
    await page.evaluate(watchScrollingUp);
    await page.$eval('[data-testid="messages"]', (list) => list.scrollTo(0, list.scrollHeight * 0.5));
    await waitFor('the middle', async () => (await page.evaluate(emptyPixels)) === 0);
    const before = await page.evaluate(topRow);
    // All lines break elsewhere, also those that are not in the document.
    await page.setViewport({ width: 700, height: 800 });
    await waitFor('the new width', () =>
      page.$eval('[data-testid="messages"]', (list) => list.clientWidth <= 700),
    );
    await page.evaluate(painted);
    const after = await page.evaluate(topRow);
    assert.equal(after.id, before.id);
    assert.ok(Math.abs(after.bottom - before.bottom) <= 1.5, `moved by ${after.bottom - before.bottom}`);
    assert.deepEqual((await page.evaluate(watchScrollingUp)).moved, []);
  });

  test('keeps the ends of the selection in the document, so that all of it can be copied', async (t) => {
    const talk = await startTalk(t);
    const { alice, bob, fill } = talk;
    await fill((db) => addMessages(db, alice.id, bob.id, bodies(LENGTH)));
    const { page } = await openChat(t, browser(), talk);
    await waitForEnd(page);
    await page.evaluate(watchScrollingUp);
    await page.$eval(textOfMessage(1), ({ firstChild }) => {
      if (firstChild) document.getSelection()?.setBaseAndExtent(firstChild, 0, firstChild, 5);
    });
    await page.$eval('[data-testid="messages"]', (list) => list.scrollTo(0, list.scrollHeight));
    await page.waitForSelector(textOfMessage(LENGTH));
    await waitFor('message 100 to leave', async () => !(await page.$(textOfMessage(100))));
    assert.equal(await page.evaluate(() => document.getSelection()?.toString()), 'No. 1');

    // As a click with the Shift key does.
    await page.$eval(textOfMessage(LENGTH), ({ firstChild }) => {
      if (firstChild) document.getSelection()?.extend(firstChild, 3);
    });
    assert.equal((await copy(page)).split('\n').length, LENGTH);

    await page.evaluate(() => document.getSelection()?.removeAllRanges());
    await scroll(page, -50);
    await waitFor('message 1 to leave', async () => !(await page.$(textOfMessage(1))));
  });

  test('shows the day of the topmost message while it is scrolled', async (t) => {
    const talk = await startTalk(t);
    const { alice, bob, fill } = talk;
    await fill((db) => addMessages(db, alice.id, bob.id, bodies(60), 3 * 60 * 60_000));
    const her = await openChat(t, browser(), talk);
    const { page } = her;
    await waitForEnd(page);
    const isShown = () => page.$('[data-testid="sticky-day"][data-shown]');
    assert.equal(await isShown(), null, 'nobody has scrolled yet');
    const { days, wrong } = await page.evaluate(watchDays);
    assert.deepEqual(wrong, []);
    assert.ok(days >= 4, `${days} days`);
    await waitFor('the day to go', async () => !(await isShown()));
    // A banner on the messages leaves it visible.
    her.faults.expectOutage();
    await setOffline(browser(), page, true);
    await page.waitForSelector('[data-testid="connection-banner"]');
    // Not where the line of a day is at the upper edge.
    const below = await waitFor('the day', async () => {
      await scroll(page, 40);
      return isShown();
    });
    const banner = await page.$('[data-testid="connection-banner"]');
    const [day, trouble] = [await below.boundingBox(), await banner?.boundingBox()];
    assert.ok(day && trouble && day.y >= trouble.y + trouble.height, JSON.stringify({ day, trouble }));
    assert.equal(await page.$eval('[data-testid="sticky-day"]', (day) => day.ariaHidden), 'true');
  });

  test('opens at the first unread message, and stays there until the user scrolls', async (t) => {
    const talk = await startTalk(t);
    const { site, alice, bob, write, read } = talk;
    const [before, unread] = [40, 110];
    await read(alice, bob, await write(bob, alice, ...bodies(before)));
    await write(bob, alice, ...bodies(unread));
    const alicesRead = async () => (await site.get('/api/conversations', bob.token)).body.data[0].read;
    const { page } = await openChat(t, browser(), talk);
    const line = await waitFor('the line', () => lineTop(page));
    assert.ok(line > 0 && line < 200, `the line is at ${line}`);
    await waitFor('the count', async () => /\b110\b/.test(await textOf(page, TO_NEWEST)));
    // However low the window is, the button is over nothing but messages.
    for (const height of [240, 200, 160]) {
      await page.setViewport({ width: 844, height });
      await comeToRest(page);
      const [button, messages] = [await page.$(TO_NEWEST), await page.$('[data-testid="messages"]')];
      const [inner, outer] = [await button?.boundingBox(), await messages?.boundingBox()];
      assert.ok(outer && (!inner || inner.y >= outer.y), JSON.stringify({ height, inner, outer }));
    }
    await page.setViewport({ width: 1280, height: 800 });
    await waitFor('the text for screen readers', async () =>
      /\b110\b/.test(await textOf(page, '[data-testid="announcer"]')),
    );

    // The list takes its place in the larger window a moment after it.
    await comeToRest(page);
    const top = await lineTop(page);
    await write(bob, alice, 'and one more');
    await waitFor('the count', async () => /\b111\b/.test(await textOf(page, TO_NEWEST)));
    assert.equal(await lineTop(page), top);
    assert.equal(await alicesRead(), before);

    await page.click(TO_NEWEST);
    await waitForEnd(page);
    await waitFor('the mark', async () => (await alicesRead()) === before + unread + 1);
    assert.equal(await page.$(TO_NEWEST), null);
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('data-testid')), 'composer');
  });

  test('stays at its end when messages arrive, are sent, or grow', async (t) => {
    const talk = await startTalk(t);
    const { alice, bob, write, read } = talk;
    await read(alice, bob, await write(bob, alice, ...bodies(45)));
    const her = await openChat(t, browser(), talk);
    const { page } = her;
    await waitForEnd(page);
    await write(bob, alice, 'one', bodies(31)[30] ?? '', 'three');
    await her.waitForMessage('three');
    await waitForEnd(page);
    await page.focus('[data-testid="composer"]');
    await page.evaluate(() => document.execCommand('insertText', false, 'line\n'.repeat(5)));
    await waitForEnd(page);
    await scroll(page, -900);
    await waitFor('the button', () => page.$(TO_NEWEST));
    const { top } = await place(page);
    await write(bob, alice, 'four');
    await waitFor('the count', async () => /\b1\b/.test(await textOf(page, TO_NEWEST)));
    assert.equal((await place(page)).top, top);
    await her.fill('[data-testid="composer"]', 'mine');
    await page.keyboard.press('Enter');
    await waitForEnd(page);
    await her.waitForMessage('mine', 'stored');

    await page.setViewport({ width: 500, height: 500 });
    await waitFor('the new width', () =>
      page.$eval('[data-testid="messages"]', (list) => list.clientWidth <= 500),
    );
    await waitForEnd(page);
  });

  for (const [when, holdTimers] of [
    ['', false],
    [', also where the browser delays its timers', true],
  ] as const)
    test(`shows from the first one the messages that arrived while the page was hidden${when}`, async (t) => {
      const talk = await startTalk(t);
      const { site, alice, bob, write, read } = talk;
      await read(alice, bob, await write(bob, alice, ...bodies(30)));
      const her = await openChat(t, browser(), talk);
      const { page } = her;
      await waitForEnd(page);
      const show = await hide(page);
      await waitFor('the page to be hidden', () =>
        page.evaluate(() => document.visibilityState === 'hidden'),
      );
      if (holdTimers) await page.evaluate(holdShortTimers);
      await write(bob, alice, ...Array.from({ length: 40 }, (_, i) => `while away ${i + 1}`));
      // Those that reach the page after it is shown are messages that its user sees coming.
      const received = async () => (await site.get('/api/conversations', bob.token)).body.data[0].received;
      await waitFor('all of them to reach the page', async () => (await received()) === 70);
      await show();
      await waitFor('the page to be shown', () =>
        page.evaluate(() => document.visibilityState === 'visible' && document.hasFocus()),
      );
      if (holdTimers) await page.evaluate(() => window.runTimers());
      await waitFor('all of them', async () => /\b40\b/.test(await textOf(page, TO_NEWEST)));
      const line = await lineTop(page);
      assert.ok(line !== undefined && line > 0 && line < 200, `the line is at ${line}`);
      assert.equal((await site.get('/api/conversations', alice.token)).body.data[0].unread, 40);
    });
});

/** Holds the timers of the page that are shorter than those of the kit until `runTimers`; browsers delay them while it is hidden. */
function holdShortTimers(): void {
  const held: (() => void)[] = [];
  const { setTimeout } = window;
  const hold = (run: () => void, ms = 0) => (ms < 100 ? held.push(run) : setTimeout(run, ms));
  Object.assign(window, {
    setTimeout: hold,
    runTimers() {
      window.setTimeout = setTimeout;
      for (const run of held) run();
    },
  });
}

function textOfMessage(n: number): string {
  return `[data-testid="message-${n}"] [dir="auto"]`;
}

/** @returns what Ctrl+C copies */
async function copy(page: Page): Promise<string> {
  await page.evaluate(() => {
    const onCopy = ({ clipboardData }: ClipboardEvent) => {
      document.documentElement.dataset.copied = clipboardData?.getData('text/plain') ?? '';
    };
    addEventListener('copy', onCopy, { once: true });
  });
  await page.focus('[data-testid="messages"]');
  await page.keyboard.down('Control');
  await page.keyboard.press('c');
  await page.keyboard.up('Control');
  return waitFor('the copy', () => page.evaluate(() => document.documentElement.dataset.copied));
}
