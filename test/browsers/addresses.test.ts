import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { assertAccessible } from './axe.ts';
import { onChromium } from './each-browser.ts';
import { arrive, type Person } from './person.ts';
import { startSite } from './site.ts';
import { untilEqual, waitFor } from './waiting.ts';
import { waitForWorker } from './worker-page.ts';

onChromium('An unknown address', (browser) => {
  test('is answered with 404 and shows that nothing is there, with and without a session', async (t) => {
    const site = await startSite(t);
    await site.join('alice');
    const alice = await arrive(t, browser(), site, 'alice');
    const { page } = alice;
    const unknown = ['/nowhere', '/people/', '/settings/nowhere', '/chat/a/b', '/people/%ED%A0%80'];
    alice.faults.expect(/^404 GET \/(?:nowhere|people\/|settings\/nowhere|chat\/a\/b|people\/%ED%A0%80)$/);
    const open = async (path: string) => {
      const answer = await page.goto(site.url + path);
      assert.equal(answer?.status(), 404, path);
      await alice.find('leave-not-found');
      assert.equal(page.url(), site.url + path);
    };
    for (const path of unknown) await open(path);
    await assertAccessible(page, 'an unknown address without a session');
    await waitFor('the title', async () => (await page.title()) === 'Not found · Doorman');
    await alice.click('leave-not-found');
    await alice.signIn();
    // The unknown address is not where the sign-in leads.
    await waitFor('the chats', () => page.url() === `${site.url}/`);

    await waitForWorker(page);
    for (const path of unknown) await open(path);
    await alice.find('nav-people');
    await alice.click('leave-not-found');
    await waitFor('the chats', () => page.url() === `${site.url}/`);
    const answer = await page.evaluate(async () => {
      const { status, headers } = await fetch('/people/%ED%A0%80');
      return `${status} ${headers.get('content-type')}`;
    });
    alice.faults.expect(/^400 GET \/people\/%ED%A0%80$/);
    assert.equal(answer, '400 application/json; charset=utf-8');
  });
});

onChromium('The address of the list of people', (browser) => {
  test('says its filter and its search: Back, reload and links keep them', async (t) => {
    const site = await startSite(t, { crowd: 150 });
    await site.join('alice');
    const alice = await arrive(t, browser(), site, 'alice');
    const { page } = alice;
    const isAt = (path: string) =>
      waitFor(`the address ${path}, not ${page.url()}`, () => page.url() === site.url + path);
    const hasRow = (row: string) => waitFor(`the row ${row}`, async () => (await rows(page)).includes(row));

    // A link is opened after the sign-in.
    await page.goto(`${site.url}/people?show=online&q=nobody`);
    await signInHere(alice);
    await isAt('/people?show=online&q=nobody');
    await alice.find('people-search');
    await waitFor('the text', async () => (await typed(page)) === 'nobody');

    // Typing replaces the entry of the history, choosing adds one.
    await page.goto(`${site.url}/people`);
    await alice.find('person-00000000-0000-7000-8000-100000000001');
    const before = await page.evaluate(() => history.length);
    await page.type('[data-testid="people-search"]', 'crowd1');
    await isAt('/people?q=crowd1');
    await hasRow('1/62 crowd1');
    assert.equal(await page.evaluate(() => history.length), before);
    await alice.click('people-filter-friends');
    await isAt('/people?show=friends&q=crowd1');
    assert.equal(await page.evaluate(() => history.length), before + 1);
    await page.goBack();
    await hasRow('1/62 crowd1');
    await isAt('/people?q=crowd1');
    await page.goForward();
    await waitFor('the filter', async () => (await chosen(page)) === 'people-filter-friends');
    await page.goBack();
    await page.reload();
    await hasRow('1/62 crowd1');
    assert.equal(await typed(page), 'crowd1');
    // A name that is the username is not repeated below it.
    assert.doesNotMatch(await textOf(page, 'person-00000000-0000-7000-8000-100000000001'), /@/);

    // A profile beside the list keeps it, and Back finds its place; also from a chat, which takes the list away.
    for (const [link, shown] of [
      ['picture', 'profile'],
      ['person', 'composer'],
    ] as const) {
      await scrollTo(page, 1_200);
      const id = await waitFor('the row', () => idOfRow(page, 24));
      await alice.click(`${link}-${id}`);
      await alice.find(shown);
      if (shown === 'profile') {
        await isAt(`/people/${id}?q=crowd1`);
        assert.doesNotMatch(await textOf(page, 'profile'), /@crowd/);
        await page.setViewport({ width: 390, height: 800 });
        await page.locator('[data-pane="page"] header a').click();
        await isAt('/people?q=crowd1');
        await waitFor('the same place', async () => Math.abs((await scrolled(page)) - 1_200) < 2);
        await page.setViewport({ width: 1280, height: 800 });
        await page.goBack();
        await alice.find('profile');
        await page.reload();
        await hasRow('1/62 crowd1');
        await scrollTo(page, 1_200);
      }
      await page.goBack();
      await isAt('/people?q=crowd1');
      await waitFor('the same place', async () => Math.abs((await scrolled(page)) - 1_200) < 2);
      await untilEqual(() => idOfRow(page, 24), id);
    }

    // The navigation leads to the list as it was left, and from there to everyone.
    await alice.click('nav-chats');
    await alice.find('find-people', 'list-find-people');
    await alice.click('nav-people');
    await isAt('/people?q=crowd1');
    await alice.click('nav-people');
    await isAt('/people');
    await hasRow('1/151 crowd1');
    assert.equal(await typed(page), '');
    // A link that is followed at once leaves the address of what was typed.
    await alice.fill('[data-testid="people-search"]', 'crowd77');
    await alice.click('nav-chats');
    await alice.find('find-people', 'list-find-people');
    await page.goBack();
    await isAt('/people?q=crowd77');
    await hasRow('1/1 crowd77');
  });

  test('leads to friend requests from the chats, and takes what anybody writes into it', async (t) => {
    const site = await startSite(t);
    const alice = await arrive(t, browser(), site, 'alice');
    const { page } = alice;
    // A text without a letter or digit, which may be a whole username.
    alice.faults.expect(/^400 GET \/api\/users\?q=%EF%BF%BD/);
    await alice.signUp();
    const bob = await site.join('bob');
    const isAt = (path: string) =>
      waitFor(`the address ${path}, not ${page.url()}`, () => page.url() === site.url + path);
    assert.equal((await site.post('/api/friends/request', { userId: alice.id }, bob.token)).status, 200);
    await alice.find('friend-requests');
    // The badge is of requests that the user has not seen.
    await waitFor('the badge', () => page.$('[data-testid="nav-people"][href="/people?show=requests"]'));
    await alice.click('friend-requests');
    await alice.find(`accept-${bob.id}`);
    await isAt('/people?show=requests');
    await alice.click('people-filter-all');
    await alice.click('nav-chats');
    await waitFor('no badge', () => page.$('[data-testid="nav-people"][href="/people"]'));

    for (const [path, kept, filter] of [
      ['/people?show=requests', '/people?show=requests', 'requests'],
      ['/people?q=x&show=friends', '/people?q=x&show=friends', 'friends'],
      ['/people?show=everyone&q=%00', '/people?show=everyone&q=%00', 'all'],
      ['/people?q=%ED%A0%80&show=', '/people?q=%ED%A0%80&show=', 'all'],
      [`/people?q=${'x'.repeat(10_000)}`, `/people?q=${'x'.repeat(10_000)}`, 'all'],
    ] as const) {
      await page.goto(site.url + path);
      await alice.find('people-search');
      await isAt(kept);
      assert.equal(await chosen(page), `people-filter-${filter}`, path.slice(0, 50));
      await waitFor('an answer', async () => !(await page.$('[data-pane="list"] [aria-busy="true"]')));
    }
    assert.equal(await typed(page), 'x'.repeat(64));
  });
});

/** Signs in without loading the page again. */
async function signInHere(person: Person): Promise<void> {
  await person.page.waitForSelector('[name="username"]');
  if (!person.page.url().endsWith('/sign-in')) await person.click('other-way');
  await waitFor('the form', () => person.page.url().endsWith('/sign-in'));
  await person.fill('[name="username"]', person.username);
  await person.fill('[name="password"]', person.password);
  await person.page.keyboard.press('Enter');
  await person.find('own-profile');
}

/** The rows of the list: position, size of the list, and name. */
async function rows(page: Page): Promise<string[]> {
  return page.$$eval('[data-pane="list"] li[aria-posinset]', (all) =>
    all.map((row) => {
      const name = row.querySelector('bdi')?.textContent;
      return `${row.getAttribute('aria-posinset')}/${row.getAttribute('aria-setsize')} ${name}`;
    }),
  );
}

/** The user in the row at this position of the list. */
async function idOfRow(page: Page, position: number): Promise<string | undefined> {
  const link = await page.$(`[data-pane="list"] li[aria-posinset="${position}"] > a`);
  return link?.evaluate((row) => row.dataset.testid?.replace('person-', ''));
}

async function typed(page: Page): Promise<string> {
  return page.$eval('[data-testid="people-search"]', (field) => (field as HTMLInputElement).value);
}

/** The test id of the chosen filter. */
async function chosen(page: Page): Promise<string | undefined> {
  return page.$eval(
    '[data-testid^="people-filter-"]:has(:checked)',
    (filter) => (filter as HTMLElement).dataset.testid,
  );
}

async function textOf(page: Page, testId: string): Promise<string> {
  return page.$eval(`[data-testid="${testId}"]`, (element) => (element as HTMLElement).innerText.trim());
}

async function scrollTo(page: Page, pixels: number): Promise<void> {
  await page.$eval('[data-testid="people-scroller"]', (scroller, top) => scroller.scrollTo({ top }), pixels);
}

async function scrolled(page: Page): Promise<number> {
  return page.$eval('[data-testid="people-scroller"]', (scroller) => scroller.scrollTop);
}
