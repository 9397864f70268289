import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onChromium } from './each-browser.ts';
import { setOffline } from './offline.ts';
import { arrive } from './person.ts';
import { hide, type RunningBrowser } from './running-browser.ts';
import { isKept, startTalk } from './talk.ts';
import { untilEqual, waitFor } from './waiting.ts';
import { waitForWorker } from './worker-page.ts';

/** Alice in the list of people, with messages of Bob and, later, of Carol, which she has not seen. */
async function startTwoTalks(t: TestContext, browser: RunningBrowser) {
  const talk = await startTalk(t);
  const { site, alice, bob, write } = talk;
  const carol = await site.join('carol');
  const her = await arrive(t, browser, site, 'alice');
  const { page } = her;
  await page.setViewport({ width: 1280, height: 800 });
  await her.signIn();
  await her.click('nav-people');
  await her.find(`person-${bob.id}`);
  await write(bob, alice, 'first');
  await write(carol, alice, 'second', 'third');
  const pathIs = (path: string) => untilEqual(async () => new URL(page.url()).pathname, path);
  /** The unread messages of Alice in her conversation with Carol, as the service counts them. */
  const unread = async () =>
    (await site.get('/api/conversations', alice.token)).body.data.find(
      ({ peer }: { peer: string }) => peer === carol.id,
    ).unread;
  return { ...talk, carol, her, page, pathIs, unread };
}

onChromium('The latest conversation', (browser) => {
  test('opens on a wide screen when the page is loaded at the list, and Back leads to the page before', async (t) => {
    const { site, bob, carol, alice, her, page, pathIs, unread, write } = await startTwoTalks(t, browser());
    await page.goto(site.url);
    await pathIs(`/chat/${carol.id}`);
    await her.waitForMessage('third');
    await untilEqual(unread, 0);
    await page.goBack();
    await pathIs('/people');
    await page.goForward();
    await pathIs(`/chat/${carol.id}`);
    await write(bob, alice, 'fourth');
    await her.click('nav-people');
    await her.find(`person-${bob.id}`);
    await her.click('nav-chats');
    await her.find('find-people');
    await her.waitForUnread(bob, 2);
    await pathIs('/');
  });

  test('stays closed when the user closes it, until the page is loaded again', async (t) => {
    const { site, carol, alice, her, page, pathIs, unread, write } = await startTwoTalks(t, browser());
    await page.goto(site.url);
    await her.waitForMessage('third');
    await untilEqual(unread, 0);
    await her.click('nav-chats');
    await her.find('find-people');
    await write(carol, alice, 'fourth');
    await her.waitForUnread(carol, 1);
    await pathIs('/');
    await page.reload();
    await pathIs(`/chat/${carol.id}`);
    await her.waitForMessage('fourth');
  });

  test('does not open on a phone, also when it is turned', async (t) => {
    const { site, carol, alice, her, page, pathIs, unread, write } = await startTwoTalks(t, browser());
    await page.setViewport({ width: 390, height: 844 });
    await page.goto(site.url);
    await her.waitForUnread(carol, 2);
    await page.setViewport({ width: 844, height: 390 });
    await write(carol, alice, 'fourth');
    await her.waitForUnread(carol, 3);
    await pathIs('/');
    assert.equal(await unread(), 3);
  });

  test('does not open once the user has moved the focus', async (t) => {
    const { site, her, page, pathIs } = await startTwoTalks(t, browser());
    const link = '[data-testid="nav-settings"]';
    await page.evaluateOnNewDocument(holdMessagesUntilFocus);
    await page.goto(site.url);
    await her.find('nav-settings');
    await page.focus(link);
    await her.find('find-people');
    await pathIs('/');
    assert.ok(await page.$eval(link, (it) => it === document.activeElement));
  });

  test('is not read while its page is hidden', async (t) => {
    const { site, carol, her, page, pathIs, unread } = await startTwoTalks(t, browser());
    const show = await hide(page);
    await page.goto(site.url);
    await pathIs(`/chat/${carol.id}`);
    await her.waitForMessage('third');
    assert.equal(await page.evaluate(() => document.visibilityState), 'hidden');
    assert.equal(await unread(), 2);
    await show();
    await untilEqual(unread, 0);
  });

  test('opens without a connection from what is stored', async (t) => {
    const { site, carol, her, page, pathIs } = await startTwoTalks(t, browser());
    await page.goto(site.url);
    await her.waitForMessage('third');
    await waitForWorker(page);
    await waitFor('the message to be stored', () => page.evaluate(isKept, 'third'));
    await her.click('nav-people');
    her.faults.expectOutage();
    her.faults.expect(/ERR_INTERNET_DISCONNECTED/);
    await setOffline(browser(), page, true);
    await page.goto(site.url);
    await pathIs(`/chat/${carol.id}`);
    await her.waitForMessage('third');
  });

  test('is not the first one of a user who had none', async (t) => {
    const { site, bob, write } = await startTalk(t);
    const newcomer = await arrive(t, browser(), site, 'newcomer');
    await newcomer.signUp();
    await newcomer.page.reload();
    await newcomer.find('find-people');
    await write(bob, newcomer, 'welcome');
    await newcomer.waitForUnread(bob, 1);
    await newcomer.find('find-people');
    assert.equal(new URL(newcomer.page.url()).pathname, '/');
  });
});

/** In the page: what the service sends over the socket waits until the focus moves. */
function holdMessagesUntilFocus(): void {
  const isMoved = new Promise((resolve) => addEventListener('focusin', resolve, { once: true }));
  const hold = (event: MessageEvent<string>) => {
    event.stopImmediatePropagation();
    void isMoved.then(() => {
      event.target?.removeEventListener('message', hold as EventListener);
      event.target?.dispatchEvent(new MessageEvent('message', { data: event.data }));
    });
  };
  window.WebSocket = class extends WebSocket {
    constructor(...address: ConstructorParameters<typeof WebSocket>) {
      super(...address);
      this.addEventListener('message', hold);
    }
  };
}
