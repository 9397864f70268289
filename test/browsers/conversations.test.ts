import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAccessible } from './axe.ts';
import { onChromium } from './each-browser.ts';
import { arrive } from './person.ts';
import type { Account } from './site.ts';
import { startTalk } from './talk.ts';
import { untilEqual, waitFor } from './waiting.ts';

onChromium('The list of conversations', (browser) => {
  test('shows the last message of each, its sender, and who is typing', async (t) => {
    const { site, alice, bob, write, read } = await startTalk(t);
    const carol = await site.join('carol');
    await write(carol, alice, 'first', 'second\nline');
    await read(alice, bob, await write(alice, bob, 'mine'));
    const her = await arrive(t, browser(), site, 'alice');
    await her.signIn();
    await her.find(`conversation-${bob.id}`);
    const rows = () =>
      her.page.$$eval('[data-testid="conversations"] li', (all) =>
        all.map((row) => row.innerText.replace(/\s+/g, ' ')),
      );
    assert.match((await rows())[0] ?? '', /bob .* You: mine$/);
    assert.match((await rows())[1] ?? '', /carol .* second line 2 2 unread$/);
    assert.equal(await her.page.$eval('[data-state]', (mark) => mark.ariaLabel), 'Sent');
    await assertAccessible(her.page, 'the list of conversations');

    await write(carol, alice, 'third');
    await waitFor('Carol above', async () => /carol .* third 3 3 unread$/.test((await rows())[0] ?? ''));
    const bobsPage = await arrive(t, browser(), site, 'bob');
    await bobsPage.signIn();
    await bobsPage.click(`conversation-${alice.id}`);
    await bobsPage.fill('[data-testid="composer"]', 'h');
    await waitFor('that bob types', async () => /bob .* typing…/.test((await rows())[1] ?? ''));
    await waitFor('that bob is online', async () => /online/.test((await rows())[1] ?? ''));
    await bobsPage.page.keyboard.press('Enter');
    await waitFor('the message of bob', async () => /bob .* h 1 1 unread$/.test((await rows())[0] ?? ''));
  });

  test('has only the visible rows in the document, and can be searched by name', async (t) => {
    const { site, alice, write } = await startTalk(t);
    const crowd: Account[] = [];
    for (let i = 1; i <= 60; i++) crowd.push(await site.join(`crowd${i}`));
    for (const [i, one] of crowd.entries()) await write(alice, one, `to number ${i + 1}`);
    const row = (n: number) => `conversation-${crowd[n - 1]?.id}`;
    const her = await arrive(t, browser(), site, 'alice');
    await her.signIn();
    await her.find(row(60));
    const names = () =>
      her.page.$$eval('[data-testid="conversations"] li', (all) =>
        all.map((row) => `${row.ariaPosInSet}/${row.ariaSetSize} ${/to number \d+/.exec(row.innerText)}`),
      );
    assert.equal((await names())[0], '1/60 to number 60');
    assert.ok((await names()).length < 35);
    await her.page.$eval('[data-testid="conversations"]', (list) => list.scrollTo(0, 2_400));
    await waitFor('rows far below', async () => (await names()).some((name) => /^4\d\/60/.test(name)));
    assert.ok((await names()).length < 35);

    // By names that were not requested, as the page requests only a limited number.
    await her.fill('[data-testid="conversation-search"]', 'CROWD5');
    const found = [59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 5];
    await waitFor(
      'those',
      async () => (await names()).join() === found.map((n, i) => `${i + 1}/11 to number ${n}`).join(),
    );
    await her.page.focus('[data-testid="conversation-search"]');
    await her.page.keyboard.press('ArrowDown');
    await her.page.keyboard.press('ArrowDown');
    const focused = () => her.page.evaluate(() => document.activeElement?.getAttribute('data-testid'));
    await untilEqual(focused, row(58));
    await her.fill('[data-testid="conversation-search"]', 'nobody of this name');
    await her.find('list-find-people');
    await her.page.keyboard.press('Escape');
    await waitFor('all of them', async () => (await names())[0] === '1/60 to number 60');
  });

  test('is one stop of the Tab key, with arrows inside that follow their conversation, and Enter opens', async (t) => {
    const { site, alice, write } = await startTalk(t);
    const crowd: Account[] = [];
    for (let i = 1; i <= 30; i++) crowd.push(await site.join(`crowd${i}`));
    for (const one of crowd) await write(one, alice, 'hi');
    const row = (n: number) => `conversation-${crowd[n - 1]?.id}`;
    const her = await arrive(t, browser(), site, 'alice');
    const { page } = her;
    await her.signIn();
    // The invitation below the rows would scroll the list when it gets the focus.
    await page.evaluate(() => localStorage.setItem('doorman.push-invitation', String(Date.now())));
    await page.reload();
    await her.find(row(30));
    // The latest conversation opens beside the list, and its composer takes the focus if nothing has it.
    await her.find('composer');
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-testid'));
    const stops = () =>
      page.$$eval('[data-testid="conversations"] li a', (all) => all.filter((a) => a.tabIndex === 0).length);
    await page.focus('[data-testid="conversation-search"]');
    await page.keyboard.press('Tab');
    await untilEqual(focused, row(30));
    await page.keyboard.press('ArrowDown');
    await untilEqual(focused, row(29));
    await page.keyboard.press('End');
    await untilEqual(focused, row(1));
    await page.keyboard.press('ArrowUp');
    await untilEqual(focused, row(2));
    // It comes to the upper end, and takes the focus with it.
    await write(crowd[1] as Account, alice, 'again');
    await page.waitForFunction(
      (testId) => document.querySelector(`[data-testid="${testId}"]`)?.closest('li')?.ariaPosInSet === '1',
      {},
      row(2),
    );
    await untilEqual(focused, row(2));
    await page.keyboard.press('ArrowDown');
    await untilEqual(focused, row(30));
    await page.keyboard.press('PageDown');
    await waitFor(
      'a row further down',
      async () => ![row(2), row(30), row(29)].includes((await focused()) ?? ''),
    );
    await page.keyboard.press('Home');
    await untilEqual(focused, row(2));
    await page.keyboard.press('Tab');
    await untilEqual(focused, `picture-${crowd[1]?.id}`);
    await page.keyboard.press('Tab');
    await waitFor(
      'the end of the list',
      async () => !/^(?:conversation|picture)-/.test((await focused()) ?? ''),
    );
    await page.waitForSelector(`[data-testid="${row(2)}"][tabindex="0"]`);
    assert.equal(await stops(), 1);
    await page.keyboard.down('Shift');
    await page.keyboard.press('Tab');
    await page.keyboard.up('Shift');
    await untilEqual(focused, row(2));
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await waitFor('the chat', () => page.url().endsWith(`/chat/${crowd[29]?.id}`));
  });

  test('cuts Arabic and Hebrew at their end, which is at the left', async (t) => {
    const { site, alice, bob, write } = await startTalk(t);
    const carol = await site.join('carol');
    const [arabic, hebrew] = ['مرحبا بالعالم '.repeat(20).trim(), 'שלום עולם '.repeat(6).trim()];
    await site.post('/api/user/profile', { nickname: hebrew, bio: arabic }, bob.token);
    await write(bob, alice, arabic);
    await write(alice, carol, arabic);
    const her = await arrive(t, browser(), site, 'alice');
    await her.page.setViewport({ width: 320, height: 700 });
    await her.signIn();
    const cut = (testId: string) => her.page.$$eval(`[data-testid="${testId}"] bdi`, findCutTexts);
    await her.find(`conversation-${bob.id}`);
    await waitFor('the name', async () => (await cut(`conversation-${bob.id}`)).length === 2);
    assert.deepEqual(await cut(`conversation-${bob.id}`), ['at its end', 'at its end']);
    assert.deepEqual(await cut(`conversation-${carol.id}`), ['at its end']);
    await her.click(`conversation-${bob.id}`);
    await her.find('chat-name');
    assert.deepEqual(await cut('chat-name'), ['at its end']);
    await her.page.goto(`${site.url}/people`);
    await her.find(`person-${bob.id}`);
    assert.deepEqual(await cut(`person-${bob.id}`), ['at its end', 'at its end']);
  });

  test('of a new user leads to other users, and shows friend requests', async (t) => {
    const { site, alice, bob } = await startTalk(t);
    const her = await arrive(t, browser(), site, 'alice');
    await her.signIn();
    // On wide screens the pane beside the list has the button, on narrow ones the list, which is alone.
    await her.find('find-people');
    assert.equal(await her.page.$('[data-testid="list-find-people"]'), null);
    await assertAccessible(her.page, 'an empty list of conversations');
    await her.page.setViewport({ width: 390, height: 844 });
    await her.find('list-find-people');
    await site.post('/api/friends/request', { userId: alice.id }, bob.token);
    await her.click('friend-requests');
    await her.find(`accept-${bob.id}`);
  });
});

/** In the page: of the boxes that are too narrow for their text, which end of the text is cut. */
function findCutTexts(boxes: Element[]): string[] {
  const edge = (text: Node, from: number) => {
    const range = document.createRange();
    range.setStart(text, from);
    range.setEnd(text, from + 1);
    return range.getBoundingClientRect();
  };
  return boxes.flatMap((box) => {
    const text = box.firstChild;
    if (!(text instanceof Text) || box.scrollWidth <= box.clientWidth) return [];
    const { left, right } = box.getBoundingClientRect();
    const [first, last] = [edge(text, 0), edge(text, text.length - 1)];
    if (first.right <= right + 1 && first.left >= left && last.left < left) return ['at its end'];
    return [`${first.left} to ${first.right} is not in ${left} to ${right}`];
  });
}
