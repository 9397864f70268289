import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { onChromium } from './each-browser.ts';
import { arrive } from './person.ts';
import { hasFocus, isKept, openChat, startTalk, textOf, waitForEnd } from './talk.ts';
import { untilEqual, waitFor } from './waiting.ts';

const COMPOSER = '[data-testid="composer"]';
const TOASTS = '[data-testid="toasts"]';

onChromium('The composer', (browser) => {
  test('sends on Enter, breaks the line on Shift and Enter, and grows to six lines', async (t) => {
    const talk = await startTalk(t);
    const her = await openChat(t, browser(), talk);
    const { keyboard } = her.page;
    await waitFor('the focus', () => hasFocus(her.page, COMPOSER));
    await keyboard.press('Enter');
    await keyboard.type('one');
    await keyboard.down('Shift');
    await keyboard.press('Enter');
    await keyboard.up('Shift');
    await keyboard.type('two');
    const twoLines = await heightOf(her.page);
    await keyboard.press('Enter');
    await her.waitForMessage('one\ntwo', 'stored');
    assert.equal((await her.messages()).length, 1);
    assert.equal(await textWritten(her.page), '');
    await paste(her.page, 'line\n'.repeat(30));
    assert.ok(twoLines > 1.8 * 22 && twoLines < 2.2 * 22, `${twoLines} pixels for two lines`);
    assert.ok(Math.abs((await heightOf(her.page)) - 6 * 22) < 3);
  });

  test('says that a dropped or pasted file cannot be sent, and takes the text of a paste', async (t) => {
    const talk = await startTalk(t);
    const her = await openChat(t, browser(), talk);
    await her.page.setViewport({ width: 390, height: 800 });
    await her.find('composer');
    await her.find('attach');
    const address = her.page.url();
    for (const [type, hasText, isHandled] of [
      ['dragover', false, true],
      ['drop', false, true],
      ['paste', false, true],
      ['paste', true, false],
    ] as const) {
      assert.equal(await her.page.evaluate(giveFile, type, hasText), isHandled, `${type} ${hasText}`);
      const isSaid = type !== 'dragover' && isHandled;
      if (!isSaid) continue;
      await waitFor('the sentence', async () =>
        /Only text and pictures/.test(await textOf(her.page, TOASTS)),
      );
      assert.equal(await her.page.evaluate(isAboveComposer), true, `${type} ${hasText}`);
      await her.page.click(`${TOASTS} button`);
      await waitFor('no toast', async () => (await textOf(her.page, TOASTS)) === '');
    }
    assert.equal(her.page.url(), address);
  });

  test('keeps the draft of each conversation, also over a reload', async (t) => {
    const talk = await startTalk(t);
    const carol = await talk.site.join('carol');
    await talk.write(carol, talk.alice, 'hi');
    await talk.write(talk.bob, talk.alice, 'hi');
    const her = await openChat(t, browser(), talk);
    await her.fill(COMPOSER, 'half a');
    await her.click(`conversation-${carol.id}`);
    await waitFor('an empty composer', async () => (await textWritten(her.page)) === '');
    const preview = () => textOf(her.page, `[data-testid="conversation-${talk.bob.id}"]`);
    await waitFor('the draft in the list', async () => /Draft: half a/.test(await preview()));
    await waitFor('the draft in the storage', () => her.page.evaluate(isKept, 'half a'));
    await her.page.reload();
    await waitFor('the draft after a reload', async () => /Draft: half a/.test(await preview()));
    await her.click(`conversation-${talk.bob.id}`);
    await waitFor('the draft in its place', async () => (await textWritten(her.page)) === 'half a');
    await her.page.focus(COMPOSER);
    await her.page.keyboard.type(' word');
    assert.equal(await textWritten(her.page), 'half a word');
  });

  test('shows near the limit how many characters are left, and sends no message that is too long', async (t) => {
    const talk = await startTalk(t);
    const her = await openChat(t, browser(), talk);
    await paste(her.page, 'W'.repeat(3_799));
    assert.equal(await her.page.$('[data-testid="room-left"]'), null);
    await paste(her.page, '😀'.repeat(4_001));
    assert.equal(await textOf(her.page, '[data-testid="room-left"]'), '1 character over the limit');
    assert.equal(await her.page.$eval('[data-testid="send"]', (send) => send.matches(':disabled')), true);
    await her.page.keyboard.press('Enter');
    await paste(her.page, '😀'.repeat(4_000));
    assert.equal(await textOf(her.page, '[data-testid="room-left"]'), '0 characters left');
    await her.page.keyboard.press('Enter');
    await waitForEnd(her.page);
    await her.waitForMessage('😀'.repeat(4_000), 'stored');
    assert.equal((await her.messages()).length, 1);
  });

  test('is replaced by the reason while the peer is blocked, and keeps the draft', async (t) => {
    const talk = await startTalk(t);
    const her = await openChat(t, browser(), talk);
    await her.fill(COMPOSER, 'half a word');
    await her.choose('block');
    await her.find('composer-blocked');
    assert.equal(await her.page.$(COMPOSER), null);
    const said = () => her.page.$$eval('[data-testid="beginning"] p', (all) => all.map((p) => p.textContent));
    assert.deepEqual(await said(), ['You blocked bob']);
    const pane = await her.page.$eval('[data-pane="page"]', (element) => (element as HTMLElement).innerText);
    assert.equal(pane.match(/blocked/gi)?.length, 1, pane);
    await her.click('unblock-to-write');
    await her.find('composer');
    assert.equal(await textWritten(her.page), 'half a word');
    assert.equal((await said())[0], 'Say hello to bob');
  });

  test('shows the end of a long draft, where typing continues', async (t) => {
    const talk = await startTalk(t);
    const carol = await talk.site.join('carol');
    await talk.write(carol, talk.alice, 'hi');
    await talk.write(talk.bob, talk.alice, 'hi');
    const draft = `${'line\n'.repeat(30)}${'W'.repeat(300)} end`;
    const her = await openChat(t, browser(), talk);
    await paste(her.page, draft);
    await her.click(`conversation-${carol.id}`);
    await waitFor('an empty composer', async () => (await textWritten(her.page)) === '');
    await her.click(`conversation-${talk.bob.id}`);
    await waitFor('the draft', async () => (await textWritten(her.page)) === draft);
    await assertEndShown(her.page);
    await waitFor('the focus', () => hasFocus(her.page, COMPOSER));
    await her.page.keyboard.type('!');
    assert.equal(await textWritten(her.page), `${draft}!`);
    await waitFor('the draft in the storage', () => her.page.evaluate(isKept, 'end!'));
    // Opened by its address, the chat may be there before its draft. A touch screen shows no keyboard.
    await her.page.setViewport({ width: 320, height: 700, hasTouch: true, isMobile: true });
    await her.find('composer');
    await waitFor('the draft', async () => (await textWritten(her.page)) === `${draft}!`);
    await assertEndShown(her.page);
    assert.equal(await hasFocus(her.page, COMPOSER), false);
  });

  test('on a narrow screen, Escape leads back to the row of the conversation', async (t) => {
    const talk = await startTalk(t);
    const carol = await talk.site.join('carol');
    await talk.write(talk.bob, talk.alice, 'hi');
    await talk.write(carol, talk.alice, 'hi');
    const her = await arrive(t, browser(), talk.site, 'alice');
    await her.page.setViewport({ width: 700, height: 800 });
    await her.signIn();
    await her.page.bringToFront();
    const row = `[data-testid="conversation-${talk.bob.id}"]`;
    await her.click(`conversation-${talk.bob.id}`);
    await her.find('composer');
    await waitFor('the focus', () => hasFocus(her.page, COMPOSER));
    // An open menu handles Escape itself.
    await her.click('menu');
    await her.page.keyboard.press('Escape');
    await waitFor('the button of the menu', () => hasFocus(her.page, '[data-testid="menu"]'));
    await her.page.keyboard.press('Escape');
    await waitFor('the row', () => hasFocus(her.page, row));
    await untilEqual(() => her.page.evaluate(() => location.pathname), '/');
  });

  test('sends nothing on the Enter that ends a word of an input method', async (t) => {
    const her = await openChat(t, browser(), await startTalk(t));
    await waitFor('the focus', () => hasFocus(her.page, COMPOSER));
    const keys = await her.page.createCDPSession();
    await keys.send('Input.imeSetComposition', { text: 'nihao', selectionStart: 5, selectionEnd: 5 });
    const enter = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 229 } as const;
    await keys.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...enter });
    await keys.send('Input.insertText', { text: '你好' });
    await keys.send('Input.dispatchKeyEvent', { type: 'keyUp', ...enter });
    assert.equal(await textWritten(her.page), '你好');
    await her.page.keyboard.press('Enter');
    await her.waitForMessage('你好', 'stored');
    assert.equal((await her.messages()).length, 1);
  });

  test('on a touch screen, Enter breaks the line, and opening shows no keyboard', async (t) => {
    const talk = await startTalk(t);
    await talk.write(talk.bob, talk.alice, 'hi');
    const her = await arrive(t, browser(), talk.site, 'alice');
    await her.page.setViewport({ width: 390, height: 800, hasTouch: true, isMobile: true });
    await her.signIn();
    await her.click(`conversation-${talk.bob.id}`);
    await her.waitForMessage('hi');
    assert.equal(await hasFocus(her.page, COMPOSER), false);
    await her.page.tap(COMPOSER);
    await her.page.keyboard.type('one');
    await her.page.keyboard.press('Enter');
    await her.page.keyboard.type('two');
    await her.page.tap('[data-testid="send"]');
    await her.waitForMessage('one\ntwo', 'stored');
    assert.equal(await hasFocus(her.page, COMPOSER), true);
  });
});

async function assertEndShown(page: Page): Promise<void> {
  const { below, height } = await page.$eval(COMPOSER, ({ scrollHeight, scrollTop, clientHeight }) => ({
    below: scrollHeight - scrollTop - clientHeight,
    height: clientHeight,
  }));
  assert.ok(below <= 1, `the end is ${below} pixels below`);
  assert.ok(Math.abs(height - 6 * 22) < 3, `the field is ${height} pixels high`);
}

/** In the page: whether the toast leaves the composer free. */
function isAboveComposer(): boolean {
  const toast = document.querySelector('[data-testid="toasts"] [data-kind]');
  const composer = document.querySelector('[data-floor]');
  if (!toast || !composer) throw new Error('not there');
  return toast.getBoundingClientRect().bottom <= composer.getBoundingClientRect().top;
}

/** In the page: gives a picture to the composer. @returns whether the page keeps the browser from handling it */
function giveFile(type: 'dragover' | 'drop' | 'paste', hasText: boolean): boolean {
  const data = new DataTransfer();
  data.items.add(new File(['bytes'], 'bill.pdf', { type: 'application/pdf' }));
  if (hasText) data.items.add('its caption', 'text/plain');
  const options = { bubbles: true, cancelable: true };
  const event =
    type === 'paste'
      ? new ClipboardEvent(type, { ...options, clipboardData: data })
      : new DragEvent(type, { ...options, dataTransfer: data });
  return document.querySelector('[data-testid="composer"]')?.dispatchEvent(event) === false;
}

/** Replaces the text of the composer. The driver's `fill` types line ends, which would send. */
async function paste(page: Page, text: string): Promise<void> {
  await page.$eval(
    COMPOSER,
    (field, text) => {
      (field as HTMLTextAreaElement).select();
      document.execCommand('insertText', false, text);
    },
    text,
  );
}

function textWritten(page: Page): Promise<string> {
  return page.$eval(COMPOSER, (field) => (field as HTMLTextAreaElement).value);
}

function heightOf(page: Page): Promise<number> {
  return page.$eval(COMPOSER, (field) => field.clientHeight);
}
