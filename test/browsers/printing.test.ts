import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { addMessages } from '../long-lists.ts';
import { comeToRest } from './appearance.ts';
import { onChromium } from './each-browser.ts';
import { emptyPixels, topRow, watchScrollingUp } from './scroll-watch.ts';
import { bodies, openChat, place, startTalk, waitForEnd } from './talk.ts';
import { untilEqual, waitFor } from './waiting.ts';

const LENGTH = 150;

onChromium('A printed conversation', (browser) => {
  test('has all loaded messages and nothing around them, and the page goes back without a jump', async (t) => {
    const talk = await startTalk(t);
    const { alice, bob, fill } = talk;
    await fill((db) => addMessages(db, alice.id, bob.id, bodies(LENGTH)));
    const { page } = await openChat(t, browser(), talk);
    await page.evaluate(() => localStorage.setItem('doorman.color-scheme', 'dark'));
    await page.reload();
    await page.waitForSelector('html[data-mantine-color-scheme="dark"] [data-message]');
    await waitForEnd(page);
    await page.evaluate(watchScrollingUp);
    await page.$eval('[data-testid="messages"]', (list) => list.scrollTo(0, list.scrollHeight / 2));
    await waitFor('the middle', async () => (await page.evaluate(emptyPixels)) === 0);
    await comeToRest(page);
    const before = await page.evaluate(topRow);
    const inDocument = () => page.$$eval('[data-message]', (all) => all.length);
    assert.ok((await inDocument()) < LENGTH);

    await page.emulateMediaType('print');
    await untilEqual(inDocument, LENGTH);
    await comeToRest(page);
    assert.deepEqual(await page.evaluate(cutMessages), []);
    assert.deepEqual(await page.evaluate(seenAround), []);
    assert.deepEqual(await page.evaluate(palePrint), []);
    // As where the browser scrolls what it prints.
    await page.$eval('[data-testid="messages"]', (list) => list.dispatchEvent(new Event('scroll')));
    await page.emulateMediaType();
    await waitFor('the window of messages', async () => (await inDocument()) < LENGTH);
    await comeToRest(page);
    await assertPlace(page, before);

    const pages = (pdf: Uint8Array) =>
      Buffer.from(pdf)
        .toString('latin1')
        .match(/\/Type\s*\/Page\b/g)?.length;
    const count = pages(await page.pdf({ format: 'A4' }));
    assert.ok(count && count >= 5, `${count} pages`);
    await waitFor('the window of messages', async () => (await inDocument()) < LENGTH);
    await comeToRest(page);
    await assertPlace(page, before);

    await page.keyboard.press('Escape');
    await page.$eval('[data-testid="messages"]', (list) => list.scrollTo(0, list.scrollHeight));
    await waitForEnd(page);
    await page.emulateMediaType('print');
    await untilEqual(inDocument, LENGTH);
    await page.emulateMediaType();
    await waitFor('the window of messages', async () => (await inDocument()) < LENGTH);
    await waitForEnd(page);
    assert.ok((await place(page)).top > 0);
  });
});

async function assertPlace(page: Page, before: ReturnType<typeof topRow>): Promise<void> {
  const after = await page.evaluate(topRow);
  assert.equal(after.id, before.id);
  assert.ok(Math.abs(after.bottom - before.bottom) <= 1.5, `moved by ${after.bottom - before.bottom}`);
}

/** In the page: the messages that are not drawn whole, as something around them is too small. */
function cutMessages(): (string | undefined)[] {
  const isCut = (message: Element) => {
    const { top, bottom } = message.getBoundingClientRect();
    for (let outer = message.parentElement; outer; outer = outer.parentElement) {
      const edge = outer.getBoundingClientRect();
      if (getComputedStyle(outer).overflowY !== 'visible' && (top < edge.top || bottom > edge.bottom + 1))
        return true;
      if (getComputedStyle(outer).position === 'fixed') return true;
    }
    return !message.checkVisibility({ visibilityProperty: true }) || bottom - top < 8;
  };
  const messages = [...document.querySelectorAll<HTMLElement>('[data-message]')];
  return messages.filter(isCut).map(({ dataset }) => dataset.testid);
}

/** In the page: what is drawn of rail, lists, composer and buttons. */
function seenAround(): string[] {
  const parts = document.querySelectorAll<HTMLElement>(
    'nav, [data-pane="list"], [href="/"], [data-testid="presence"], form, textarea, button, [data-floor], [data-testid="sticky-day"]',
  );
  return [...parts]
    .filter((part) => part.checkVisibility({ visibilityProperty: true }))
    .map((part) => part.outerHTML.slice(0, 80));
}

/** In the page: texts with less contrast than 4.5 to 1 to what is printed behind them, which is white where no fill is forced. */
function palePrint(): string[] {
  const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error('no canvas');
  const luminance = (color: string): number => {
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0] = [...context.getImageData(0, 0, 1, 1).data].map((part) => {
      const value = part / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const groundOf = (element: Element): string => {
    for (let outer: Element | null = element; outer; outer = outer.parentElement) {
      const { backgroundColor, printColorAdjust } = getComputedStyle(outer);
      if (printColorAdjust === 'exact' && !/, 0\)$|transparent/.test(backgroundColor)) return backgroundColor;
    }
    return 'white';
  };
  const texts = [...document.querySelectorAll('[data-pane="page"] *')].filter(
    (element) =>
      element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
      [...element.childNodes].some(({ nodeType, textContent }) => nodeType === 3 && textContent?.trim()),
  );
  if (texts.length === 0) throw new Error('no texts');
  return texts.flatMap((element) => {
    const [one, other] = [luminance(getComputedStyle(element).color), luminance(groundOf(element))];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    return ratio < 4.5 ? [`${element.outerHTML.slice(0, 60)}: ${ratio.toFixed(2)}`] : [];
  });
}
