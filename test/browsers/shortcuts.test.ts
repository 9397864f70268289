import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertFits } from './appearance.ts';
import { assertAccessible } from './axe.ts';
import { onChromium } from './each-browser.ts';
import type { Person } from './person.ts';
import { hasFocus, openChat, startTalk, textOf } from './talk.ts';
import { untilEqual, waitFor } from './waiting.ts';

const COMPOSER = '[data-testid="composer"]';
const FIELD = '[data-testid="go-to-field"]';

onChromium('The keyboard', (browser) => {
  test('goes to anyone from the composer, through the conversations, and to the list', async (t) => {
    const talk = await startTalk(t);
    const { site, alice, bob, write } = talk;
    const [carol, dave] = [await site.join('carol'), await site.join('dave')];
    await write(bob, alice, 'hi');
    await write(carol, alice, 'hi');
    const her = await openChat(t, browser(), talk);
    const { keyboard } = her.page;
    await waitFor('the focus', () => hasFocus(her.page, COMPOSER));
    await keyboard.type('half a');

    await press(her, 'Control', 'k');
    await waitFor('the field', () => hasFocus(her.page, FIELD));
    const all = [carol, bob, dave].map(({ id }) => `go-to-${id}`);
    await waitFor('all three', async () => (await shown(her)).join() === all.join());
    await keyboard.press('ArrowDown');
    assert.match((await chosen(her)) ?? '', /bob/);
    await press(her, 'Control', 'k');
    await keyboard.press('Escape');
    await waitFor('the composer', () => hasFocus(her.page, COMPOSER));
    await waitFor('the dialog to go', async () => (await her.page.$('dialog')) === null);

    await press(her, 'Control', 'k');
    await waitFor('the field', () => hasFocus(her.page, FIELD));
    await keyboard.type('DAV');
    await waitFor('Dave alone', async () => (await shown(her)).join() === `go-to-${dave.id}`);
    await keyboard.press('Enter');
    await waitFor('the chat', () => her.page.url().endsWith(`/chat/${dave.id}`));
    await waitFor('its composer', () => hasFocus(her.page, COMPOSER));

    // The list is Carol, Bob; the one with Dave has no message.
    await press(her, 'Alt', 'ArrowDown');
    await isOpen(her, carol.id);
    await waitFor('its composer', () => hasFocus(her.page, COMPOSER));
    await press(her, 'Alt', 'ArrowDown');
    await isOpen(her, bob.id);
    await untilEqual(
      () => her.page.$eval(COMPOSER, (field) => (field as HTMLTextAreaElement).value),
      'half a',
    );
    await press(her, 'Alt', 'ArrowUp');
    await isOpen(her, carol.id);
    await write(dave, alice, 'one', 'two');
    await her.find(`conversation-${dave.id}`);
    await waitFor('both unread', async () => /2 unread/.test(await textOf(her.page, row(dave.id))));
    await press(her, 'Alt', 'Shift', 'ArrowDown');
    await isOpen(her, dave.id);

    await waitFor('its composer', () => hasFocus(her.page, COMPOSER));
    await keyboard.press('Escape');
    await waitFor('the row', () => hasFocus(her.page, row(dave.id)));
    // A row would take the arrow without Alt.
    await press(her, 'Alt', 'ArrowDown');
    await isOpen(her, carol.id);
  });

  test('finds by names in every script, and opens nothing over a dialog or within an input method', async (t) => {
    const talk = await startTalk(t);
    const { site, alice, bob, write } = talk;
    const carol = await site.join('carol');
    await site.post('/api/user/profile', { nickname: 'ليلى الخيّاط' }, bob.token);
    await site.post('/api/user/profile', { nickname: 'Ｗ'.repeat(32) }, carol.token);
    await write(carol, alice, 'hi');
    await write(bob, alice, 'hi');
    const her = await openChat(t, browser(), talk);
    const { keyboard } = her.page;
    await waitFor('the focus', () => hasFocus(her.page, COMPOSER));
    await her.page.setViewport({ width: 320, height: 568 });
    await press(her, 'Control', 'k');
    await waitFor('the field', () => hasFocus(her.page, FIELD));
    assert.equal(await her.page.$eval(FIELD, (field) => field.ariaLabel), 'Go to a person');
    await assertFits(her.page, 'the dialog that goes to anyone');
    await assertAccessible(her.page, 'the dialog that goes to anyone');
    await her.fill(FIELD, 'ليلى');
    await waitFor('Leila alone', async () => (await shown(her)).join() === `go-to-${bob.id}`);
    await her.fill(FIELD, 'no one of this name');
    await waitFor('nobody', async () => (await shown(her)).length === 0);
    await assertAccessible(her.page, 'the same without results');
    await her.fill(FIELD, 'ＷＷ');
    await waitFor('Carol alone', async () => (await shown(her)).join() === `go-to-${carol.id}`);
    const keys = await her.page.createCDPSession();
    const enter = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 229 } as const;
    await keys.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...enter });
    await keys.send('Input.dispatchKeyEvent', { type: 'keyUp', ...enter });
    assert.ok(await hasFocus(her.page, FIELD));
    await her.page.locator(`[data-testid="go-to-${carol.id}"]`).click();
    await isOpen(her, carol.id);
    await her.page.setViewport({ width: 1280, height: 800 });

    await her.click('menu');
    await her.click('menu-block');
    await her.find('confirm-dialog');
    await press(her, 'Control', 'k');
    await keyboard.press('?');
    assert.equal((await her.page.$$('dialog')).length, 1);
    await keyboard.press('Escape');
    await waitFor('the button of the menu', () => hasFocus(her.page, '[data-testid="menu"]'));
    await keyboard.press('?');
    await her.find('shortcuts');
    await assertAccessible(her.page, 'the list of shortcuts');
    assert.match(await textOf(her.page, '[data-testid="shortcuts"]'), /Go to a person\s*Ctrl\s*K/);
    await keyboard.press('Escape');
    await waitFor('the button again', () => hasFocus(her.page, '[data-testid="menu"]'));
    await her.page.focus(COMPOSER);
    await keyboard.type('?');
    assert.equal(await her.page.$eval(COMPOSER, (field) => (field as HTMLTextAreaElement).value), '?');

    await her.click('nav-settings');
    await her.click('open-shortcuts');
    await her.find('shortcuts');
    await her.click('close-shortcuts');
    await waitFor('the button', () => hasFocus(her.page, '[data-testid="open-shortcuts"]'));
  });
});

/** Presses the last key while the others are held. */
async function press({ page }: Person, ...keys: Parameters<Person['page']['keyboard']['press']>[0][]) {
  const held = keys.slice(0, -1);
  for (const key of held) await page.keyboard.down(key);
  await page.keyboard.press(keys.at(-1) ?? 'Enter');
  for (const key of held.reverse()) await page.keyboard.up(key);
}

/** The test ids of the rows in the dialog. */
function shown({ page }: Person): Promise<(string | undefined)[]> {
  return page.$$eval('[role="option"]', (all) => all.map((one) => (one as HTMLElement).dataset.testid));
}

/** The text of the row that the field names as chosen. */
function chosen({ page }: Person): Promise<string | null | undefined> {
  return page.$eval(
    '[data-testid="go-to-field"]',
    (field) => document.getElementById(field.getAttribute('aria-activedescendant') ?? '')?.textContent,
  );
}

async function isOpen({ page }: Person, id: string): Promise<void> {
  await waitFor(`the chat with ${id}`, () => page.url().endsWith(`/chat/${id}`));
}

function row(id: string): string {
  return `[data-testid="conversation-${id}"]`;
}
