import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { assertAccessible } from './axe.ts';
import { confirm } from './controls.ts';
import { onChromium, onEachBrowser } from './each-browser.ts';
import type { Person } from './person.ts';
import { hasFocus, isKept, openChat, startTalk, type Talk, textOf } from './talk.ts';
import { untilEqual, waitFor } from './waiting.ts';
import { loadWithoutWorker } from './without-worker.ts';

const COMPOSER = '[data-testid="composer"]';
const COUNT = 120;

onEachBrowser('A message that changes', (browser) => {
  test('is edited from its menu or by an arrow up, and unsent for both, all by keyboard', async (t) => {
    const talk = await startTalk(t);
    const { site, alice, bob } = talk;
    await talk.write(alice, bob, 'frist', 'to be unsent');
    const her = await openChat(t, browser(), talk);
    const { page } = her;
    await her.waitForMessage('to be unsent', 'stored');

    // An arrow up in the empty composer edits the last own message; Escape leaves it as it was.
    await page.focus(COMPOSER);
    await page.keyboard.press('ArrowUp');
    await her.find('composing-edit');
    await untilEqual(() => typedIn(page), 'to be unsent');
    await assertAccessible(page, 'the editing of a message');
    await page.keyboard.press('Escape');
    await page.waitForSelector('[data-testid="composing-edit"]', { hidden: true });
    assert.deepEqual([await typedIn(page), await hasFocus(page, COMPOSER)], ['', true]);

    // Its button does the same. An Escape that drops a word of an input method does not.
    await page.keyboard.press('ArrowUp');
    await her.find('composing-edit');
    await pressInWord(page, COMPOSER, 'Escape');
    assert.equal(await typedIn(page), 'to be unsent');
    await page.focus('[data-testid="composing-cancel"]');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-testid="composing-edit"]', { hidden: true });
    assert.ok(await hasFocus(page, COMPOSER));

    // The draft outlives an edit.
    await page.keyboard.type('half a');
    await openMenu(page, 1);
    await assertAccessible(page, 'the menu of a message');
    await choose(page, 'edit');
    await untilEqual(() => typedIn(page), 'frist');
    assert.ok(await hasFocus(page, COMPOSER));
    await her.fill(COMPOSER, 'first');
    await page.keyboard.press('Enter');
    await untilEqual(() => typedIn(page), 'half a');
    await her.waitForMessage('first');
    assert.match(await textOf(page, '[data-testid="message-1"]'), /Edited/);
    await waitFor('the edit', async () => {
      const { body } = await site.get(`/api/messages?peer=${alice.id}`, bob.token);
      return body.data.items[0].body === 'first' && body.data.items[0].editedAt > 0;
    });

    await openMenu(page, 2);
    await choose(page, 'unsend');
    await her.find('confirm-dialog');
    assert.match(await textOf(page, '[data-testid="confirm-dialog"]'), /both you and bob/);
    await assertAccessible(page, 'the question before an unsend');
    await confirm(page);
    await her.waitForMessage('You unsent a message');
    await untilEqual(
      () => page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset.testid),
      'message-2',
    );
    await waitFor('the unsend', async () => {
      const { body } = await site.get(`/api/messages?peer=${alice.id}`, bob.token);
      return body.data.items[1].unsentAt > 0 && body.data.items[1].body === '';
    });
    await untilEqual(
      async () => (await her.conversation(bob))?.preview.includes('You unsent a message'),
      true,
    );
    await waitFor('the storage', async () => !(await page.evaluate(isKept, 'to be unsent')));
    // Nothing can be done with it.
    await pressMenuKey(page, 2);
    assert.equal(await page.$('[data-testid="message-menu"]'), null);
    await assertAccessible(page, 'an edited and an unsent message');
  });

  test('has reactions of both, which a press sets and takes back', async (t) => {
    const talk = await startTalk(t);
    const { site, alice, bob } = talk;
    await talk.write(bob, alice, 'one', 'two');
    const her = await openChat(t, browser(), talk);
    const { page } = her;
    await openMenu(page, 2);
    // The arrows move in the row of emoji, and down to the entries.
    await page.keyboard.press('ArrowRight');
    assert.ok(await hasFocus(page, '[data-testid="react-❤️"]'));
    await page.keyboard.press('ArrowDown');
    assert.ok(await hasFocus(page, '[data-testid="menu-reply"]'));
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await her.find('reaction-👍');
    assert.ok(await hasFocus(page, '[data-testid="message-2"]'));
    await react(talk, bob, 2, '👍');
    await untilEqual(() => textOf(page, '[data-testid="reactions"]'), '👍2bob and You');
    await assertAccessible(page, 'a message with a reaction of both');
    await page.click('[data-testid="reaction-👍"]');
    await untilEqual(() => textOf(page, '[data-testid="reactions"]'), '👍bob');
    await waitFor('the service', async () => {
      const { body } = await site.get(`/api/messages?peer=${bob.id}`, alice.token);
      return JSON.stringify(body.data.items[1].reactions) === JSON.stringify({ [bob.id]: '👍' });
    });
    await react(talk, bob, 2, '');
    await page.waitForSelector('[data-testid="reactions"]', { hidden: true });
  });

  test('gets any emoji of the picker, found in both languages, with a skin tone; the last ones are offered first', async (t) => {
    const talk = await startTalk(t);
    const { alice, bob } = talk;
    await talk.write(bob, alice, 'one');
    const her = await openChat(t, browser(), talk);
    const { page } = her;
    const openPicker = async () => {
      await openMenu(page, 1);
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('Enter');
      await her.find('emoji-search');
    };
    await openPicker();
    await assertAccessible(page, 'the picker of emoji');
    await her.fill('[data-testid="emoji-search"]', '狗');
    await her.find('emoji-🐶');
    await her.fill('[data-testid="emoji-search"]', 'strong');
    await her.find('emoji-💪');
    for (const key of ['Enter', 'ArrowDown']) await pressInWord(page, '[data-testid="emoji-search"]', key);
    assert.ok(await hasFocus(page, '[data-testid="emoji-search"]'));
    await page.click('[data-testid="emoji-picker"] [aria-label="Dark"]');
    await her.find('emoji-💪🏿');
    await page.focus('[data-testid="emoji-search"]');
    await page.keyboard.press('Enter');
    await her.find('reaction-💪🏿');
    await untilEqual(() => hasFocus(page, '[data-testid="message-1"]'), true);
    // After a reload the picker still knows it.
    await page.reload();
    await her.find('reaction-💪🏿');
    await openPicker();
    await her.find('emoji-💪🏿');
    await page.keyboard.press('ArrowDown');
    await untilEqual(() => hasFocus(page, '[data-testid="emoji-💪🏿"]'), true);
    await page.keyboard.press('ArrowDown');
    assert.ok(await hasFocus(page, '[data-testid="emoji-😀"]'));
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog', { hidden: true });
    await untilEqual(() => hasFocus(page, '[data-testid="message-1"]'), true);
  });

  test('answers another one with a quote that leads there, also far up', async (t) => {
    const talk = await startTalk(t);
    const { alice, bob } = talk;
    await talk.write(bob, alice, ...Array.from({ length: COUNT }, (_, i) => `message ${i + 1}`));
    await talk.write(alice, bob, 'own');
    await talk.read(alice, bob, COUNT);
    const her = await openChat(t, browser(), talk);
    const { page } = her;
    await her.waitForMessage('own');
    await openMenu(page, COUNT);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await her.find('composing-reply');
    await untilEqual(() => hasFocus(page, COMPOSER), true);
    assert.match(await textOf(page, '[data-testid="composing-reply"]'), /Reply to .*bob.*message 120/);
    await openMenu(page, COUNT);
    await choose(page, 'reply');
    await untilEqual(() => hasFocus(page, COMPOSER), true);
    await assertAccessible(page, 'a reply that is being written');
    await page.keyboard.type('the last');
    await page.keyboard.press('Enter');
    await her.find('quote');
    await her.waitForMessage('the last', 'stored');
    assert.match(await textOf(page, '[data-testid="quote"]'), /bob.*message 120/);
    await assertAccessible(page, 'an answer');

    // Bob answers her a message that this device has not loaded.
    const { status } = await talk.site.post(
      '/api/messages',
      { to: alice.id, cid: 'far', body: 'far up', replyTo: 3 },
      bob.token,
    );
    assert.equal(status, 200);
    await her.waitForMessage('far up');
    const quote = `[data-testid="message-${COUNT + 3}"] [data-testid="quote"]`;
    await untilEqual(() => textOf(page, quote), 'In reply to: bobmessage 3');
    await page.focus(`[data-testid="message-${COUNT + 3}"]`);
    await page.keyboard.press('Tab');
    assert.ok(await hasFocus(page, '[data-testid="quote"]'));
    await page.keyboard.press('Enter');
    await untilEqual(() => hasFocus(page, '[data-testid="message-3"]'), true);
    const isOnScreen = () =>
      page.$eval('[data-testid="message-3"]', (row) => {
        const { top, bottom } = row.getBoundingClientRect();
        return top > 0 && bottom < innerHeight;
      });
    await untilEqual(isOnScreen, true);
  });
});

onChromium('The picker of emoji', (browser) => {
  test('does not open if Escape is pressed while its file is loaded, and the message keeps the focus', async (t) => {
    const talk = await startTalk(t);
    await talk.write(talk.bob, talk.alice, 'one');
    const her = await openChat(t, browser(), talk);
    const { page } = her;
    await loadWithoutWorker(page);
    await page.setCacheEnabled(false);
    await page.reload();
    await her.waitForMessage('one');
    const asked = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    await page.setRequestInterception(true);
    page.on('request', async (request) => {
      if (/\/emoji-picker-[^/]*\.js$/.test(request.url())) {
        asked.resolve();
        await held.promise;
      }
      await request.continue();
    });
    await openMenu(page, 1);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await asked.promise;
    await page.keyboard.press('Escape');
    assert.ok(await hasFocus(page, '[data-testid="message-1"]'));
    const file = page.waitForResponse((response) => /\/emoji-picker-[^/]*\.js$/.test(response.url()));
    held.resolve();
    await (await file).text();
    await openMenu(page, 1);
    assert.equal(await page.$('[data-testid="emoji-picker"]'), null);
  });
});

onChromium('A long press', (browser) => {
  test('opens the menu of a message where the system sends no event for it, and a short one or a scroll does not', async (t) => {
    const talk = await startTalk(t);
    await talk.write(talk.bob, talk.alice, 'one');
    const her = await openChat(t, browser(), talk);
    const { page } = her;
    // As on an iPhone.
    await page.evaluateOnNewDocument(() => {
      CSS.supports = () => true;
    });
    await page.reload();
    await her.find('announcer');
    const { x, y } = await page.$eval('[data-testid="message-1"] [data-key]', (text) => {
      const { left, top } = text.getBoundingClientRect();
      return { x: left + 3, y: top + 3 };
    });
    const asked = () => page.evaluate(() => Reflect.get(window, 'asked') as number);
    await page.evaluate(() => {
      Reflect.set(window, 'asked', 0);
      addEventListener('contextmenu', () => Reflect.set(window, 'asked', Reflect.get(window, 'asked') + 1));
    });
    const first = await page.touchscreen.touchStart(x, y);
    await first.move(x, y + 40);
    await first.end();
    await page.touchscreen.tap(x, y);
    assert.equal(await asked(), 0);
    // A finger is never quite still, neither before the menu nor after it. Chromium does not report it.
    const moveALittle = () =>
      page.$eval(
        '[data-testid="message-1"] [data-key]',
        (target, at) => {
          const touches = [new Touch({ identifier: 0, target, ...at })];
          target.dispatchEvent(new TouchEvent('touchmove', { bubbles: true, touches }));
        },
        { clientX: x + 3, clientY: y + 2 },
      );
    const press = await page.touchscreen.touchStart(x, y);
    await moveALittle();
    await her.find('message-menu');
    await moveALittle();
    await press.end();
    await her.find('message-menu');
    assert.equal(await asked(), 1);
  });
});

onChromium('A change of a message that is refused', (browser) => {
  test('says why, can be tried again, and leaves the message as it was', async (t) => {
    const talk = await startTalk(t);
    const { site, alice, bob } = talk;
    await talk.write(alice, bob, 'one');
    const her = await openChat(t, browser(), talk);
    const { page } = her;
    await her.waitForMessage('one', 'stored');
    await site.post('/api/user/block', { blockedId: alice.id }, bob.token);
    await openMenu(page, 1);
    await choose(page, 'edit');
    await her.fill(COMPOSER, 'two');
    await page.keyboard.press('Enter');
    await her.find('refused-edit');
    await her.waitForMessage('one');
    assert.match(await textOf(page, '[data-testid="refused-edit"]'), /Not edited: .*accepting/);
    await assertAccessible(page, 'a refused change');
    await site.post('/api/user/unblock', { blockedId: alice.id }, bob.token);
    await her.click('retry-change');
    await her.waitForMessage('two');
    await page.waitForSelector('[data-testid="refused-edit"]', { hidden: true });
  });

  test('an edit ends, and its text goes, when the message is unsent on another device', async (t) => {
    const talk = await startTalk(t);
    const { site, alice, bob } = talk;
    await talk.write(alice, bob, 'secret');
    const her = await openChat(t, browser(), talk);
    const { page } = her;
    await her.waitForMessage('secret', 'stored');
    await page.focus(COMPOSER);
    await page.keyboard.press('ArrowUp');
    await untilEqual(() => typedIn(page), 'secret');
    await site.post('/api/messages/unsend', { peer: bob.id, n: 1 }, alice.token);
    await her.waitForMessage('You unsent a message');
    await untilEqual(() => typedIn(page), '');
    assert.equal(await page.$('[data-testid="composing-edit"]'), null);
  });
});

function typedIn(page: Page): Promise<string> {
  return page.$eval(COMPOSER, (field) => (field as HTMLTextAreaElement).value);
}

/** A key that an input method uses for the word that is being typed. */
async function pressInWord(page: Page, field: string, key: string): Promise<void> {
  await page.$eval(
    field,
    (element, pressed) => {
      const options = { key: pressed, isComposing: true, bubbles: true, cancelable: true };
      element.dispatchEvent(new KeyboardEvent('keydown', options));
    },
    key,
  );
}

/** As the key for menus does in each browser. */
async function pressMenuKey(page: Page, n: number): Promise<void> {
  await page.focus(`[data-testid="message-${n}"]`);
  await page.$eval(`[data-testid="message-${n}"]`, (row) => {
    const { x, y } = row.getBoundingClientRect();
    row.dispatchEvent(
      new MouseEvent('contextmenu', { bubbles: true, cancelable: true, clientX: x, clientY: y }),
    );
  });
}

async function openMenu(page: Page, n: number): Promise<void> {
  await pressMenuKey(page, n);
  await page.waitForSelector('[data-testid="message-menu"] :focus');
}

/** Chooses an entry of the open menu by the keyboard. */
async function choose(page: Page, item: string): Promise<void> {
  const isThere = () => hasFocus(page, `[data-testid="menu-${item}"]`);
  for (let i = 0; i < 20 && !(await isThere()); i++) await page.keyboard.press('ArrowDown');
  assert.ok(await isThere(), item);
  await page.keyboard.press('Enter');
}

async function react(
  { site, alice, bob }: Talk,
  by: Pick<Person, 'id'> & { token: string },
  n: number,
  emoji: string,
) {
  const peer = by.id === alice.id ? bob.id : alice.id;
  const { status } = await site.post('/api/messages/react', { peer, n, emoji }, by.token);
  assert.equal(status, 200);
}
