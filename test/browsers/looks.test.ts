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

onChromium('The rows of a list', (browser) => {
  test('look different when selected and under the pointer, and show the focus on both', async (t) => {
    const talk = await startTalk(t);
    const { site, alice, bob, write } = talk;
    const carol = await site.join('carol');
    await write(bob, alice, 'Hello');
    await write(carol, alice, 'Hello');
    const { page } = await openChat(t, browser(), talk);
    const rows = [bob, carol].map(({ id }) => `[data-testid="conversation-${id}"]`);
    const [selected = '', other = ''] = rows;
    await page.waitForSelector(`${selected}[aria-current]`);
    const media = await page.createCDPSession();
    for (const scheme of ['light', 'dark', 'forced']) {
      const features = [
        { name: 'prefers-color-scheme', value: scheme },
        { name: 'forced-colors', value: scheme === 'forced' ? 'active' : 'none' },
      ];
      await media.send('Emulation.setEmulatedMedia', { features });
      if (scheme !== 'forced') await page.waitForSelector(`html[data-mantine-color-scheme="${scheme}"]`);
      await page.mouse.move(0, 0);
      await comeToRest(page);
      const plain = await faceOf(page, other);
      await page.hover(other);
      const faces = [plain, await faceOf(page, other), await faceOf(page, selected)];
      if (scheme !== 'forced') assert.equal(new Set(faces).size, 3, `${scheme}: ${faces.join('; ')}`);
      assert.deepEqual(
        faces.map((face) => /a mark|4px$/.test(face)),
        [false, false, true],
        scheme,
      );
      for (const row of rows) {
        const before = await outlineOf(page, row);
        // After a key, the focus is shown.
        await page.focus('[data-testid="nav-chats"]');
        await page.keyboard.press('Tab');
        await page.focus(row);
        assert.match(await outlineOf(page, row), /2px solid/, scheme);
        assert.notEqual(await outlineOf(page, row), before, scheme);
      }
    }
  });
});

function outlineOf(page: Page, row: string): Promise<string> {
  return page.$eval(row, (link) => {
    const { outlineWidth, outlineStyle, outlineColor } = getComputedStyle(link);
    return `${outlineWidth} ${outlineStyle} ${outlineColor}`;
  });
}

/** The background of a row and what is at its edge. */
function faceOf(page: Page, row: string): Promise<string> {
  return page.$eval(row, (link) => {
    const { backgroundColor, backgroundImage, borderLeftWidth } = getComputedStyle(link);
    return `${backgroundColor}, ${backgroundImage === 'none' ? 'no mark' : 'a mark'}, ${borderLeftWidth}`;
  });
}

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
