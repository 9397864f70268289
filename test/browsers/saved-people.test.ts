import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { assertAccessible } from './axe.ts';
import { onChromium } from './each-browser.ts';
import { arrive } from './person.ts';
import { startSiteProcess } from './site.ts';
import { isKept } from './talk.ts';
import { waitFor } from './waiting.ts';
import { waitForWorker } from './worker-page.ts';

onChromium('The list of people without the service', (browser) => {
  test('shows those whom the device knows, and everyone when the connection is back', async (t) => {
    const site = await startSiteProcess(t);
    const alice = await arrive(t, browser(), site, 'alice');
    const { page } = alice;
    await alice.signUp();
    const [bob, carol, dave] = [await site.join('bob'), await site.join('carol'), await site.join('dave')];
    await site.post('/api/user/profile', { nickname: 'Zoe' }, carol.token);
    const message = { to: alice.id, cid: 'c1', body: 'hi' };
    await site.post('/api/messages', message, carol.token);
    await site.post('/api/friends/request', { userId: alice.id }, bob.token);
    await alice.find('friend-requests');
    // The snapshot has the names.
    await page.reload();
    await alice.find('friend-requests');
    await alice.find(`conversation-${carol.id}`);
    await waitFor('her name', async () => (await textOf(page, `conversation-${carol.id}`)).includes('Zoe'));
    await waitForWorker(page);
    await waitFor('what is known to be stored', () => page.evaluate(isKept, 'Zoe'));
    alice.faults.expectOutage();
    await site.kill();
    await page.goto(`${site.url}/people`);
    await alice.find('people-saved');
    await waitFor('them', async () => (await names(page)).join() === 'alice,bob,Zoe');
    assert.match(await textOf(page, `person-${carol.id}`), /Zoe\s+@carol$/);
    assert.equal(await page.$('[data-pane="list"] [data-presence]'), null);
    await assertAccessible(page, 'the people that are saved');
    await alice.fill('[data-testid="people-search"]', 'CAR');
    await waitFor('carol', async () => (await names(page)).join() === 'Zoe');
    await alice.fill('[data-testid="people-search"]', 'dave');
    await waitFor('nobody', async () => (await names(page)).length === 0);
    await alice.fill('[data-testid="people-search"]', '');
    await waitFor('them again', async () => (await names(page)).length === 3);
    // What only the service knows, and what only it can do.
    await alice.click('people-filter-online');
    await alice.find('needs-connection');
    assert.match(await textOf(page, 'needs-connection'), /^You need a connection to see who’s online$/);
    await page.goto(`${site.url}/people/${carol.id}`);
    await page.waitForSelector('[data-testid="friend-request"]:disabled');
    await alice.find('needs-connection');
    assert.match(await textOf(page, 'profile'), /You need a connection to see this profile/);
    assert.equal(await page.$('[data-testid="profile"] [role="alert"]'), null);
    await assertAccessible(page, 'a profile that is not saved');

    await site.start();
    await page.waitForSelector('[data-testid="friend-request"]:enabled');
    await page.waitForSelector('[data-testid="needs-connection"]', { hidden: true });
    await alice.find(`person-${dave.id}`);
    assert.equal(await page.$('[data-testid="people-saved"]'), null);
  });
});

/** The names in the list. */
async function names(page: Page): Promise<string[]> {
  return page.$$eval('[data-pane="list"] li[aria-posinset]', (all) =>
    all.map((row) => row.querySelector('bdi')?.textContent ?? ''),
  );
}

async function textOf(page: Page, testId: string): Promise<string> {
  return page.$eval(`[data-testid="${testId}"]`, (element) => (element as HTMLElement).innerText.trim());
}
