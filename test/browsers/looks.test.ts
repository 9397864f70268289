import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { addMessages } from '../long-lists.ts';
import { appear, comeToRest } from './appearance.ts';
import { onChromium } from './each-browser.ts';
import { openChat, startTalk } from './talk.ts';

const TRANSPARENT = 'rgba(0, 0, 0, 0)';

onChromium('The bubbles of messages', (browser) => {
  test('are told apart by their fill, and by a line where colours are forced', async (t) => {
    const talk = await startTalk(t);
    await talk.write(talk.bob, talk.alice, 'Hello');
    await talk.write(talk.alice, talk.bob, 'Hello to you');
    const { page } = await openChat(t, browser(), talk);
    await page.waitForSelector('[data-testid="message-2"]');
    for (const scheme of ['light', 'dark'] as const) {
      await appear(t, browser(), page, { scheme });
      await page.waitForSelector(`html[data-mantine-color-scheme="${scheme}"]`);
      await comeToRest(page);
      const bubbles = await bubblesOf(page);
      const fills = bubbles.map(({ fill }) => fill);
      assert.equal(new Set([TRANSPARENT, await groundOf(page), ...fills]).size, 4, `${scheme}: ${fills}`);
      assert.deepEqual(new Set(bubbles.map(({ line }) => line)), new Set([`1px ${TRANSPARENT}`]));
    }
    const media = await page.createCDPSession();
    await media.send('Emulation.setEmulatedMedia', {
      features: [{ name: 'forced-colors', value: 'active' }],
    });
    const text = await page.$eval('[data-message]', (message) => getComputedStyle(message).color);
    const lines = (await bubblesOf(page)).map(({ line }) => line);
    assert.deepEqual(lines, [`1px ${text}`, `1px ${text}`]);
  });

  test('have corners of 6 px where others of the same group are', async (t) => {
    const talk = await startTalk(t);
    const { site, alice, bob } = talk;
    const carol = await site.join('carol');
    // Two messages of the second user, and one of the first, all of one moment.
    await talk.fill((db) => addMessages(db, alice.id, bob.id, ['one', 'two', 'three'], 0));
    await talk.fill((db) => addMessages(db, carol.id, alice.id, ['one', 'two', 'three'], 0));
    const { page } = await openChat(t, browser(), talk);
    await page.waitForSelector('[data-testid="message-3"]');
    const cornersOf = async () => (await bubblesOf(page)).map(({ corners }) => corners);
    assert.deepEqual(await cornersOf(), ['16px 16px 16px 6px', '6px 16px 16px', '16px']);
    await page.locator(`[data-testid="conversation-${carol.id}"]`).click();
    await page.waitForSelector('[data-testid="message-1"][data-own]');
    assert.deepEqual(await cornersOf(), ['16px 16px 6px', '16px 6px 16px 16px', '16px']);
  });
});

interface Bubble {
  fill: string;
  line: string;
  corners: string;
}

function bubblesOf(page: Page): Promise<Bubble[]> {
  return page.$$eval('[data-message] > div:first-child', (bubbles) =>
    bubbles.map((bubble) => {
      const { backgroundColor, borderWidth, borderColor, borderRadius } = getComputedStyle(bubble);
      return { fill: backgroundColor, line: `${borderWidth} ${borderColor}`, corners: borderRadius };
    }),
  );
}

/** The colour behind the messages. */
function groundOf(page: Page): Promise<string> {
  return page.$eval('[data-testid="messages"]', (list) => {
    let element: Element | null = list;
    while (element && getComputedStyle(element).backgroundColor === 'rgba(0, 0, 0, 0)')
      element = element.parentElement;
    return element ? getComputedStyle(element).backgroundColor : '';
  });
}
