import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page, SerializedAXNode } from 'puppeteer-core';
import { assertAccessible } from './axe.ts';
import { onChromium, onEachBrowser } from './each-browser.ts';
import { setOffline } from './offline.ts';
import { arrive } from './person.ts';
import { bodies, openChat, scroll, startTalk, waitForEnd } from './talk.ts';
import { untilEqual, waitFor } from './waiting.ts';

const TO_NEWEST = '[data-testid="to-newest"]';
const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}`).join('\n');

onEachBrowser('A long message', (browser) => {
  test('is folded to 24 drawn lines, at each width', async (t) => {
    const talk = await startTalk(t);
    const { alice, bob, write, read } = talk;
    const paragraph = 'words to read '.repeat(100).trim();
    await read(alice, bob, await write(bob, alice, lines(24), lines(25), paragraph));
    const { page } = await openChat(t, browser(), talk);
    await waitForEnd(page);
    const shown = async () => [await foldOf(page, 1), await foldOf(page, 2), await foldOf(page, 3)];
    await page.setViewport({ width: 1280, height: 800 });
    const [at24, at25, wide] = await shown();
    assert.deepEqual([at24, at25], [{ lines: 24 }, { lines: 24, isExpanded: 'false' }]);
    assert.ok(wide && wide.lines < 24 && wide.isExpanded === undefined, `${wide?.lines} lines`);
    await page.setViewport({ width: 390, height: 800 });
    await untilEqual(() => foldOf(page, 3), { lines: 24, isExpanded: 'false' });
    await press(page, 3);
    await waitFor('the whole text', async () => (await foldOf(page, 3)).lines > 24);
    // Where it has fewer lines there is nothing to fold.
    await page.setViewport({ width: 1280, height: 800 });
    await untilEqual(() => foldOf(page, 3), wide);
  });

  test('opens below its upper end, closes above its button, and stays open when it leaves the document', async (t) => {
    const talk = await startTalk(t);
    const { alice, bob, write, read } = talk;
    await read(alice, bob, await write(bob, alice, ...bodies(100), lines(60), 'the last one'));
    const { page } = await openChat(t, browser(), talk);
    await waitForEnd(page);
    const before = await boxOf(page, 101);
    await press(page, 101);
    await untilEqual(() => foldOf(page, 101), { lines: 60, isExpanded: 'true' });
    assert.equal((await boxOf(page, 101)).top, before.top);
    await page.waitForSelector(TO_NEWEST);

    await scroll(page, -40_000);
    await page.waitForSelector('[data-testid="message-101"]', { hidden: true });
    await page.locator(TO_NEWEST).click();
    await waitForEnd(page);
    await untilEqual(() => foldOf(page, 101), { lines: 60, isExpanded: 'true' });

    const open = await boxOf(page, 101);
    await press(page, 101);
    await untilEqual(() => foldOf(page, 101), { lines: 24, isExpanded: 'false' });
    assert.equal((await boxOf(page, 101)).bottom, open.bottom);
  });
});

onChromium('A long message', (browser) => {
  test('is there once for a screen reader, and opens by the keyboard', async (t) => {
    const talk = await startTalk(t);
    const { alice, bob, write, read } = talk;
    await read(alice, bob, await write(bob, alice, `${lines(40)}\nhttps://example.org/end`));
    const { page } = await openChat(t, browser(), talk);
    await waitForEnd(page);
    await assertAccessible(page, 'a folded message');
    const tree = await page.accessibility.snapshot({ interestingOnly: false });
    assert.equal(textsOf(tree).filter((text) => text.includes('line 39')).length, 1);
    await page.focus('[data-testid="message-1"] [aria-expanded]');
    await page.keyboard.press('Enter');
    await untilEqual(() => foldOf(page, 1), { lines: 41, isExpanded: 'true' });
    assert.equal(await page.evaluate(() => document.activeElement?.ariaExpanded), 'true');
    await page.keyboard.press('Space');
    await untilEqual(() => foldOf(page, 1), { lines: 24, isExpanded: 'false' });
    // A link that is folded away opens the message when it gets the focus.
    await page.focus('[data-testid="message-1"] a');
    await untilEqual(() => foldOf(page, 1), { lines: 41, isExpanded: 'true' });
    await waitFor('the link on the screen', () =>
      page.$eval('[data-testid="message-1"] a', (link) => {
        const { x, y } = link.getBoundingClientRect();
        return document.elementFromPoint(x + 2, y + 2) === link;
      }),
    );
  });

  test('is copied and printed whole', async (t) => {
    const talk = await startTalk(t);
    const { alice, bob, write, read } = talk;
    await read(alice, bob, await write(bob, alice, lines(40)));
    const { page } = await openChat(t, browser(), talk);
    await waitForEnd(page);
    const copied = await page.evaluate(() => {
      const text = document.querySelector('[data-testid="message-1"] [data-key]');
      if (text) getSelection()?.selectAllChildren(text);
      return getSelection()?.toString();
    });
    assert.equal(copied, lines(40));
    await page.emulateMediaType('print');
    await untilEqual(async () => (await foldOf(page, 1)).lines, 40);
    const isButton = () =>
      page.$eval('[data-testid="message-1"] [aria-expanded]', (it) => it.checkVisibility());
    assert.equal(await isButton(), false);
  });

  test('is folded while it waits, is refused, and is sent', async (t) => {
    const talk = await startTalk(t);
    const { site, alice, bob } = talk;
    const her = await openChat(t, browser(), talk);
    const { page } = her;
    her.faults.expectOutage();
    her.faults.expect(/ERR_INTERNET_DISCONNECTED/);
    const state = () =>
      page.evaluate(() => document.querySelector('[data-own] [data-state]')?.getAttribute('data-state'));
    const last = () =>
      page.$eval('[data-own]', (it) =>
        it.querySelector('[aria-expanded]:not([hidden])')?.getAttribute('aria-expanded'),
      );
    await setOffline(browser(), page, true);
    await her.fill('[data-testid="composer"]', lines(40));
    await page.keyboard.press('Enter');
    await waitFor('the message', async () => /^(?:waiting|sending)$/.test((await state()) ?? ''));
    assert.equal(await last(), 'false');
    await page.locator('[data-own] [aria-expanded]').click();
    await untilEqual(last, 'true');
    await site.post('/api/user/block', { blockedId: alice.id }, bob.token);
    await setOffline(browser(), page, false);
    await untilEqual(state, 'refused');
    assert.equal(await last(), 'true');
    await site.post('/api/user/unblock', { blockedId: alice.id }, bob.token);
    await her.click('retry');
    await untilEqual(state, 'stored');
    assert.equal(await last(), 'true');
  });
});

onChromium('A long text about a user', (browser) => {
  test('is folded to 8 drawn lines, and a shorter one is not', async (t) => {
    const { site, bob } = await startTalk(t);
    const carol = await site.join('carol');
    await site.post('/api/user/profile', { bio: lines(9) }, bob.token);
    await site.post('/api/user/profile', { bio: lines(8) }, carol.token);
    const her = await arrive(t, browser(), site, 'alice');
    await her.signIn();
    const BIO = '[data-testid="profile-bio"]';
    const drawn = () =>
      her.page.$eval(BIO, (bio) => {
        return Math.round(bio.clientHeight / Number.parseFloat(getComputedStyle(bio).lineHeight));
      });
    await her.page.goto(`${site.url}/people/${bob.id}`);
    await her.find('profile-bio');
    assert.equal(await drawn(), 8);
    await her.page.locator(`${BIO} + [aria-expanded="false"]`).click();
    await untilEqual(drawn, 9);
    await her.page.goto(`${site.url}/people/${carol.id}`);
    await her.find('profile-bio');
    assert.equal(await drawn(), 8);
    assert.equal(await her.page.$(`${BIO} + :not([hidden])`), null);
  });
});

/** The texts of a tree, as a screen reader finds them. */
function textsOf(node: SerializedAXNode | null): string[] {
  const own = node?.role === 'StaticText' ? [node.name ?? ''] : [];
  return [...own, ...(node?.children ?? []).flatMap(textsOf)];
}

/** How many lines of a message are drawn, and whether the button below it says that these are all; absent without a button. */
function foldOf(page: Page, n: number): Promise<{ lines: number; isExpanded?: string }> {
  return page.$eval(`[data-testid="message-${n}"]`, (message) => {
    const text = message.querySelector('[data-key]');
    if (!text) return { lines: 0 };
    const lines = Math.round(text.clientHeight / Number.parseFloat(getComputedStyle(text).lineHeight));
    const isExpanded = message.querySelector('[aria-expanded]:not([hidden])')?.getAttribute('aria-expanded');
    return isExpanded ? { lines, isExpanded } : { lines };
  });
}

function press(page: Page, n: number): Promise<void> {
  return page.$eval(`[data-testid="message-${n}"] [aria-expanded]`, (button) => {
    if (button instanceof HTMLElement) button.click();
  });
}

/** The edges of a message on the screen, in whole pixels. */
function boxOf(page: Page, n: number): Promise<{ top: number; bottom: number }> {
  return page.$eval(`[data-testid="message-${n}"]`, (message) => {
    const { top, bottom } = message.getBoundingClientRect();
    return { top: Math.round(top), bottom: Math.round(bottom) };
  });
}
