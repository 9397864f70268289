import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { onChromium } from './each-browser.ts';
import { openChat, startTalk } from './talk.ts';
import { waitFor } from './waiting.ts';

onChromium('Copied messages', (browser) => {
  test('have their times and senders, and nothing else of the page', async (t) => {
    const talk = await startTalk(t);
    await talk.write(talk.bob, talk.alice, 'first words', 'see www.example.org\nfor it');
    await talk.write(talk.alice, talk.bob, 'last words');
    const { page } = await openChat(t, browser(), talk);
    await waitFor('all of them', async () => (await page.$$('[data-message]')).length === 3);
    await page.evaluate(noteCopies);
    const copied = async () => {
      await page.keyboard.down('Control');
      await page.keyboard.press('c');
      await page.keyboard.up('Control');
      const text = await waitFor('the copy', () =>
        page.evaluate(() => document.documentElement.dataset.copied),
      );
      await page.evaluate(() => delete document.documentElement.dataset.copied);
      return text.replaceAll(/\[\d+ \w+ 20\d\d, \d\d:\d\d\]/g, '[time]');
    };

    await drag(page, [0, 'first '.length], [2, 'last'.length]);
    assert.equal(
      await copied(),
      '[time] bob: words\n[time] bob: see www.example.org\nfor it\n[time] alice: last',
    );
    await drag(page, [0, 0], [0, 'first'.length]);
    assert.equal(await copied(), 'first');
    await page.focus('[data-testid="messages"]');
    await page.keyboard.down('Control');
    await page.keyboard.press('a');
    await page.keyboard.up('Control');
    assert.equal(
      await copied(),
      '[time] bob: first words\n[time] bob: see www.example.org\nfor it\n[time] alice: last words',
    );
  });
});

/** In the page: sets `data-copied` on `<html>` to each text that is copied. */
function noteCopies(): void {
  addEventListener('copy', (event) => {
    const text = event.defaultPrevented
      ? event.clipboardData?.getData('text/plain')
      : getSelection()?.toString();
    document.documentElement.dataset.copied = text ?? '';
  });
}

/** Selects with the mouse, from one place to another: the index of a message, and that of a character in it. */
async function drag(page: Page, from: [number, number], to: [number, number]): Promise<void> {
  const [start, end] = [
    await page.evaluate(placeOfCharacter, ...from),
    await page.evaluate(placeOfCharacter, ...to),
  ];
  // A press on selected text would drag it.
  await page.evaluate(() => getSelection()?.removeAllRanges());
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move((start.x + end.x) / 2, (start.y + end.y) / 2);
  await page.mouse.move(end.x, end.y);
  await page.mouse.up();
}

/** In the page: the left edge of a character of a message. */
function placeOfCharacter(message: number, character: number): { x: number; y: number } {
  const text = document.querySelectorAll('[data-message] [dir="auto"]').item(message);
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  let left = character;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const { length } = node as Text;
    if (left < length) {
      const range = document.createRange();
      range.setStart(node, left);
      range.setEnd(node, left + 1);
      const { x, y, height } = range.getBoundingClientRect();
      return { x, y: y + height / 2 };
    }
    left -= length;
  }
  throw new Error(`no character ${character} in message ${message}`);
}
