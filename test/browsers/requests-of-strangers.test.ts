import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { appear, assertFits } from './appearance.ts';
import { assertAccessible } from './axe.ts';
import { onChromium } from './each-browser.ts';
import { setOffline } from './offline.ts';
import { arrive, type Person } from './person.ts';
import type { RunningBrowser } from './running-browser.ts';
import { type Account, startSite } from './site.ts';
import { waitFor } from './waiting.ts';

const LINK = 'See https://example.org/prize or call +1 212 555 0100';

onChromium('Messages of strangers', (browser) => {
  test('wait as requests, apart from the conversations, until they are accepted', async (t) => {
    const { alice, strangers, write, rows } = await meet(t, browser());
    const [bob, carol] = strangers;
    await write(bob, LINK);
    await write(bob, 'Hello?');
    await write(carol, 'Hi');
    await waitForText(alice, 'message-requests', /2 message requests/);
    assert.deepEqual(await rows(), []);
    // Neither the title nor the navigation counts them.
    assert.doesNotMatch(await alice.page.title(), /\d/);
    assert.equal(await alice.page.$('nav [data-testid="count"]'), null);

    await alice.click('message-requests');
    await alice.find(`conversation-${carol.id}`);
    assert.deepEqual(await rows(), [carol.id, bob.id]);
    assert.equal(await alice.page.$('[data-testid="conversations"] [data-testid="count"]'), null);
    await alice.click(`conversation-${bob.id}`);
    await alice.find('request-bar');
    await alice.waitForMessage(LINK);
    assert.equal(await alice.page.$('[data-message] a'), null, 'nothing in it is a link');
    assert.equal(await alice.page.$('[data-testid="composer"]'), null);
    // A reaction of hers would accept it.
    await alice.site.post('/api/messages/react', { peer: alice.id, n: 1, emoji: '👍' }, bob.token);
    await alice.page.waitForSelector('[data-testid="reaction-👍"]:disabled');
    // It was on the screen, yet no one learns it, and it stays unread.
    assert.deepEqual(await receiptsOf(alice, bob), { received: 0, read: 0 });
    await alice.page.reload();
    await alice.find('request-bar');
    await waitFor('the requests beside it', async () => (await rows()).join() === `${carol.id},${bob.id}`);

    await alice.click('request-accept');
    await alice.find('composer');
    await alice.page.waitForSelector('[data-message] a[href="https://example.org/prize"]');
    await waitFor('the conversations', async () => (await rows()).join() === bob.id);
    await waitForText(alice, 'message-requests', /1 message request/);
    await waitFor('the receipts', async () => (await receiptsOf(alice, bob)).read === 2);
    assert.equal(await alice.page.evaluate(() => document.activeElement?.matches('[data-composer]')), true);
  });

  test('are gone when they are declined or their sender is blocked, on all devices, with a sentence', async (t) => {
    const { alice, strangers, write, rows } = await meet(t, browser());
    const elsewhere = await arrive(t, browser(), alice.site, 'alice');
    await elsewhere.signIn();
    const [bob, carol] = strangers;
    await write(bob, 'one');
    await write(carol, 'two');
    for (const page of [alice, elsewhere]) {
      await page.click('message-requests');
      await page.click(`conversation-${bob.id}`);
      await page.find('request-bar');
    }
    await alice.click('request-decline');
    await waitForText(alice, 'toasts', /You declined .bob.\. They aren’t told\./);
    for (const page of [alice, elsewhere]) await waitForPath(page, '/requests');
    assert.deepEqual(await rows(), [carol.id]);

    await alice.click(`conversation-${carol.id}`);
    await alice.click('request-block');
    await alice.confirm();
    await waitForText(alice, 'toasts', /carol/);
    await waitForPath(alice, '/');
    assert.equal(await alice.page.$('[data-testid="message-requests"]'), null);
    await waitForText(elsewhere, 'no-requests', /No message requests/);
    // They see one tick, and the sentence of a block.
    for (const stranger of strangers) {
      const { status, body } = await write(stranger, 'again');
      assert.deepEqual([status, body.error], [403, 'not_accepting']);
    }
  });

  test('are there without a connection, by keyboard and on a small screen', async (t) => {
    const { alice, strangers, write } = await meet(t, browser());
    const [bob] = strangers;
    await write(bob, LINK);
    await alice.find('message-requests');
    await appear(t, browser(), alice.page, { width: 320, height: 640, scheme: 'dark' });
    await alice.page.focus('[data-testid="message-requests"]');
    await alice.page.keyboard.press('Enter');
    await alice.find(`conversation-${bob.id}`);
    await alice.page.focus(`[data-testid="conversation-${bob.id}"]`);
    await alice.page.keyboard.press('Enter');
    await alice.find('request-bar');
    await alice.waitForMessage(LINK);
    await assertFits(alice.page, 'a request, 320');
    await assertAccessible(alice.page, 'a request, 320');
    // It is stored within a second; the worker has the files.
    await alice.page.evaluate(() => navigator.serviceWorker.ready);
    await alice.page.evaluate(() => dispatchEvent(new Event('pagehide')));
    alice.faults.expectOutage();
    alice.faults.expect(/ERR_INTERNET_DISCONNECTED/);
    await setOffline(browser(), alice.page, true);
    await alice.page.waitForSelector('[data-testid="request-accept"]:disabled');
    await alice.page.focus('[data-pane="page"] header a');
    await alice.page.keyboard.press('Enter');
    await waitForPath(alice, '/requests');
    await alice.find(`conversation-${bob.id}`);
    await setOffline(browser(), alice.page, false);
    await alice.click(`conversation-${bob.id}`);
    await alice.page.waitForSelector('[data-testid="request-decline"]:not(:disabled)');
    await alice.click('request-decline');
    await waitForPath(alice, '/');
    await waitForText(alice, 'toasts', /You declined/);
  });

  test('are refused after the fifth as those of a blocked user', async (t) => {
    const { alice, site } = await meet(t, browser());
    const bob = await arrive(t, browser(), site, 'robert');
    await bob.signUp();
    bob.faults.expect(/^403 POST \/api\/messages$/);
    await bob.openChat(alice);
    for (let n = 1; n <= 5; n++) await bob.write(`message ${n}`);
    await bob.waitForMessage('message 5', 'stored');
    await alice.find('message-requests');
    await bob.fill('[data-testid="composer"]', 'message 6');
    await bob.page.keyboard.press('Enter');
    await bob.waitForMessage('message 6', 'refused');
    await waitForText(bob, 'composer-refused', /isn’t accepting messages right now\./);
    // One tick on each of the others, though her devices have them.
    assert.deepEqual(
      (await bob.messages()).map(({ state }) => state),
      [...Array(5).fill('stored'), 'refused'],
    );
  });
});

/** Alice, who takes message requests, and two strangers. */
async function meet(t: TestContext, browser: RunningBrowser) {
  const site = await startSite(t);
  const strangers = [await site.join('bob'), await site.join('carol')] as const;
  const alice = await arrive(t, browser, site, 'alice');
  await alice.signUp();
  const { token } = (await site.post('/api/login', { username: 'alice', password: alice.password })).body
    .data;
  assert.equal((await site.post('/api/user/privacy', { messages: 'requests' }, token)).status, 200);
  return {
    site,
    alice,
    strangers,
    write: ({ token: of }: Account, body: string) =>
      site.post('/api/messages', { to: alice.id, cid: crypto.randomUUID(), body }, of),
    /** The peers of the list beside the page. */
    rows: () =>
      alice.page.$$eval('[data-testid^="conversation-"]', (found) =>
        found.flatMap(
          (row) => /^conversation-([\w-]{36})$/.exec(row.getAttribute('data-testid') ?? '')?.[1] ?? [],
        ),
      ),
  };
}

/** What the stranger sees of Alice's marks. */
async function receiptsOf(alice: Person, { token }: Account) {
  const { body } = await alice.site.get(`/api/conversations?peer=${alice.id}`, token);
  const { received, read } = body.data[0];
  return { received, read };
}

async function waitForText(person: Person, testId: string, says: RegExp): Promise<void> {
  await waitFor(`${testId}: ${says}`, async () => {
    const text = await person.page
      .$eval(`[data-testid="${testId}"]`, ({ textContent }) => textContent ?? '')
      .catch(() => '');
    return says.test(text);
  });
}

function waitForPath(person: Person, path: string): Promise<unknown> {
  return waitFor(path, () => new URL(person.page.url()).pathname === path);
}
