import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { addMessages } from '../long-lists.ts';
import { appear, assertFits } from './appearance.ts';
import { assertAccessible } from './axe.ts';
import { onChromium } from './each-browser.ts';
import { setOffline } from './offline.ts';
import { arrive, type Person } from './person.ts';
import type { RunningBrowser } from './running-browser.ts';
import type { Account } from './site.ts';
import { bodies, lineTop, openChat, startTalk, waitForEnd } from './talk.ts';
import { untilEqual, waitFor } from './waiting.ts';

const ARCHIVED = 'Archived';

onChromium('How a user keeps conversations', (browser) => {
  test('is chosen in the menu of a row, by mouse and by keyboard, and its marks are words too', async (t) => {
    const { her, bob, carol, dan, rows, choose, marks } = await meet(t, browser());
    const { page } = her;
    await untilEqual(rows, ['dan', 'carol', 'bob']);
    await choose(bob, 'pin');
    await untilEqual(rows, ['bob', 'dan', 'carol']);
    await untilEqual(() => marks(bob), ['pinned', '1 unread']);

    // By keyboard alone.
    await page.focus(rowOf(carol));
    await page.keyboard.press('ContextMenu');
    await her.find('conversation-menu');
    await assertAccessible(page, 'the menu of a conversation');
    await page.keyboard.press('Escape');
    await waitFor('no menu', async () => (await page.$('[data-testid="conversation-menu"]')) === null);
    assert.equal(await focused(her), `conversation-${carol.id}`);
    await page.keyboard.down('Shift');
    await page.keyboard.press('F10');
    await page.keyboard.up('Shift');
    await her.find('menu-mute');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await her.find('mute-dialog');
    await assertAccessible(page, 'the dialog that mutes');
    assert.match(await page.title(), /\(3\)/);
    await page.focus('[data-testid="mute-always"]');
    await page.keyboard.press('Enter');
    await untilEqual(() => marks(carol), ['muted', '1 unread']);
    await waitFor('the title without it', async () => /\(2\)/.test(await page.title()));
    await untilEqual(() => focused(her), `conversation-${carol.id}`);

    await choose(carol, 'unmute');
    await untilEqual(() => marks(carol), ['1 unread']);
    await choose(dan, 'markRead');
    await untilEqual(() => marks(dan), []);
    await choose(dan, 'markUnread');
    await untilEqual(() => marks(dan), ['marked as unread']);
    await her.click(`conversation-${dan.id}`);
    await untilEqual(() => marks(dan), []);
    await choose(bob, 'unpin');
    await untilEqual(rows, ['dan', 'carol', 'bob']);
  });

  test('archived ones are behind an entry below the pinned ones, in a list of their own', async (t) => {
    const { her, write, alice, bob, carol, dan, rows, choose } = await meet(t, browser());
    const { page } = her;
    await choose(dan, 'pin');
    await choose(bob, 'archive');
    await waitFor('the toast', async () => /bob.* is archived/.test(await textOfToasts(her)));
    await untilEqual(rows, ['dan', ARCHIVED, 'carol']);
    await assertAccessible(page, 'the list with archived conversations');

    // The entry is a row like the others.
    await page.focus(rowOf(dan));
    await page.keyboard.press('ArrowDown');
    assert.equal(await focused(her), 'archived');
    await page.keyboard.press('Enter');
    await waitFor('its address', () => page.url().endsWith('/archived'));
    await untilEqual(rows, ['bob']);
    await her.click(`conversation-${bob.id}`);
    await her.find('composer');
    assert.deepEqual(await rows(), ['bob'], 'the list stays beside it');
    await page.reload();
    await untilEqual(rows, ['bob']);
    await choose(bob, 'unarchive');
    await untilEqual(rows, ['dan', 'carol', 'bob']);

    await choose(carol, 'archive');
    await untilEqual(rows, ['dan', ARCHIVED, 'bob']);
    await write(carol, alice, 'again');
    await untilEqual(rows, ['dan', 'carol', 'bob']);
    await page.goto(new URL('/archived', page.url()).href);
    await her.find('no-archived');
    await assertAccessible(page, 'no archived conversations');
  });

  test('one that is deleted after a question is gone for its user alone, from both menus', async (t) => {
    const { her, site, alice, bob, carol, rows, choose } = await meet(t, browser());
    await choose(bob, 'delete');
    await her.page.click('[data-testid="confirm-no"]');
    assert.deepEqual(await rows(), ['dan', 'carol', 'bob']);
    await choose(bob, 'delete');
    await her.confirm();
    await untilEqual(rows, ['dan', 'carol']);
    await her.click(`conversation-${carol.id}`);
    await her.waitForMessage('from carol');
    await her.click('menu');
    await her.click('menu-delete');
    await assertAccessible(her.page, 'the question before a conversation is deleted');
    await her.confirm();
    await waitFor('the list', () => new URL(her.page.url()).pathname === '/');
    await untilEqual(rows, ['dan']);
    const { body } = await site.get(`/api/messages?peer=${alice.id}`, carol.token);
    assert.equal(body.data.items[0].body, 'from carol');
    await her.openChat(carol);
    await her.find('beginning');
    assert.deepEqual(await her.messages(), []);
  });

  test('one that leaves its list while it is being deleted is deleted as a whole', async (t) => {
    const { her, site, write, alice, bob, dan, rows, choose } = await meet(t, browser());
    await write(bob, alice, 'two');
    // A row that still moves is not the one under the pointer.
    await untilEqual(rows, ['bob', 'dan', 'carol']);
    await choose(bob, 'archive');
    await untilEqual(rows, [ARCHIVED, 'dan', 'carol']);
    await choose(dan, 'archive');
    await untilEqual(rows, [ARCHIVED, 'carol']);
    await her.click('archived');
    await untilEqual(rows, ['bob', 'dan']);
    await choose(bob, 'delete');
    await her.find('confirm-dialog');
    await write(bob, alice, 'three');
    await untilEqual(rows, ['dan']);
    await her.confirm();
    await waitFor('no message', async () => {
      const { body } = await site.get(`/api/messages?peer=${bob.id}`, alice.token);
      return body.data.items.length === 0;
    });
  });

  test('without a connection the menu of a row has no entry to choose, and keys close it', async (t) => {
    const { her, site, bob, rows } = await meet(t, browser());
    const { page } = her;
    const erin = await site.join('erin');
    await her.openChat(erin);
    await her.find('composer');
    await setOffline(browser(), page, true);
    await her.write('later');
    await waitFor('her row', async () => (await rows()).length === 4);
    await page.locator(rowOf(bob)).click({ button: 'right' });
    await her.find('conversation-menu');
    assert.equal(await focused(her), 'conversation-menu');
    await page.keyboard.press('Escape');
    await waitFor('no menu', async () => (await page.$('[data-testid="conversation-menu"]')) === null);
    assert.equal(await focused(her), `conversation-${bob.id}`);
    // Nothing of it is stored.
    await page.locator(rowOf(erin)).click({ button: 'right' });
    assert.equal(await page.$('[data-testid="conversation-menu"]'), null);
  });

  test('has its menu in the open chat on a phone, and who archives or marks it leaves it', async (t) => {
    const { her, bob, dan, rows, marks } = await meet(t, browser());
    await appear(t, browser(), her.page, { width: 320, height: 640, scheme: 'dark' });
    await her.click(`conversation-${dan.id}`);
    await her.waitForMessage('from dan');
    await her.click('menu');
    await her.find('menu-archive');
    await assertFits(her.page, 'the menu of a chat, 320');
    await assertAccessible(her.page, 'the menu of a chat, 320');
    await her.click('menu-markUnread');
    await waitFor('the list', () => new URL(her.page.url()).pathname === '/');
    await untilEqual(() => marks(dan), ['marked as unread']);
    await assertFits(her.page, 'the list, 320');
    await her.click(`conversation-${bob.id}`);
    await her.waitForMessage('from bob');
    await her.click('menu');
    await her.click('menu-archive');
    await untilEqual(rows, [ARCHIVED, 'dan', 'carol']);
    await assertFits(her.page, 'the list with archived conversations, 320');
    await assertAccessible(her.page, 'the list with archived conversations, 320');
    await her.click('archived');
    await her.click(`conversation-${bob.id}`);
    await her.find('composer');
    await her.page.click('[data-pane="page"] header a');
    await waitFor('its list', () => new URL(her.page.url()).pathname === '/archived');
  });

  test('one opens at its first unread message, with a button to the end that shows the count', async (t) => {
    const talk = await startTalk(t);
    const { alice, bob, fill } = talk;
    await fill((db) => addMessages(db, alice.id, bob.id, bodies(60)));
    const unread = Array.from({ length: 40 }, (_, i) => `unread ${i + 1}`);
    await talk.read(alice, bob, 60);
    await talk.write(bob, alice, ...unread);
    const { page } = await openChat(t, browser(), talk);
    const top = await waitFor('the line', () => lineTop(page));
    assert.ok(top > 0 && top < 400, `${top}`);
    const button = await page.waitForSelector('[data-testid="to-newest"]');
    assert.match((await button?.evaluate(({ textContent }) => textContent)) ?? '', /40 new messages/);
    await button?.click();
    await waitForEnd(page);
  });
});

/** Alice at her page, and Bob, Carol and Dan, each of whom has written to her. */
async function meet(t: TestContext, browser: RunningBrowser) {
  const talk = await startTalk(t);
  const { site, alice, bob, write } = talk;
  const [carol, dan] = [await site.join('carol'), await site.join('dan')];
  for (const one of [bob, carol, dan]) await write(one, alice, `from ${one.username}`);
  const her = await arrive(t, browser, site, 'alice');
  await her.signIn();
  await her.find(`conversation-${bob.id}`);
  const names = new Map([bob, carol, dan].map(({ id, username }) => [`conversation-${id}`, username]));
  return {
    ...talk,
    her,
    carol,
    dan,
    /** The list beside the page, from top to bottom. */
    rows: () =>
      her.page
        .$$eval('[data-testid="conversations"] li', (all) =>
          all
            .sort((one, other) => Number(one.ariaPosInSet) - Number(other.ariaPosInSet))
            .map((row) => row.querySelector('a')?.dataset.testid ?? ''),
        )
        .then((all) => all.map((testId) => names.get(testId) ?? (testId === 'archived' ? ARCHIVED : testId))),
    /** By the menu of its row. */
    choose: async (one: Account, item: string) => {
      await her.page.locator(rowOf(one)).click({ button: 'right' });
      await her.click(`menu-${item}`);
    },
    /** What the end of a row says, in words. */
    marks: (one: Account) =>
      her.page.$eval(`${rowOf(one)} [data-testid="marks"]`, (end) =>
        [...end.children].map((mark) => mark.ariaLabel ?? mark.lastChild?.textContent ?? ''),
      ),
  };
}

function rowOf({ id }: Account): string {
  return `[data-testid="conversation-${id}"]`;
}

function focused({ page }: Person): Promise<string | undefined> {
  return page.evaluate(() => {
    const { activeElement } = document;
    return activeElement instanceof HTMLElement ? activeElement.dataset.testid : undefined;
  });
}

function textOfToasts({ page }: Person): Promise<string> {
  return page.$eval('[data-testid="toasts"]', ({ textContent }) => textContent ?? '').catch(() => '');
}
