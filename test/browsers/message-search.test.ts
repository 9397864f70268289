import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { assertAccessible } from './axe.ts';
import { onChromium, onEachBrowser } from './each-browser.ts';
import { setOffline } from './offline.ts';
import { arrive } from './person.ts';
import { hasFocus, openChat, startTalk, textOf } from './talk.ts';
import { untilEqual, waitFor } from './waiting.ts';

const FIELD = '[data-testid="conversation-search"]';
const CHAT_FIELD = '[data-testid="chat-search"]';
const STATUS = '[data-testid="chat-searched"]';

onEachBrowser('A search in messages', (browser) => {
  test('finds them below people and conversations, and opens the conversation around a hit, all by keyboard', async (t) => {
    const { site, alice, bob, write, read } = await startTalk(t);
    const [lunch, carol] = [await site.join('lunchbox'), await site.join('carol')];
    await write(carol, alice, 'Lunch?', 'or dinner');
    const bodies = Array.from({ length: 150 }, (_, i) => `No. ${i + 1}`);
    bodies[19] = 'We have LUNCH at the harbour';
    bodies[79] = 'after lunch, then';
    await write(bob, alice, ...bodies);
    await write(alice, bob, 'lunch is over');
    await read(alice, bob, 150);
    const her = await arrive(t, browser(), site, 'alice');
    const { page } = her;
    await her.signIn();
    await page.bringToFront();
    await her.find(`conversation-${bob.id}`);
    await her.fill(FIELD, 'lunch');
    await her.find(`person-${lunch.id}`);
    await untilEqual(
      () => hitsOf(page),
      [
        `${bob.id}-151 You: lunch is over`,
        `${bob.id}-80 after lunch, then`,
        `${bob.id}-20 We have LUNCH at the harbour`,
        `${carol.id}-1 Lunch?`,
      ],
    );
    assert.deepEqual(
      await page.$$eval('[data-testid^="hit-"] mark', (all) => all.map((one) => one.textContent)),
      ['lunch', 'lunch', 'LUNCH', 'Lunch'],
    );
    await assertAccessible(page, 'a search in messages');

    const asked: string[] = [];
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.pathname === '/api/messages') asked.push(url.search);
    });
    await page.focus(FIELD);
    for (const id of [`person-${lunch.id}`, `hit-${bob.id}-151`, `hit-${bob.id}-80`, `hit-${bob.id}-20`]) {
      await page.keyboard.press('ArrowDown');
      await waitFor(id, () => hasFocus(page, `[data-testid="${id}"]`));
    }
    await page.keyboard.press('Enter');
    await waitFor('the hit', () => hasFocus(page, '[data-testid="message-20"]'));
    assert.equal(page.url(), `${site.url}/chat/${bob.id}?q=lunch&n=20`);
    await untilEqual(() => placeOf(page), '3 of 3');
    assert.ok(await isOnScreen(page, 20));
    assert.deepEqual(asked, [`?peer=${bob.id}&before=45&limit=50`]);
    assert.equal(await page.$(`[data-testid="hit-${bob.id}-20"][aria-current="page"]`).then(Boolean), true);
    await untilEqual(() => marksOf(page), ['LUNCH']);
    await assertAccessible(page, 'a hit in its conversation');

    // Next and previous, by their buttons and by Enter in the field, which keep the focus.
    await page.focus('[data-testid="search-next"]');
    await page.keyboard.press('Enter');
    await untilEqual(() => placeOf(page), '2 of 3');
    await waitFor('the next hit', () => isOnScreen(page, 80));
    assert.ok(await hasFocus(page, '[data-testid="search-next"]'));
    await page.focus(CHAT_FIELD);
    await page.keyboard.down('Shift');
    await page.keyboard.press('Enter');
    await page.keyboard.up('Shift');
    await untilEqual(() => placeOf(page), '1 of 3');
    await waitFor('the latest hit', () => isOnScreen(page, 151));
    assert.ok(await hasFocus(page, CHAT_FIELD));
    assert.equal(await page.$eval('[data-testid="search-next"]', (button) => button.ariaDisabled), 'true');
    // An Enter that ends a word of an input method does not.
    await page.$eval(CHAT_FIELD, (field) =>
      field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true })),
    );
    await page.keyboard.press('Enter');
    await untilEqual(() => placeOf(page), '2 of 3');
    await page.keyboard.press('Enter');
    await untilEqual(() => placeOf(page), '3 of 3');
    await waitFor('the first hit', () => isOnScreen(page, 20));

    // A reload keeps hit and query; Escape empties the field, and then ends the search.
    await page.reload();
    await untilEqual(() => placeOf(page), '3 of 3');
    await waitFor('the hit after the reload', () => isOnScreen(page, 20));
    await page.focus(CHAT_FIELD);
    await page.keyboard.press('Escape');
    await untilEqual(() => page.$eval(CHAT_FIELD, (field) => (field as HTMLInputElement).value), '');
    await page.keyboard.press('Escape');
    await her.find('composer');
    assert.equal(page.url(), `${site.url}/chat/${bob.id}`);
    await waitFor('the composer', () => hasFocus(page, '[data-testid="composer"]'));
    await waitFor('the end', () => isOnScreen(page, 151));
  });

  test('within a conversation begins in its menu, and loads what is around the hit as the list is scrolled', async (t) => {
    const talk = await startTalk(t);
    const { site, alice, bob, write } = talk;
    await write(
      bob,
      alice,
      ...Array.from({ length: 260 }, (_, i) => (i === 99 ? 'the needle' : `No. ${i + 1}`)),
    );
    await talk.read(alice, bob, 260);
    const her = await openChat(t, browser(), talk);
    const { page } = her;
    await page.focus('[data-testid="menu"]');
    await page.keyboard.press('Enter');
    await her.find('menu-search');
    await page.focus('[data-testid="menu-search"]');
    await page.keyboard.press('Enter');
    await waitFor('the field', () => hasFocus(page, CHAT_FIELD));
    await assertAccessible(page, 'an empty search in a conversation');
    await page.keyboard.type('needl');
    await untilEqual(() => placeOf(page), '1 of 1');
    await waitFor('the hit', () => isOnScreen(page, 100));
    assert.ok(await hasFocus(page, CHAT_FIELD));
    assert.equal(page.url(), `${site.url}/chat/${bob.id}?q=needl&n=100`);

    // Down: the next page comes, and what is read stays where it is.
    await page.focus('[data-testid="message-100"]');
    await page.keyboard.press('End');
    await waitFor('newer messages', async () => (await page.$('[data-testid="message-126"]')) !== null);
    assert.ok(await isOnScreen(page, 124));
    await waitFor('the first message', async () => {
      await page.keyboard.press('Home');
      return hasFocus(page, '[data-testid="message-1"]');
    });

    // What is written meanwhile is counted, and the button leads to it.
    await write(bob, alice, 'found it?');
    await her.click('to-newest');
    await her.waitForMessage('found it?');
    await her.find('composer');
    assert.equal(page.url(), `${site.url}/chat/${bob.id}`);
  });

  test('forgets what is taken back, and follows an edit', async (t) => {
    const { site, alice, bob, write } = await startTalk(t);
    await write(bob, alice, 'tea 1', 'tea 2', 'tea 3');
    const her = await arrive(t, browser(), site, 'alice');
    await her.signIn();
    await her.find(`conversation-${bob.id}`);
    await her.fill(FIELD, 'tea');
    await untilEqual(
      () => hitsOf(her.page),
      [3, 2, 1].map((n) => `${bob.id}-${n} tea ${n}`),
    );
    const act = (path: string, body: object) =>
      site.post(`/api/messages/${path}`, { peer: alice.id, ...body }, bob.token);
    await act('unsend', { n: 3 });
    await act('edit', { n: 2, body: 'green tea' });
    await act('edit', { n: 1, body: 'coffee' });
    await untilEqual(() => hitsOf(her.page), [`${bob.id}-2 green tea`]);
  });

  test('looks without a connection among the messages that the device has, and says so', async (t) => {
    const talk = await startTalk(t);
    const { alice, bob, write, site } = talk;
    const carol = await site.join('carol');
    await write(carol, alice, 'one tea', 'two teas');
    await write(bob, alice, ...Array.from({ length: 30 }, (_, i) => `tea ${i + 1}`));
    const her = await openChat(t, browser(), talk);
    her.faults.expectOutage();
    her.faults.expect(/^failed: .*(?:ERR_INTERNET_DISCONNECTED|NS_ERROR_OFFLINE)/);
    const { page } = her;
    await her.fill(FIELD, 'tea');
    await waitFor('an answer', async () => (await hitsOf(page)).length === 20);
    await her.fill(FIELD, '');
    await her.click('menu');
    await her.click('menu-search');
    await her.find('chat-search');
    await setOffline(browser(), page, true);
    await her.find('connection-banner');
    await her.fill(FIELD, 'tea');
    await waitFor('all on the device', async () => (await hitsOf(page)).length === 31);
    assert.equal((await hitsOf(page)).at(-1), `${carol.id}-2 two teas`);
    assert.match(
      await textOf(page, '[data-testid="messages-searched"]'),
      /Only messages saved on this device/,
    );
    await her.fill(CHAT_FIELD, 'tea 30');
    await untilEqual(() => placeOf(page), '1 of 1');
    await waitFor('the hit', () => isOnScreen(page, 30));
    await setOffline(browser(), page, false);
    await waitFor('the service', async () => !/Only messages/.test(await textOf(page, STATUS)));
    await untilEqual(() => placeOf(page), '1 of 1');
  });
});

onChromium('A long search in messages', (browser) => {
  test('says how far it went, goes on by a button, and waits after too many searches', async (t) => {
    const { site, alice, bob, write } = await startTalk(t);
    await write(bob, alice, 'one', 'two');
    const her = await arrive(t, browser(), site, 'alice');
    await her.signIn();
    const { page } = her;
    await her.find(`conversation-${bob.id}`);
    her.faults.expect(/^429 GET \/api\/search/);
    let calls = 0;
    await page.setRequestInterception(true);
    page.on('request', async (request) => {
      if (new URL(request.url()).pathname !== '/api/search') return request.continue();
      calls++;
      if (calls === 8)
        return request.respond({
          status: 429,
          headers: { 'retry-after': '1' },
          contentType: 'application/json',
          body: JSON.stringify({ code: 429, error: 'too_many_searches', msg: '' }),
        });
      const answer = { code: 200, msg: '', data: [], people: [], searched: 20_000 };
      await request.respond({
        contentType: 'application/json',
        body: JSON.stringify(calls > 8 ? answer : { ...answer, next: `1:${calls}:${bob.id}` }),
      });
    });
    await her.fill(FIELD, 'needle');
    await her.find('search-further');
    assert.equal(calls, 6);
    assert.match(
      await textOf(page, '[data-testid="messages-searched"]'),
      /No messages found.*Searched 120,000 messages so far/,
    );
    await assertAccessible(page, 'a search that stopped');
    await page.focus('[data-testid="search-further"]');
    await page.keyboard.press('Enter');
    await waitFor('the wait', async () =>
      /paused/.test(await textOf(page, '[data-testid="messages-searched"]')),
    );
    assert.ok(await hasFocus(page, '[data-testid="search-further"]'));
    // When everything was read, nothing was found.
    await her.find('list-find-people');
    assert.equal(calls, 9);
  });

  test('within a conversation stops reading on to a hit of a link when it fails, or after some pages', async (t) => {
    const talk = await startTalk(t);
    const { alice, bob, write, site } = talk;
    await write(bob, alice, ...Array.from({ length: 30 }, (_, i) => `tea ${i + 1}`));
    await talk.read(alice, bob, 30);
    const her = await openChat(t, browser(), talk);
    const { page } = her;
    her.faults.expect(/^500 GET \/api\/search/);
    const hit = (n: number) => ({ peer: bob.id, n, from: bob.id, cid: `${n}`, body: `tea ${n}`, at: n });
    let calls = 0;
    await page.setRequestInterception(true);
    page.on('request', async (request) => {
      if (new URL(request.url()).pathname !== '/api/search') return request.continue();
      calls++;
      const body =
        calls === 2
          ? { code: 500, error: 'internal', msg: '' }
          : {
              code: 200,
              msg: '',
              data: [hit(100 - calls)],
              people: [],
              searched: 9,
              next: `1:${calls}:${bob.id}`,
            };
      await request.respond({
        status: body.code,
        contentType: 'application/json',
        body: JSON.stringify(body),
      });
    });
    await page.goto(`${site.url}/chat/${bob.id}?q=tea&n=1`);
    await waitFor('the failure', async () => /Couldn’t search/.test(await textOf(page, STATUS)));
    assert.equal(calls, 2);
    await page.focus('[data-testid="search-further"]');
    await page.keyboard.press('Enter');
    // Six pages by the button, and five times six by itself.
    await waitFor('the end', async () => calls === 38 && /so far/.test(await textOf(page, STATUS)));
    assert.ok(await hasFocus(page, '[data-testid="search-further"]'));
  });

  test('within a conversation reads on beyond the oldest hit', async (t) => {
    const talk = await startTalk(t);
    const { alice, bob, write } = talk;
    await write(bob, alice, 'old tea', 'tea');
    const her = await openChat(t, browser(), talk);
    const { page } = her;
    const hit = (n: number, body: string) => ({ peer: bob.id, n, from: bob.id, cid: `${n}`, body, at: n });
    let calls = 0;
    await page.setRequestInterception(true);
    page.on('request', async (request) => {
      if (new URL(request.url()).pathname !== '/api/search') return request.continue();
      calls++;
      const data = calls === 1 ? [hit(2, 'tea')] : calls === 7 ? [hit(1, 'old tea')] : [];
      const next = calls < 7 ? { next: `1:${calls}:${bob.id}` } : {};
      await request.respond({
        contentType: 'application/json',
        body: JSON.stringify({ code: 200, msg: '', data, people: [], searched: 20_000, ...next }),
      });
    });
    await her.click('menu');
    await her.click('menu-search');
    await her.fill(CHAT_FIELD, 'tea');
    await untilEqual(() => placeOf(page), '1 of 1+');
    await her.find('search-further');
    assert.match(await textOf(page, STATUS), /Searched 120,000 messages so far/);
    await her.click('search-previous');
    await untilEqual(() => placeOf(page), '2 of 2');
    assert.equal(calls, 7);
    await waitFor('the hit', () => isOnScreen(page, 1));
    assert.equal(
      await page.$eval('[data-testid="search-previous"]', (button) => button.ariaDisabled),
      'true',
    );
  });
});

/** Each hit of the list, as `<peer>-<n> <text>`. */
function hitsOf(page: Page): Promise<string[]> {
  return page.$$eval('[data-testid^="hit-"]', (rows) =>
    rows.map((row) => {
      const lines = row.querySelectorAll<HTMLElement>(':scope > span:last-of-type > span');
      return `${row.getAttribute('data-testid')?.slice(4)} ${lines[1]?.textContent}`;
    }),
  );
}

/** Which hit is shown, such as `1 of 3`. */
function placeOf(page: Page): Promise<string> {
  return page.evaluate((status) => {
    const text = document.querySelector(`${status} p`)?.firstChild?.textContent ?? '';
    return text;
  }, STATUS);
}

function isOnScreen(page: Page, n: number): Promise<boolean> {
  return page.evaluate((n) => {
    const row = document.querySelector(`[data-testid="message-${n}"]`)?.getBoundingClientRect();
    const list = document.querySelector('[data-testid="messages"]')?.getBoundingClientRect();
    return Boolean(row && list && row.top >= list.top - 1 && row.bottom <= list.bottom + 1);
  }, n);
}

/** What is marked in the message that is shown. */
function marksOf(page: Page): Promise<string[]> {
  return page.evaluate(() => [...(CSS.highlights.get('found-shown') ?? [])].map(String));
}
