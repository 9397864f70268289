import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { appear, assertFits, comeToRest } from './appearance.ts';
import { assertAccessible } from './axe.ts';
import { onChromium } from './each-browser.ts';
import { arrive } from './person.ts';
import { startSite } from './site.ts';
import { waitFor } from './waiting.ts';

onChromium('A toast', (browser) => {
  test('appears in the pane of its cause, over neither the cause nor the composer', async (t) => {
    const site = await startSite(t);
    const [bob, carol] = [await site.join('bob'), await site.join('carol')];
    const alice = await arrive(t, browser(), site, 'alice');
    await alice.signUp();
    const { page } = alice;
    await site.post('/api/friends/request', { userId: alice.id }, carol.token);
    await site.post('/api/friends/request', { userId: alice.id }, bob.token);
    await alice.click('nav-people');
    await alice.click('people-filter-requests');
    // The lower one moves up when the upper one is answered.
    const cause = await page.waitForSelector(`[data-testid="accept-${carol.id}"]`);
    const accepted = (await cause?.boundingBox()) ?? assert.fail();
    await alice.click(`accept-${carol.id}`);
    const inList = await toastBox(page);
    assert.ok(isInside(inList, await boxOf(page, '[data-pane="list"]')), JSON.stringify(inList));
    assert.ok(!overlaps(inList, accepted), JSON.stringify({ inList, accepted }));
    // It stays beside a profile, as the list does, and goes with the list. Under the pointer it would stay on its own.
    await page.hover('[data-testid="toasts"] [data-kind]');
    await press(page, `picture-${bob.id}`);
    await alice.find('profile');
    assert.ok(await page.$('[data-testid="toasts"] [data-kind]'));
    await press(page, 'nav-chats');
    await waitFor('it to go', async () => (await page.$('[data-testid="toasts"] [data-kind]')) === null);

    for (const width of [1280, 820, 390]) {
      await appear(t, browser(), page, { width, height: 800 });
      await page.goto(`${site.url}/chat/${bob.id}`);
      await alice.find('composer');
      await alice.fill('[data-testid="composer"]', 'line\nline\nline\nline');
      await alice.choose('block');
      const blocked = await toastBox(page);
      const where = `${width}: ${JSON.stringify(blocked)}`;
      assert.ok(isInside(blocked, await boxOf(page, '[data-pane="page"]')), where);
      for (const other of ['[data-pane="page"] header', '[data-floor]', 'nav'])
        assert.ok(!overlaps(blocked, await boxOf(page, other)), `${other} at ${where}`);
      await alice.choose('unblock');
      await alice.find('composer');
      // The composer has four lines again, and the toast is above it.
      await comeToRest(page);
      assert.ok(!overlaps(await toastBox(page), await boxOf(page, '[data-floor]')), where);
      if (width === 390) await assertAccessible(page, 'toasts');
      await closeToasts(page);
    }

    await page.goto(`${site.url}/settings/profile`);
    await alice.find('gender');
    await alice.fill('[name="nickname"]', 'Alice L.');
    const bar = await boxOf(page, '[data-floor]');
    await alice.click('save-profile');
    await waitFor('the bar to go', async () => (await page.$('[data-floor]')) === null);
    await comeToRest(page);
    const saved = await toastBox(page);
    assert.ok(!overlaps(saved, bar), JSON.stringify({ saved, bar }));
    assert.ok(isInside(saved, await boxOf(page, '[data-pane="page"]')));
    // Escape on its button closes it.
    await page.focus('[data-kind="said"] button');
    await page.keyboard.press('Escape');
    await waitFor('it to go', async () => (await page.$('[data-kind="said"]')) === null);
  });
});

onChromium('A question', (browser) => {
  test('names the user, however long or in which direction their name is', async (t) => {
    const site = await startSite(t);
    const bob = await site.join('bob');
    const alice = await arrive(t, browser(), site, 'alice');
    await alice.signUp();
    const { page } = alice;
    const title = () => page.$eval('dialog h2', (heading) => heading.textContent);
    await appear(t, browser(), page, { width: 320, height: 568, languages: 'en-US,en' });
    for (const nickname of ['Bob', 'ليلى الخيّاط', 'Ｗ'.repeat(32)]) {
      await site.post('/api/user/profile', { nickname }, bob.token);
      await page.goto(`${site.url}/people/${bob.id}`);
      await alice.click('block');
      await alice.find('confirm-dialog');
      // Isolated, as a right-to-left name would take the question mark to its other side.
      assert.equal(await title(), `Block \u2068${nickname}\u2069?`);
      await assertFits(page, `the question about ${nickname}`);
      await alice.click('confirm-no');
    }
    await assertAccessible(page, 'a profile with a wide name');
    await site.post('/api/friends/request', { userId: bob.id }, (await signIn()).token);
    await site.post('/api/friends/accept', { userId: alice.id }, bob.token);
    await alice.click('friend-remove');
    await alice.find('confirm-dialog');
    assert.match((await title()) ?? '', /^Remove \u2068Ｗ+\u2069 from your friends\?$/);
    await alice.confirm();
    await waitFor('what was done', async () =>
      /^\u2068Ｗ+\u2069 removed\.$/.test(
        await page.$eval('[data-testid="toasts"]', (toasts) => toasts.textContent),
      ),
    );
    await alice.click('block');
    await alice.confirm();
    await alice.click('unblock');
    await alice.find('confirm-dialog');
    assert.match((await title()) ?? '', /^Unblock \u2068Ｗ+\u2069\?$/);

    async function signIn(): Promise<{ token: string }> {
      const { username, password } = alice;
      return (await site.post('/api/login', { username, password })).body.data;
    }
  });
});

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Without the pointer. */
async function press(page: Page, testId: string): Promise<void> {
  await page.$eval(`[data-testid="${testId}"]`, (element) => (element as HTMLElement).click());
}

/** The last toast, once it is there. */
async function toastBox(page: Page): Promise<Box> {
  await page.waitForSelector('[data-testid="toasts"] [data-kind]');
  return boxOf(page, '[data-testid="toasts"] [data-kind]:last-child');
}

function boxOf(page: Page, selector: string): Promise<Box> {
  return page.$eval(selector, (element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return { x, y, width, height };
  });
}

function isInside(inner: Box, outer: Box): boolean {
  const right = inner.x + inner.width <= outer.x + outer.width;
  const below = inner.y + inner.height <= outer.y + outer.height;
  return inner.x >= outer.x && inner.y >= outer.y && right && below;
}

function overlaps(one: Box, other: Box): boolean {
  const across = one.x < other.x + other.width && other.x < one.x + one.width;
  return across && one.y < other.y + other.height && other.y < one.y + one.height;
}

async function closeToasts(page: Page): Promise<void> {
  await page.$$eval('[data-testid="toasts"] [data-kind] button', (all) => {
    for (const button of all) button.click();
  });
  await waitFor('no toast', async () => (await page.$('[data-testid="toasts"] [data-kind]')) === null);
}
