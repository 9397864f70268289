import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertFits } from './appearance.ts';
import { assertAccessible } from './axe.ts';
import { onChromium } from './each-browser.ts';
import { hasFocus, openChat, startTalk, textOf } from './talk.ts';
import { untilEqual, waitFor } from './waiting.ts';

const COMPOSER = '[data-testid="composer"]';
const HOSTILE = [
  '<script>alert(1)</script>',
  '<img src=x onerror="alert(1)">',
  'javascript:alert(1)',
  '\u202egnp.exe\u2066 turned',
  'شكرا Doorman\nשלום\nin English',
  `Z${'\u0300\u0316'.repeat(200)}algo`,
  'W'.repeat(4_000),
  '😀'.repeat(4_000),
  'a\n\n\nb',
];

onChromium('A message', (browser) => {
  test('is shown as text', async (t) => {
    const talk = await startTalk(t);
    await talk.write(talk.bob, talk.alice, ...HOSTILE);
    await talk.write(talk.alice, talk.bob, ...HOSTILE);
    const her = await openChat(t, browser(), talk);
    // Messages far from the screen are not in the document.
    await her.page.setViewport({ width: 1280, height: 8_000 });
    await waitFor('all of them', async () => (await her.messages()).length === 2 * HOSTILE.length);
    const written = await her.page.$$eval('[data-message] [dir="auto"]', (texts) =>
      texts.map((text) => text.textContent),
    );
    assert.deepEqual(written, [...HOSTILE, ...HOSTILE]);
    assert.equal(await her.page.$('[data-testid="messages"] :is(script, img[onerror], a[target])'), null);
    for (const width of [360, 1280]) {
      await her.page.setViewport({ width, height: 800 });
      await assertFits(her.page, `hostile messages at ${width} pixels`);
      const list = await her.page.$eval('[data-testid="messages"]', ({ scrollWidth, clientWidth }) => [
        scrollWidth,
        clientWidth,
      ]);
      assert.equal(list[0], list[1]);
    }
  });

  test('has links to the web, to mail and to phones, which send no referrer', async (t) => {
    const talk = await startTalk(t);
    const body =
      'See https://example.org/a_(b), HTTP://EXAMPLE.com, www.example.org/x, ann@example.org, +49 30 123456, javascript:alert(1)';
    await talk.write(talk.bob, talk.alice, body);
    const her = await openChat(t, browser(), talk);
    await her.waitForMessage(body);
    await her.page.waitForSelector('[data-message] a');
    const links = await her.page.$$eval('[data-message] a', (all) =>
      all.map((a) => [a.textContent, a.getAttribute('href'), a.rel, a.target]),
    );
    const safely = 'noopener noreferrer nofollow';
    assert.deepEqual(links, [
      ['https://example.org/a_(b)', 'https://example.org/a_(b)', safely, '_blank'],
      ['HTTP://EXAMPLE.com', 'http://example.com/', safely, '_blank'],
      ['www.example.org/x', 'https://www.example.org/x', safely, '_blank'],
      ['ann@example.org', 'mailto:ann@example.org', safely, ''],
      ['+49 30 123456', 'tel:+4930123456', safely, ''],
    ]);
  });

  test('that was refused shows why, and can be sent again or deleted', async (t) => {
    const talk = await startTalk(t);
    const { site, alice, bob, write } = talk;
    await write(bob, alice, 'hello');
    const her = await openChat(t, browser(), talk);
    await site.post('/api/user/block', { blockedId: alice.id }, bob.token);
    await her.fill(COMPOSER, 'one');
    await her.page.keyboard.press('Enter');
    await her.waitForMessage('one', 'refused');
    await her.find('composer-refused');
    await waitFor('the reason', async () =>
      /Not sent: This person isn’t accepting messages/.test(await textOf(her.page, '[data-own]')),
    );
    await waitFor('the list to say so', async () =>
      /Not sent: one/.test(await textOf(her.page, `[data-testid="conversation-${bob.id}"]`)),
    );
    await assertAccessible(her.page, 'a chat with a refused message');
    await her.click('discard');
    await her.find('composer');
    await untilEqual(async () => (await her.messages()).map(({ body }) => body), ['hello']);

    await her.fill(COMPOSER, 'two');
    await her.page.keyboard.press('Enter');
    await her.waitForMessage('two', 'refused');
    await site.post('/api/user/unblock', { blockedId: alice.id }, bob.token);
    await her.click('retry');
    await her.waitForMessage('two', 'stored');
    await her.find('composer');
    await waitFor('the focus on the composer', () => hasFocus(her.page, COMPOSER));
  });

  test('has its sender, day, time and delivery status for screen readers, and is announced when it arrives', async (t) => {
    const talk = await startTalk(t);
    await talk.write(talk.bob, talk.alice, 'hello');
    const her = await openChat(t, browser(), talk);
    await her.write('mine');
    await her.waitForMessage('mine', 'stored');
    await talk.write(talk.bob, talk.alice, 'news');
    await waitFor('the notice', async () =>
      /bob: news/.test(await textOf(her.page, '[data-testid="announcer"]')),
    );
    assert.doesNotMatch(await textOf(her.page, '[data-testid="announcer"]'), /mine/);
    const names = await her.page.$$eval('[role="log"] article', (all) => all.map((one) => one.ariaLabel));
    assert.match(
      names.join(' | '),
      /^bob, Today, \d+:\d+ [AP]M \| You, Today, \d+:\d+ [AP]M \| bob, Today, \d+:\d+ [AP]M$/,
    );
    assert.equal(await her.page.$eval('[data-state]', (mark) => mark.ariaLabel), 'Sent');
    assert.equal(await her.page.$eval('[role="log"]', (log) => log.ariaLabel), 'Messages with bob');
    await assertAccessible(her.page, 'a chat');
    await her.click('menu');
    await assertAccessible(her.page, 'the menu of a chat');
  });
});

onChromium('The menu of a conversation', (browser) => {
  test('has the focus as soon as its file has come, so that Escape closes it', async (t) => {
    const her = await openChat(t, browser(), await startTalk(t));
    await her.page.evaluate(noteFocusInMenu);
    await her.click('menu');
    await her.find('menu-block');
    assert.equal(await her.page.evaluate(() => document.documentElement.dataset.focus), 'in the menu');
  });
});

/** In the page: sets `data-focus` on `<html>` when a menu comes, before the browser handles another event. */
function noteFocusInMenu(): void {
  new MutationObserver((_, observer) => {
    const menu = document.querySelector('[role="menu"]');
    if (!menu) return;
    observer.disconnect();
    const hasFocus = menu.contains(document.activeElement);
    document.documentElement.dataset.focus = hasFocus ? 'in the menu' : 'elsewhere';
  }).observe(document.body, { childList: true, subtree: true });
}
