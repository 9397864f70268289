import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { addMessages } from '../long-lists.ts';
import { assertAccessible } from './axe.ts';
import { onChromium, onEachBrowser } from './each-browser.ts';
import { setOffline } from './offline.ts';
import { bodies, hasFocus, openChat, place, scroll, startTalk, waitForEnd } from './talk.ts';
import { untilEqual, waitFor } from './waiting.ts';

const COMPOSER = '[data-testid="composer"]';
const LENGTH = 120;

onEachBrowser('The messages by keyboard', (browser) => {
  test('are one stop before the composer, with arrows inside and the links of the focused one', async (t) => {
    const talk = await startTalk(t);
    const { alice, bob, write } = talk;
    await write(bob, alice, 'one', 'see www.example.org and www.example.com', 'three', 'four');
    const { page } = await openChat(t, browser(), talk);
    await waitFor('the composer', () => hasFocus(page, COMPOSER));
    const { keyboard } = page;
    const shiftTab = () => press(page, 'Shift', 'Tab');

    await shiftTab();
    await untilEqual(() => focused(page), 'message-4');
    await keyboard.press('Tab');
    await waitFor('the composer', () => hasFocus(page, COMPOSER));
    await shiftTab();
    await shiftTab();
    await untilEqual(() => focused(page), 'menu');
    await keyboard.press('Tab');
    await untilEqual(() => focused(page), 'message-4');

    await keyboard.press('ArrowUp');
    await untilEqual(() => focused(page), 'message-3');
    await keyboard.press('ArrowUp');
    await untilEqual(() => focused(page), 'message-2');
    await keyboard.press('Tab');
    await untilEqual(() => focused(page), 'www.example.org');
    await keyboard.press('Tab');
    await untilEqual(() => focused(page), 'www.example.com');
    await keyboard.press('Tab');
    await waitFor('the composer', () => hasFocus(page, COMPOSER));
    await shiftTab();
    await untilEqual(() => focused(page), 'message-2');
    await keyboard.press('Tab');
    await keyboard.press('ArrowDown');
    await untilEqual(() => focused(page), 'message-3');
    await keyboard.press('Home');
    await untilEqual(() => focused(page), 'message-1');
    await keyboard.press('ArrowUp');
    await keyboard.press('End');
    await untilEqual(() => focused(page), 'message-4');
    await assertAccessible(page, 'the messages with the focus');
  });

  test('scroll by keys from where the user reads, not from a message that they clicked on before', async (t) => {
    const talk = await startTalk(t);
    const { alice, bob, fill } = talk;
    await fill((db) => addMessages(db, alice.id, bob.id, bodies(LENGTH)));
    const { page } = await openChat(t, browser(), talk);
    await waitForEnd(page);
    const last = `[data-testid="message-${LENGTH}"]`;
    await page.click(last);
    await untilEqual(() => focused(page), `message-${LENGTH}`);
    const distance = () =>
      page.$eval(last, (message) => message.getBoundingClientRect().top - window.innerHeight);
    await waitFor('the messages before', async () => {
      await scroll(page, -300);
      return (await distance()) > 500;
    });
    await page.keyboard.press('ArrowUp');
    await waitFor('the page before', async () => {
      await page.keyboard.press('PageUp');
      return (await distance()) > 1_500;
    });
    assert.equal(await focused(page), `message-${LENGTH}`);
  });

  test('load older ones on the way up, and keep the focus while rows come and blocks leave', async (t) => {
    const talk = await startTalk(t);
    const { alice, bob, fill, write } = talk;
    await fill((db) => addMessages(db, alice.id, bob.id, bodies(LENGTH)));
    const { page } = await openChat(t, browser(), talk);
    await waitForEnd(page);
    await waitFor('the composer', () => hasFocus(page, COMPOSER));
    const { keyboard } = page;
    await press(page, 'Shift', 'Tab');
    await untilEqual(() => focused(page), `message-${LENGTH}`);
    // A message higher than the screen takes several.
    for (let n = LENGTH - 1; n > LENGTH - 40; n--)
      await waitFor(`message ${n}`, async () => {
        await keyboard.press('ArrowUp');
        return (await focused(page)) === `message-${n}`;
      });
    await waitFor('the first message', async () => {
      await keyboard.press('Home');
      return (await focused(page)) === 'message-1';
    });
    const { top } = await place(page);
    await write(bob, alice, 'one more');
    await page.waitForSelector(`[data-testid="conversation-${bob.id}"] [data-testid="count"]`);
    assert.equal(await focused(page), 'message-1');
    assert.equal((await place(page)).top, top);
    // The end is not in the document.
    await keyboard.press('End');
    await untilEqual(() => focused(page), `message-${LENGTH + 1}`);
    await waitForEnd(page);
    await keyboard.press('PageUp');
    await waitFor('a message further up', async () => {
      const [, n = '0'] = /^message-(\d+)$/.exec((await focused(page)) ?? '') ?? [];
      return Number(n) < LENGTH && Number(n) > LENGTH - 60;
    });
    await keyboard.press('PageDown');
    await keyboard.press('PageDown');
    await untilEqual(() => focused(page), `message-${LENGTH + 1}`);
  });
});

onChromium('The messages by keyboard', (browser) => {
  test('are the one stop also where older ones cannot be loaded, which an arrow tries again', async (t) => {
    const talk = await startTalk(t);
    const { alice, bob, fill } = talk;
    await fill((db) => addMessages(db, alice.id, bob.id, bodies(LENGTH)));
    const her = await openChat(t, browser(), talk);
    const { page } = her;
    await waitForEnd(page);
    let isFailing = true;
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      if (isFailing && /before=/.test(request.url())) void request.respond({ status: 500, body: '{}' });
      else void request.continue();
    });
    her.faults.expect(/500/);
    await waitFor('the failure', async () => {
      await scroll(page, -5_000);
      return (await page.$('[data-testid="retry-loading"]')) !== null;
    });
    await page.focus(COMPOSER);
    await press(page, 'Shift', 'Tab');
    await waitFor('a message', async () => /^message-/.test((await focused(page)) ?? ''));
    await press(page, 'Shift', 'Tab');
    await untilEqual(() => focused(page), 'to-newest');
    await page.keyboard.press('Tab');
    await waitFor('the first message', async () => {
      await page.keyboard.press('Home');
      return (
        (await page.evaluate(() => document.activeElement === document.querySelector('article'))) === true
      );
    });
    isFailing = false;
    await page.keyboard.press('ArrowUp');
    await waitFor('older ones', async () => (await page.$('[data-testid="retry-loading"]')) === null);
    await page.waitForSelector(`[data-testid="message-${LENGTH - 60}"]`);
  });

  test('let a message higher than the screen be read, and give the focus on when one is deleted', async (t) => {
    const talk = await startTalk(t);
    const { site, alice, bob, write } = talk;
    await write(bob, alice, 'short', 'high '.repeat(700), 'short');
    const her = await openChat(t, browser(), talk);
    const { page } = her;
    her.faults.expectOutage();
    await page.setViewport({ width: 600, height: 400 });
    await setOffline(browser(), page, true);
    for (const body of ['first', 'second', 'third']) await her.write(body);
    await site.post('/api/user/block', { blockedId: alice.id }, bob.token);
    await setOffline(browser(), page, false);
    for (const body of ['first', 'second', 'third']) await her.waitForMessage(body, 'refused');
    await waitForEnd(page);
    const isAt = (body: string) =>
      waitFor(body, () =>
        page.evaluate((text) => document.activeElement?.querySelector('[dir]')?.textContent === text, body),
      );
    await page.focus('[data-testid="messages"]');
    await isAt('third');
    await page.keyboard.press('ArrowUp');
    await isAt('second');
    await page.keyboard.press('Tab');
    await untilEqual(() => focused(page), 'retry');
    await page.keyboard.press('Tab');
    await untilEqual(() => focused(page), 'discard');
    await page.keyboard.press('Enter');
    await isAt('third');
    await page.keyboard.press('ArrowUp');
    await isAt('first');
    await page.keyboard.press('ArrowUp');
    await isAt('short');

    await page.keyboard.press('ArrowUp');
    await untilEqual(() => focused(page), 'message-2');
    const { top } = await place(page);
    await page.keyboard.press('ArrowUp');
    await waitFor('a line further up', async () => (await place(page)).top < top);
    assert.equal(await focused(page), 'message-2');
    await waitFor('its beginning', async () => {
      await page.keyboard.press('ArrowUp');
      return (await focused(page)) === 'message-1';
    });
  });
});

/** The test id of the element that has the focus, or else its text. */
function focused(page: Page): Promise<string | null | undefined> {
  return page.evaluate(() => {
    const { activeElement } = document;
    return activeElement?.getAttribute('data-testid') ?? activeElement?.textContent;
  });
}

async function press(page: Page, held: 'Shift', key: 'Tab'): Promise<void> {
  await page.keyboard.down(held);
  await page.keyboard.press(key);
  await page.keyboard.up(held);
}
