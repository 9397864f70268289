import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAccessible } from './axe.ts';
import { onChromium } from './each-browser.ts';
import { arrive, type Person } from './person.ts';
import { hasFocus, startTalk, textOf } from './talk.ts';
import { untilEqual, waitFor } from './waiting.ts';

const FIELD = '[data-testid="go-to-field"]';
const LIST = '[data-pane="list"]';

onChromium('A search', (browser) => {
  test('finds the same people in the list of chats, in that of people, and by Ctrl+K', async (t) => {
    const { site, alice, bob, write } = await startTalk(t);
    const [carol, dave, han, erin] = await Promise.all(
      ['carol', 'dave', 'han', 'erin'].map((name) => site.join(name)),
    );
    assert.ok(carol && dave && han && erin);
    await site.post('/api/user/profile', { nickname: 'Ada Lovelace' }, bob.token);
    await site.post('/api/user/profile', { nickname: 'Ｗｉｄｅ Zoë' }, carol.token);
    await site.post('/api/user/profile', { nickname: '爱达·勒芙蕾丝' }, han.token);
    await site.post('/api/friends/request', { userId: alice.id }, bob.token);
    await site.post('/api/friends/accept', { userId: bob.id }, alice.token);
    await site.post('/api/user/block', { blockedId: dave.id }, alice.token);
    await write(carol, alice, 'hi');
    const her = await arrive(t, browser(), site, 'alice');
    await her.signIn();
    // The device has the names now.
    await her.click('nav-people');
    await her.find(`person-${han.id}`);

    const questions: [typed: string, found: { id: string }[]][] = [
      ['love', [bob]],
      ['ADA L', [bob]],
      ['love ad', [bob]],
      ['zoe', [carol]],
      ['wide', [carol]],
      ['@CAROL', [carol]],
      ['勒芙', [han]],
      ['eri', [erin]],
      ['dav', [dave]],
      ['alice', []],
      ['no one of this name', []],
    ];
    const places = {
      people: () => her.click('nav-people'),
      chats: () => her.click('nav-chats'),
      'Ctrl+K': async () => {
        await her.page.keyboard.down('Control');
        await her.page.keyboard.press('k');
        await her.page.keyboard.up('Control');
      },
    };
    const fields = {
      people: '[data-testid="people-search"]',
      chats: '[data-testid="conversation-search"]',
      'Ctrl+K': FIELD,
    };
    for (const place of ['people', 'chats', 'Ctrl+K'] as const) {
      await places[place]();
      await her.page.waitForSelector(fields[place]);
      for (const [typed, found] of questions) {
        await her.fill(fields[place], typed);
        const expected = found.map(({ id }) => id).join();
        await waitFor(`${typed} in ${place}`, async () => (await shown(her, place)) === expected);
      }
    }
  });
});

onChromium('A person in a list', (browser) => {
  test('opens the conversation, and their picture the profile, by finger and by key', async (t) => {
    const { site, alice, bob, write } = await startTalk(t);
    await site.post('/api/friends/request', { userId: alice.id }, bob.token);
    const her = await arrive(t, browser(), site, 'alice');
    const { page } = her;
    await page.setViewport({ width: 390, height: 844, isMobile: true, hasTouch: true });
    await her.signIn();
    const isIn = (what: 'chat' | 'people') =>
      waitFor(what, () => new URL(page.url()).pathname === `/${what}/${bob.id}`);
    const back = () => page.locator('[data-pane="page"] header a').click();

    for (const list of ['/people', '/people?q=bob', '/people?show=requests']) {
      await page.goto(site.url + list);
      const picture = await page.waitForSelector(`[data-testid="picture-${bob.id}"]`);
      const { width = 0, height = 0 } = (await picture?.boundingBox()) ?? {};
      assert.ok(width >= 40 && height >= 40, `${width} by ${height} in ${list}`);
      assert.equal(await picture?.evaluate((link) => link.ariaLabel), 'Profile of bob');
      await her.click(`person-${bob.id}`);
      await isIn('chat');
      await page.goto(site.url + list);
      await her.click(`picture-${bob.id}`);
      await isIn('people');
      await back();
      await waitFor('the list', () => page.url() === site.url + list);
    }

    await write(bob, alice, 'hi');
    await page.goto(site.url);
    await her.click(`picture-${bob.id}`);
    await isIn('people');
    await back();
    await waitFor('the list of chats', () => new URL(page.url()).pathname === '/');
    await her.fill('[data-testid="conversation-search"]', 'bob');
    await her.click(`conversation-${bob.id}`);
    await isIn('chat');

    await page.setViewport({ width: 1280, height: 800 });
    await page.goto(`${site.url}/people`);
    await her.find(`person-${bob.id}`);
    const keyboardTo = async (key: 'Enter' | 'Tab') => {
      await page.focus(`[data-testid="person-${bob.id}"]`);
      await page.keyboard.press(key);
    };
    await keyboardTo('Tab');
    await waitFor('the picture', () => hasFocus(page, `[data-testid="picture-${bob.id}"]`));
    await page.keyboard.press('Enter');
    await isIn('people');
    await keyboardTo('Enter');
    await isIn('chat');
  });

  test('is still searched for after Back from their profile', async (t) => {
    const { site, alice, bob, write } = await startTalk(t);
    await write(bob, alice, 'hi');
    await write(await site.join('carol'), alice, 'hello');
    const her = await arrive(t, browser(), site, 'alice');
    await her.page.setViewport({ width: 390, height: 844, isMobile: true, hasTouch: true });
    await her.signIn();
    await her.fill('[data-testid="conversation-search"]', 'bob');
    await waitFor('bob alone', async () => (await shown(her, 'chats')) === bob.id);
    await her.click(`picture-${bob.id}`);
    await her.find('profile');
    await her.page.goBack();
    await waitFor('bob alone again', async () => (await shown(her, 'chats')) === bob.id);
    assert.equal(
      await her.page.$eval(
        '[data-testid="conversation-search"]',
        (field) => (field as HTMLInputElement).value,
      ),
      'bob',
    );
  });

  test('without a conversation is found in the list of chats, where the arrow keys lead to them', async (t) => {
    const { site, alice, bob, write } = await startTalk(t);
    const [bobby, bobine] = [await site.join('bobby'), await site.join('bobine')];
    await write(bob, alice, 'hi');
    const her = await arrive(t, browser(), site, 'alice');
    await her.signIn();
    await her.find(`conversation-${bob.id}`);
    await her.fill('[data-testid="conversation-search"]', 'bob');
    await her.find(`conversation-${bob.id}`);
    await her.find(`person-${bobby.id}`);
    await her.find(`person-${bobine.id}`);
    await assertAccessible(her.page, 'a search in the list of chats');
    await her.page.focus('[data-testid="conversation-search"]');
    const order = await her.page.$$eval(
      `${LIST} :is([data-testid^="conversation-"], [data-testid^="person-"])`,
      (all) => all.map((one) => one.getAttribute('data-testid')).filter((id) => id !== 'conversation-search'),
    );
    assert.equal(order.length, 3);
    for (const id of [...order, ...order.toReversed().slice(1)]) {
      const key = order.indexOf(id) > order.indexOf(await focusedTestId(her)) ? 'ArrowDown' : 'ArrowUp';
      await her.page.keyboard.press(key);
      await untilEqual(() => focusedTestId(her), id);
    }
    await her.fill('[data-testid="conversation-search"]', 'bobb');
    await waitFor('bobby alone', async () => (await shown(her, 'chats')) === bobby.id);
    await her.page.keyboard.press('ArrowDown');
    await untilEqual(() => focusedTestId(her), `person-${bobby.id}`);
    await her.page.keyboard.press('Enter');
    await waitFor('the chat', () => her.page.url().endsWith(`/chat/${bobby.id}`));
  });

  test('is among the first five until a button shows all, with the focus at the sixth', async (t) => {
    const { site, alice, bob, write } = await startTalk(t);
    const names = ['bob1', 'bob2', 'bob3', 'bob4', 'bob5', 'bob6', 'bob7'];
    for (const name of names) await site.join(name);
    await write(bob, alice, 'bobsleigh');
    const her = await arrive(t, browser(), site, 'alice');
    const { page } = her;
    await her.signIn();
    await her.find(`conversation-${bob.id}`);
    await her.fill('[data-testid="conversation-search"]', 'bob');
    const people = () => page.$$eval(`${LIST} [data-testid^="person-"]`, (all) => all.length);
    await her.find('found-more');
    await her.find(`hit-${bob.id}-1`);
    assert.equal(await people(), 5);
    await page.focus('[data-testid="found-more"]');
    await page.keyboard.press('Enter');
    await untilEqual(people, names.length);
    await untilEqual(
      () =>
        page.$$eval(`${LIST} [data-testid^="person-"]`, (all) =>
          all.indexOf(document.activeElement as Element),
        ),
      5,
    );
  });

  test('gets a new message by the pencil above the chats', async (t) => {
    const { site, bob } = await startTalk(t);
    const her = await arrive(t, browser(), site, 'alice');
    await her.signIn();
    await her.click('new-message');
    await waitFor('the field', () => hasFocus(her.page, FIELD));
    assert.equal(await textOf(her.page, '[data-testid="go-to"] h2'), 'New message');
    assert.equal(await her.page.$eval(FIELD, (field) => field.ariaLabel), 'New message');
    await assertAccessible(her.page, 'the dialog for a new message');
    await her.page.keyboard.press('Escape');
    await waitFor('the pencil', () => hasFocus(her.page, '[data-testid="new-message"]'));
    await her.page.keyboard.press('Enter');
    await waitFor('the field again', () => hasFocus(her.page, FIELD));
    await her.page.keyboard.type('bo');
    await her.find(`go-to-${bob.id}`);
    await her.page.keyboard.press('Enter');
    await waitFor('the chat', () => her.page.url().endsWith(`/chat/${bob.id}`));
    await waitFor('the composer', () => hasFocus(her.page, '[data-testid="composer"]'));
  });
});

/** The ids of the users that a search shows, once it has answered. */
async function shown({ page }: Person, place: 'people' | 'chats' | 'Ctrl+K'): Promise<string | undefined> {
  return page.evaluate((place) => {
    const scope = document.querySelector(place === 'Ctrl+K' ? '[data-testid="go-to"]' : '[data-pane="list"]');
    const rows = scope?.querySelectorAll<HTMLElement>('a[data-testid], [role="option"]') ?? [];
    const ids = [...rows].flatMap(
      ({ dataset: { testid = '' } }) => /^(?:person|conversation|go-to)-(.{36})$/.exec(testid)?.[1] ?? [],
    );
    const isEmpty = /No one found|Nothing found/.test(scope?.textContent ?? '');
    return ids.length > 0 || isEmpty ? ids.join() : undefined;
  }, place);
}

function focusedTestId({ page }: Person): Promise<string> {
  return page.evaluate(() => document.activeElement?.getAttribute('data-testid') ?? '');
}
