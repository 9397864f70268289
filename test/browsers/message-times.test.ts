import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { addMessages } from '../long-lists.ts';
import { comeToRest } from './appearance.ts';
import { onChromium } from './each-browser.ts';
import { openChat, startTalk } from './talk.ts';
import { waitFor } from './waiting.ts';

/** Messages that are not the last of their minute; only that one shows its time always. */
const INNER = '[data-message]:not([data-group-end])';

onChromium('A message in a group', (browser) => {
  test('shows its time under the pointer, in the focus and on a tap, and nothing moves', async (t) => {
    const talk = await startTalk(t);
    const wide = 'W'.repeat(60);
    await talk.write(talk.bob, talk.alice, 'one', wide, '😀', 'ann@example.org', 'five');
    await talk.write(talk.alice, talk.bob, 'one', wide, '😀', 'four');
    const { page } = await openChat(t, browser(), talk);
    for (const width of [1280, 320]) {
      await page.setViewport({ width, height: 900 });
      await waitFor('the width', () => page.evaluate((wanted) => innerWidth === wanted, width));
      await page.mouse.move(0, 0);
      await waitFor('no time', async () => (await timesShown(page)).length === 0);
      await comeToRest(page);
      const places = await page.evaluate(placesOfBubbles);
      for (const message of await page.$$(INNER)) {
        await (await message.$('[dir="auto"]'))?.hover();
        const shown = await waitFor('the time', async () => (await timesShown(page))[0]);
        assert.match(shown.title, /, 20\d\d/);
        assert.ok(shown.isBeside, JSON.stringify(shown));
        assert.deepEqual(await page.evaluate(placesOfBubbles), places);
      }
    }
    await page.mouse.move(0, 0);
    await page.focus('[data-message]:has(a)');
    await page.keyboard.press('Tab');
    await waitFor('the time of the focused link', async () => (await timesShown(page)).length === 1);

    await page.setViewport({ width: 390, height: 800, hasTouch: true, isMobile: true });
    await page.waitForSelector(INNER);
    // With what is loaded after the first view, which renders the messages again.
    await page.waitForSelector('[data-testid="announcer"]');
    // The conversation has just begun anew, so its messages may still be taking their places.
    await comeToRest(page);
    const bubble = `${INNER} [dir="auto"]`;
    const count = async () => (await timesShown(page)).length;
    assert.equal(await count(), 0);
    const places = await page.evaluate(placesOfBubbles);
    await page.tap(bubble);
    await waitFor('the time', async () => (await count()) === 1);
    assert.deepEqual(await page.evaluate(placesOfBubbles), places);
    await page.tap(bubble);
    await waitFor('no time', async () => (await count()) === 0);
    // A click on a link or with selected text is for those.
    await page.waitForSelector('[data-message] a');
    await page.evaluate((found) => {
      document.addEventListener('click', (event) => event.preventDefault(), { capture: true, once: true });
      document.querySelector<HTMLElement>('[data-message] a')?.click();
      const text = document.querySelector<HTMLElement>(found);
      getSelection()?.selectAllChildren(text as HTMLElement);
      text?.click();
      getSelection()?.empty();
    }, bubble);
    assert.equal(await page.$('[data-time-shown]'), null);
  });
});

onChromium('The label of a message', (browser) => {
  test('names its day as the line above it does, in the language of the page', async (t) => {
    const talk = await startTalk(t);
    const days = ['long ago', 'the day before', 'yesterday', 'today'];
    await talk.fill((db) => addMessages(db, talk.alice.id, talk.bob.id, days, 24 * 60 * 60_000));
    const { page } = await openChat(t, browser(), talk);
    for (const [language, comma, yesterday] of [
      ['en', ', ', 'You, Yesterday, '],
      ['zh', '，', '我，昨天，'],
    ] as const) {
      await page.evaluate((value) => localStorage.setItem('doorman.language', value), language);
      await page.reload();
      await page.waitForSelector(`html[lang^="${language}"] [data-testid="message-4"]`);
      const labels = await page.$$eval('[role="log"] article', (all) =>
        all.map((one) => one.ariaLabel ?? ''),
      );
      const lines = await page.$$eval('[role="log"] [data-day]', (all) => all.map((one) => one.textContent));
      assert.equal(lines.length, days.length);
      for (const [i, line] of lines.entries())
        assert.ok(labels[i]?.includes(`${comma}${line}${comma}`), `${labels[i]} names ${line}`);
      assert.ok(
        labels.some((label) => label.startsWith(yesterday)),
        labels.join(' | '),
      );
    }
  });
});

/** The times beside bubbles that can be seen, and whether they are beside their bubble and inside the window. */
function timesShown(page: Page): Promise<{ title: string; isBeside: boolean }[]> {
  return page.$$eval('[data-message] > time', (times) =>
    (times as HTMLTimeElement[])
      .filter((time) => time.checkVisibility())
      .map((time) => {
        const range = document.createRange();
        range.selectNodeContents(time);
        const { left, right } = range.getBoundingClientRect();
        const bubble = time.parentElement?.firstElementChild?.getBoundingClientRect();
        const isApart = bubble !== undefined && (left >= bubble.right || right <= bubble.left);
        return { title: time.title, isBeside: isApart && left >= 0 && right <= innerWidth };
      }),
  );
}

/** In the page: left, top, width and height of all bubbles. */
function placesOfBubbles(): number[][] {
  return [...document.querySelectorAll('[data-message] > :first-child')].map((bubble) => {
    const { left, top, width, height } = bubble.getBoundingClientRect();
    return [left, top, width, height].map(Math.round);
  });
}
