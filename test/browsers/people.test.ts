import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'puppeteer-core';
import type { Services } from '../../src/services.ts';
import { assertFits } from './appearance.ts';
import { assertAccessible } from './axe.ts';
import { onChromium } from './each-browser.ts';
import { setOffline } from './offline.ts';
import { arrive } from './person.ts';
import { startSite } from './site.ts';
import { untilEqual, waitFor } from './waiting.ts';

onChromium('A long list of users', (browser) => {
  test('has only the visible rows in the document, and needs few calls', async (t) => {
    const site = await startSite(t, { crowd: 5_000 });
    const alice = await arrive(t, browser(), site, 'alice');
    await alice.signUp();
    const asked: string[] = [];
    alice.page.on('request', (request) => asked.push(request.url()));
    await alice.click('nav-people');
    await waitFor('the first rows', async () => (await rows(alice.page)).length > 5);
    assert.equal((await rows(alice.page))[0], '1/-1 crowd1');
    for (let step = 0; step < 20; step++) await scrollTo(alice.page, 500 + step * 300);
    await waitFor('rows far below', async () => (await rows(alice.page)).includes('100/-1 crowd100'));
    assert.ok((await rows(alice.page)).length < 60);
    assert.ok(asked.filter((url) => url.includes('/api/users')).length <= 2);
  });

  test('shows who registers: to a user who is alone, after a message, and when the page is visible again', async (t) => {
    const site = await startSite(t);
    const her = await site.join('alice');
    const alice = await arrive(t, browser(), site, 'alice');
    await alice.signIn();
    await alice.click('nav-people');
    const list = () => alice.page.$eval('[data-pane="list"]', (pane) => (pane as HTMLElement).innerText);
    const shows = (name: string) => waitFor(name, async () => (await list()).includes(name));
    await shows('You’re the first one here');
    await site.join('bob');
    await shows('bob');
    assert.doesNotMatch(await list(), /first one here/);
    const carol = await site.join('carol');
    const message = { to: her.id, cid: 'c1', body: 'hi' };
    assert.equal((await site.post('/api/messages', message, carol.token)).status, 200);
    await shows('carol');
    await site.join('dave');
    await alice.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await shows('dave');
  });

  test('can be used with the keyboard alone', async (t) => {
    const site = await startSite(t, { crowd: 150 });
    const alice = await arrive(t, browser(), site, 'alice');
    await alice.signUp();
    await alice.click('nav-people');
    await alice.find('people-search');
    await waitFor('the first rows', async () => (await rows(alice.page)).length > 5);
    const { keyboard } = alice.page;
    const isAt = (name: string) =>
      waitFor(`the focus on ${name}`, async () => (await focused(alice.page)).includes(name));

    await alice.page.focus('[data-testid="people-search"]');
    await keyboard.press('ArrowDown');
    await isAt('crowd1');
    await keyboard.press('ArrowDown');
    await isAt('crowd2');
    await keyboard.press('End');
    await isAt('alice');
    await keyboard.press('ArrowUp');
    await isAt('crowd150');
    await keyboard.press('PageUp');
    await waitFor('the focus on a row further up', async () => {
      const [, number = '150'] = /crowd(\d+)/.exec(await focused(alice.page)) ?? [];
      return Number(number) < 150;
    });
    await keyboard.press('Home');
    await isAt('crowd1');
    const inTabOrder = await alice.page.$$('[data-pane="list"] li > a[tabindex="0"]:first-child');
    assert.equal(inTabOrder.length, 1);
    await keyboard.press('Tab');
    await waitFor('the picture', async () => (await focused(alice.page)) === 'Profile of crowd1');
    // Back into the list, it is the row that has the focus, and its picture comes after it.
    await keyboard.press('Tab');
    await waitFor('what is beside the list', async () => !(await isInList(alice.page)));
    await pressShiftTab(alice.page);
    await isAt('crowd1');
    assert.notEqual(await focused(alice.page), 'Profile of crowd1');
    await keyboard.press('Tab');
    await waitFor('the picture', async () => (await focused(alice.page)) === 'Profile of crowd1');
    await keyboard.press('ArrowUp');
    await waitFor('the search field', async () => (await focusedTestId(alice.page)) === 'people-search');

    await keyboard.press('ArrowDown');
    await isAt('crowd1');
    await keyboard.type('crowd77');
    await waitFor('the user who was searched', async () => (await rows(alice.page)).join() === '1/1 crowd77');
    await keyboard.press('Enter');
    await waitFor('the composer', async () => (await focused(alice.page)) === 'Message to crowd77');
    await keyboard.press('Escape');
    await alice.click('nav-people');
    await alice.page.focus(`[data-testid="picture-${crowdId(77)}"]`);
    await keyboard.press('Enter');
    await alice.find('profile');
    await waitFor('the heading', async () => /^Profile\W*crowd77$/.test(await focused(alice.page)));
  });

  test('keeps its place while the user is elsewhere', async (t) => {
    const site = await startSite(t, { crowd: 150 });
    const alice = await arrive(t, browser(), site, 'alice');
    await alice.signUp();
    await alice.click('nav-people');
    await waitFor('the first rows', async () => (await rows(alice.page)).length > 5);
    await scrollTo(alice.page, 4_000);
    await waitFor('rows far below', async () => (await rows(alice.page)).includes('65/151 crowd65'));
    await alice.click('nav-chats');
    await alice.find('find-people');
    await alice.click('nav-people');
    await waitFor('the same place', async () => Math.abs((await scrolled(alice.page)) - 4_000) < 2);
    assert.ok((await rows(alice.page)).includes('65/151 crowd65'));
    await alice.fill('[data-testid="people-search"]', 'crowd1');
    await waitFor('the search', async () => (await rows(alice.page))[0] === '1/62 crowd1');
    assert.equal(await scrolled(alice.page), 0);
  });
});

onChromium('Friend requests', (browser) => {
  test('are answered in their list, and the answer reaches the other user', async (t) => {
    const site = await startSite(t);
    const [alice, bob, carol] = await Promise.all(
      ['alice', 'bob', 'carol'].map(async (name) => {
        const person = await arrive(t, browser(), site, name);
        await person.signUp();
        return person;
      }),
    );
    assert.ok(alice && bob && carol);
    for (const asking of [bob, carol]) {
      await asking.openProfile(alice);
      await asking.click('friend-request');
      await asking.find('friend-cancel');
    }
    await alice.click('nav-people');
    await alice.click('people-filter-requests');
    await alice.find(`accept-${carol.id}`);
    await alice.find(`accept-${bob.id}`);
    await alice.page.focus(`[data-testid="accept-${bob.id}"]`);
    await alice.page.keyboard.press('Enter');
    // The row disappears; the next one has the focus.
    await waitFor('the next row', async () => (await focusedTestId(alice.page)) === `person-${carol.id}`);
    await bob.find('friend-state');
    await alice.click(`decline-${carol.id}`);
    await waitFor('an empty list', async () => (await rows(alice.page)).length === 0);
    await carol.find('friend-request');
    await alice.click('people-filter-friends');
    await waitFor('the friend', async () => (await rows(alice.page)).join() === '1/1 bob');

    await alice.click('people-filter-all');
    await alice.openProfile(carol);
    await alice.click('friend-request');
    await alice.fill('[data-testid="people-search"]', '');
    await alice.click('people-filter-requests');
    await alice.click(`cancel-${carol.id}`);
    await alice.find('friend-request');

    await bob.click('friend-remove');
    await bob.confirm();
    await bob.find('friend-request');
    await alice.click('people-filter-friends');
    await waitFor('no friends', async () => (await rows(alice.page)).length === 0);
  });

  test('that the service refuses are undone, and the page says why', async (t) => {
    const site = await startSite(t);
    const [alice, bob] = [await arrive(t, browser(), site, 'alice'), await arrive(t, browser(), site, 'bob')];
    await alice.signUp();
    await bob.signUp();
    await alice.openProfile(bob);
    await alice.click('block');
    await alice.confirm();
    await alice.find('blocked-notice');

    bob.faults.expect(/^403 POST \/api\/friends\/request$/);
    await bob.openProfile(alice);
    await bob.click('friend-request');
    await waitFor('the reason', async () =>
      (await textOf(bob.page, 'toasts')).includes('isn’t accepting friend requests'),
    );
    await bob.find('friend-request');
  });
});

onChromium('Presence in a list', (browser) => {
  test('is watched for the users on the screen, once the list is at rest', async (t) => {
    const site = await startSite(t, { crowd: 1_000 });
    const alice = await arrive(t, browser(), site, 'alice');
    const watched: string[][] = [];
    const session = await alice.page.createCDPSession();
    await session.send('Network.enable');
    session.on('Network.webSocketFrameSent', ({ response }) => {
      const frame = JSON.parse(response.payloadData);
      if (frame.type === 'watch') watched.push(frame.userIds);
    });
    await alice.signUp();
    await alice.click('nav-people');
    await waitFor('the first to be watched', () => watched.at(-1)?.includes(crowdId(1)));
    const before = watched.length;
    const rests = await glide(alice.page, 4_000);
    const isBelow = (id: string) => id >= crowdId(62) && id <= crowdId(80);
    await waitFor('only the users below to be watched', () => watched.at(-1)?.every(isBelow));
    const times = watched.length - before;
    assert.ok(times <= 2 + rests, `${times} times while it was scrolled, and rested ${rests} times`);
  });

  test('is a dot while the user is online', async (t) => {
    let skippedMs = 0;
    const site = await startSite(t, { world: { monotonicMs: () => performance.now() + skippedMs } });
    const [alice, bob] = [await arrive(t, browser(), site, 'alice'), await arrive(t, browser(), site, 'bob')];
    await bob.signUp();
    await alice.signUp();
    await alice.click('nav-people');
    const dot = `[data-testid="person-${bob.id}"] [data-presence="online"]`;
    await alice.page.waitForSelector(dot);
    // The browser may keep the page that he leaves; he is offline all the same, and online again with it.
    await bob.page.goto('about:blank');
    const isOnline = async () => (await site.get(`/api/user/profile/${bob.id}`)).body.data.isOnline;
    await waitFor('the connection to be gone', async () => (await isOnline()) === 0);
    // A user who did not say `bye` appears online for 10 s more.
    skippedMs += 10_000;
    await waitFor('no dot', async () => (await alice.page.$(dot)) === null);
    await bob.page.goBack();
    await alice.page.waitForSelector(dot);
    // Without a network it is not known any more, as soon as the page says so.
    alice.faults.expectOutage();
    await setOffline(browser(), alice.page, true);
    await alice.find('connection-banner');
    assert.equal(await alice.page.$(dot), null);
    await setOffline(browser(), alice.page, false);
    await alice.page.waitForSelector(dot);
    await alice.click('people-filter-online');
    await waitFor('only bob', async () => (await rows(alice.page)).join() === '1/1 bob');
  });

  test('is not shown to a user who hides theirs, and the list of who is online says so', async (t) => {
    const site = await startSite(t);
    const alice = await arrive(t, browser(), site, 'alice');
    await alice.signUp();
    await site.join('bob');
    const { token } = (await site.post('/api/login', { username: 'alice', password: alice.password })).body
      .data;
    await alice.click('nav-people');
    await alice.click('people-filter-online');
    const says = (text: string) => alice.page.waitForSelector(`[data-pane="list"] ::-p-text(${text})`);
    await says('No one else is online');
    for (const presence of ['friends', 'nobody']) {
      await site.post('/api/user/privacy', { presence }, token);
      await alice.page.reload();
      await says('You don’t see who’s online');
    }
    await assertFits(alice.page, 'who is online');
    await assertAccessible(alice.page, 'who is online');
    await site.post('/api/user/privacy', { presence: 'everyone' }, token);
    await alice.page.reload();
    await says('No one else is online');
  });
});

onChromium('A profile', (browser) => {
  test('of a blocked user has only the button to unblock, and no presence until then', async (t) => {
    const site = await startSite(t);
    const [alice, bob] = [await arrive(t, browser(), site, 'alice'), await arrive(t, browser(), site, 'bob')];
    await bob.signUp();
    await alice.signUp();
    await alice.openProfile(bob);
    const isSeen = (says: RegExp) =>
      waitFor(`${says}`, async () => says.test(await textOf(alice.page, 'profile-sight')));
    await isSeen(/^online$/);
    await alice.click('block');
    await alice.find('confirm-dialog');
    assert.match(
      await textOf(alice.page, 'confirm-dialog'),
      /can’t message you.* on any of your devices.*won’t be notified/s,
    );
    await alice.confirm();
    await alice.find('blocked-notice');
    await isSeen(/^offline$/);
    const acts = () =>
      alice.page.$$eval('[data-testid="profile"] :is(a, button)', (all) => all.map((one) => one.textContent));
    await untilEqual(acts, ['Unblock']);
    await waitFor('the row', async () => /Blocked/.test(await textOf(alice.page, `person-${bob.id}`)));
    assert.equal(await alice.page.$(`[data-testid="message-${bob.id}"]`), null);
    assert.equal(await alice.page.$(`[data-testid="person-${bob.id}"] [data-presence]`), null);
    await assertAccessible(alice.page, 'the profile of a blocked user');

    await alice.click('unblock');
    await alice.confirm();
    await isSeen(/^online$/);
    await untilEqual(acts, ['Message', 'Add friend', 'Copy profile link', 'Block this person', 'Report']);
    await alice.find(`message-${bob.id}`);
  });

  test('and a row show the fields of a user as text', async (t) => {
    const stored = Promise.withResolvers<Services>();
    const site = await startSite(t, { opened: stored.resolve });
    const { db } = await stored.promise;
    const alice = await arrive(t, browser(), site, 'alice');
    await alice.signUp();
    for (const [username, { nickname, ...profile }] of Object.entries(HOSTILE)) {
      const { id, token } = await site.join(username);
      await site.post('/api/user/profile', profile, token);
      // Some of these names are refused today; an earlier version may have stored them.
      await db.run`update users set nickname = ${nickname} where id = ${id}`;
      await alice.page.goto(`${site.url}/people/${id}`);
      await alice.find('profile-bio');
      await alice.find(`person-${id}`);
      for (const width of [1440, 360]) {
        await alice.page.setViewport({ width, height: 800 });
        await assertFits(alice.page, `the profile of ${username} at ${width}`);
      }
      const { height } = await boxOf(alice.page, `person-${id}`, 'bdi');
      assert.ok(height < 35, `the name of ${username} has ${height} pixels in its row`);
      assert.equal(await alice.page.$('[data-testid="profile-bio"] *'), null, `${username} wrote an element`);
      assert.ok((await boxOf(alice.page, 'block')).y < 1_000, `the bio of ${username} pushes all away`);
    }
  });

  test('of an unknown id says so, and the own profile leads to its settings', async (t) => {
    const site = await startSite(t);
    const alice = await arrive(t, browser(), site, 'alice');
    await alice.signUp();
    alice.faults.expect(/^404 GET \/api\/user\/profile\/nobody$/);
    await alice.page.goto(`${site.url}/people/nobody`);
    await waitFor('its text', async () =>
      (await alice.page.$eval('body', (body) => body.innerText)).includes('Profile not found'),
    );
    await alice.page.goto(`${site.url}/people/${alice.id}`);
    await alice.find('edit-profile');
    assert.equal(await alice.page.$('[data-testid="block"]'), null);
    assert.equal(await alice.page.$('[data-testid="friend-request"]'), null);
    await alice.click('edit-profile');
    await waitFor('the settings', () => alice.page.url().endsWith('/settings/profile'));
  });

  test('leads back to the chat from which it was opened', async (t) => {
    const site = await startSite(t);
    const alice = await arrive(t, browser(), site, 'alice');
    await alice.signUp();
    const bob = await site.join('bob');
    await alice.page.setViewport({ width: 360, height: 740 });
    await alice.openChat(bob);
    await alice.click('chat-name');
    await alice.find('profile');
    await alice.page.locator('[data-pane="page"] header a').click();
    await alice.find('composer');
    await alice.page.locator('[data-pane="page"] header a').click();
    await alice.openProfile(bob);
    await alice.page.locator('[data-pane="page"] header a').click();
    await waitFor('the list, with its search', () => alice.page.url().endsWith('/people?q=bob'));
  });

  test('and the lists are accessible', async (t) => {
    const site = await startSite(t, { crowd: 40 });
    const [alice, bob] = [await arrive(t, browser(), site, 'alice'), await arrive(t, browser(), site, 'bob')];
    await alice.signUp();
    await bob.signUp();
    await bob.openProfile(alice);
    await bob.click('friend-request');
    await assertAccessible(bob.page, 'a profile with a request');
    await alice.openProfile(bob);
    await alice.find('friend-accept');
    await assertAccessible(alice.page, 'the profile of a user with a request');
    await alice.fill('[data-testid="people-search"]', '');
    for (const width of [1280, 820, 390, 320]) {
      await alice.page.setViewport({ width, height: 800 });
      await alice.page.goto(`${site.url}/people`);
      await alice.page.waitForSelector('[data-testid="people-filter-requests"] [data-testid="count"]');
      const tops = await alice.page.$$eval('[data-testid^="people-filter-"]', (all) =>
        all.map((filter) => filter.getBoundingClientRect().top),
      );
      assert.equal(new Set(tops).size, 1, `the filters are in one line at ${width}: ${tops}`);
    }
    await alice.page.setViewport({ width: 1280, height: 800 });
    for (const filter of ['all', 'online', 'friends', 'requests']) {
      await alice.click(`people-filter-${filter}`);
      await waitFor('the list', async () => !(await alice.page.$('[data-pane="list"] [aria-busy="true"]')));
      await assertAccessible(alice.page, `the list of ${filter}`);
    }
  });
});

/** The id that `addCrowd` gives. */
function crowdId(n: number): string {
  return `00000000-0000-7000-8000-${100_000_000_000 + n}`;
}

const HOSTILE = {
  script: {
    nickname: '<script>alert(1)</script><img src=x onerror=alert(2)>',
    bio: '"><svg onload=alert(3)>\n<a href="javascript:alert(4)">x</a>\nhttps://example.com/',
  },
  bidi: {
    nickname: '\u202Eevil\u2066 gnp.exe \u2069\u2069 abc',
    bio: '\u202Eoverride\u2069\u2069 on\n\u2067isolated',
  },
  emoji: { nickname: '😀'.repeat(64), bio: '👨‍👩‍👧‍👦'.repeat(140) },
  long: { nickname: 'W'.repeat(64), bio: 'x'.repeat(1_000), phone: '+49 (0) 170 1234567 890-12345678' },
  lines: { nickname: 'a\nb\u2028c\vd\fe\r\nf', bio: `.${'\n'.repeat(900)}.` },
  right: { nickname: 'محمد بن عبد الله', bio: 'مرحبا بكم في صفحتي.' },
  marks: {
    nickname: `Z${'\u0300\u0316\u0489'.repeat(21)}`,
    bio: `a${'\u0300\u0316\u0489'.repeat(20)}`.repeat(15),
  },
};

/** The rows of the list: position, size of the list, and name. */
async function rows(page: Page): Promise<string[]> {
  return page.$$eval('[data-pane="list"] li[aria-posinset]', (all) =>
    all.map((row) => {
      const name = row.querySelector('bdi')?.textContent;
      return `${row.getAttribute('aria-posinset')}/${row.getAttribute('aria-setsize')} ${name}`;
    }),
  );
}

/** The name of the element that has the focus. */
async function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const { activeElement } = document;
    return activeElement?.getAttribute('aria-label') ?? activeElement?.textContent ?? '';
  });
}

async function focusedTestId(page: Page): Promise<string> {
  return page.evaluate(() => document.activeElement?.getAttribute('data-testid') ?? '');
}

async function scrollTo(page: Page, pixels: number): Promise<void> {
  await page.evaluate(
    (top) =>
      new Promise<void>((resolve) => {
        document.querySelector('[data-testid="people-scroller"]')?.scrollTo({ top });
        requestAnimationFrame(() => resolve());
      }),
    pixels,
  );
}

/** Scrolls down over 60 frames. @returns how many frames were so slow that the list counted as at rest */
async function glide(page: Page, pixels: number): Promise<number> {
  return page.$eval(
    '[data-testid="people-scroller"]',
    async (scroller, pixels) => {
      let rests = 0;
      let last = performance.now();
      for (let frame = 1; frame <= 60; frame++) {
        scroller.scrollTop = (pixels * frame) / 60;
        const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
        if (now - last > 100) rests++;
        last = now;
      }
      return rests;
    },
    pixels,
  );
}

async function scrolled(page: Page): Promise<number> {
  return page.$eval('[data-testid="people-scroller"]', (scroller) => scroller.scrollTop);
}

async function textOf(page: Page, testId: string): Promise<string> {
  return page.$eval(`[data-testid="${testId}"]`, (element) => (element as HTMLElement).innerText.trim());
}

async function boxOf(page: Page, testId: string, inside = ''): Promise<{ y: number; height: number }> {
  return page.$eval(`[data-testid="${testId}"] ${inside}`, (element) => {
    const { y, height } = element.getBoundingClientRect();
    return { y, height };
  });
}

async function isInList(page: Page): Promise<boolean> {
  return page.evaluate(() => document.activeElement?.closest('[data-pane="list"]') != null);
}

async function pressShiftTab({ keyboard }: Page): Promise<void> {
  await keyboard.down('Shift');
  await keyboard.press('Tab');
  await keyboard.up('Shift');
}
