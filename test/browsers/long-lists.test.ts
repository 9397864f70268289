import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'puppeteer-core';
import type { Db } from '../../src/db/db.ts';
import { addBlocks, addConversations, addFriends } from '../long-lists.ts';
import { addCrowd } from '../people.ts';
import { onChromium } from './each-browser.ts';
import { arrive } from './person.ts';
import { startSite } from './site.ts';
import { textOf } from './talk.ts';
import { waitFor } from './waiting.ts';

onChromium('Lists that are longer than a page of the service', (browser) => {
  test('are loaded completely by scrolling: conversations, requests and blocked users', async (t) => {
    const dbs: Db[] = [];
    const site = await startSite(t, { opened: ({ db }) => void dbs.push(db) });
    const alice = await site.join('alice');
    const db = dbs[0] ?? assert.fail();
    const crowd = await addCrowd(db, 740);
    const chats = await addConversations(db, alice.id, crowd.slice(0, 500));
    const asked = await addFriends(db, alice.id, crowd.slice(0, 240), 'asked');
    const blocked = await addBlocks(db, alice.id, crowd.slice(500));

    const her = await arrive(t, browser(), site, 'alice');
    await her.signIn();
    await her.find(`conversation-${chats[0]}`);
    await scrollToEnd(her.page, '[data-testid="conversations"]', `conversation-${chats.at(-1)}`);
    assert.equal(
      await her.page.$eval('[data-testid="conversations"] li:last-child', (row) => row.ariaSetSize),
      '500',
    );
    await her.click(`conversation-${chats.at(-1)}`);
    await her.find('messages');
    await waitFor('the message', async () =>
      (await textOf(her.page, '[data-testid="messages"]')).includes('hi 0'),
    );

    await her.click('nav-people');
    await her.click('people-filter-requests');
    await scrollToEnd(her.page, '[data-testid="people-scroller"]', `accept-${asked.at(-1)}`);

    await her.page.goto(`${site.url}/settings/blocked`);
    await her.find(`blocked-${blocked[0]}`);
    await waitFor('the last row', async () => {
      await her.page.$$eval('[data-testid^="blocked-"]', (rows) => rows.at(-1)?.scrollIntoView());
      return her.page.$(`[data-testid="blocked-${blocked.at(-1)}"]`);
    });
  });
});

/** Scrolls a growing list to its end until this row is there. */
async function scrollToEnd(page: Page, list: string, row: string): Promise<void> {
  await waitFor(`the row ${row}`, async () => {
    await page.$eval(list, (element) => element.scrollTo(0, element.scrollHeight));
    return page.$(`[data-testid="${row}"]`);
  });
}
