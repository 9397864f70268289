import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'puppeteer-core';
import type { Services } from '../../src/services.ts';
import { assertAccessible } from './axe.ts';
import { fill } from './controls.ts';
import { onChromium } from './each-browser.ts';
import { arrive, type Person } from './person.ts';
import { type Account, startSite } from './site.ts';
import { hasFocus, isKept, startTalk, textOf } from './talk.ts';
import { untilEqual, waitFor } from './waiting.ts';
import { waitForWorker } from './worker-page.ts';

const COMPOSER = '[data-testid="composer"]';
const FIELD = '[data-testid="go-to-field"]';
const SHARED = '[data-testid="shared-text"]';
const DIALOG = '[data-testid="copy-link-dialog"]';

declare global {
  interface Window {
    /** What the page gave to the system to share. */
    shared: unknown[];
    /** The name of the error with which the next ones end. */
    shareFails: string | undefined;
  }
}

onChromium('A user who is alone', (browser) => {
  test('shares the link by the system’s sheet, else copies it, and learns who can open it', async (t) => {
    const site = await startSite(t);
    const alice = await arrive(t, browser(), site, 'alice');
    const { page } = alice;
    await alice.signUp();
    await page.evaluateOnNewDocument(withoutShare);
    await page.goto(`${site.url}/people`);
    await alice.find('invite');
    assert.equal(await textOf(page, '[data-testid="invite"]'), 'Copy link');
    const list = () => page.$eval('[data-pane="list"]', (pane) => (pane as HTMLElement).innerText);
    assert.match(await list(), /People who sign up appear here\.\s+Only this device can open this link\./);
    await assertAccessible(page, 'the list of a user who is alone');
    await page
      .browserContext()
      .overridePermissions(site.url, ['clipboard-read', 'clipboard-sanitized-write']);
    await alice.click('invite');
    await waitFor('the toast', async () => /Link copied/.test(await textOf(page, '[data-testid="toasts"]')));
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `${site.url}/`);
    await page.evaluate(withoutClipboard);
    await alice.click('invite');
    await page.waitForSelector(DIALOG);
    assert.equal(await page.$eval(`${DIALOG} input`, (field) => field.value), `${site.url}/`);
    assert.equal(await textOf(page, `${DIALOG} h2`), 'Link to this page');

    await page.evaluateOnNewDocument(withShare);
    await page.reload();
    await alice.find('invite');
    assert.equal(await textOf(page, '[data-testid="invite"]'), 'Share link');
    await alice.click('invite');
    const shared = { title: 'Doorman', url: `${site.url}/` };
    await untilEqual(() => page.evaluate(() => window.shared), [shared]);
    // A sheet that the user closes needs no other way, which would be the dialog.
    await page.evaluate(withoutClipboard);
    await page.evaluate(() => {
      window.shareFails = 'AbortError';
    });
    await alice.click('invite');
    await untilEqual(() => page.evaluate(() => window.shared.length), 2);
    await page.evaluate(() => {
      window.shareFails = 'NotAllowedError';
    });
    await alice.click('invite');
    await page.waitForSelector(DIALOG);
    await untilEqual(() => page.evaluate(() => window.shared.length), 3);
  });

  test('learns what others need where they cannot simply sign up', async (t) => {
    const opened = Promise.withResolvers<Services>();
    const site = await startSite(t, { opened: opened.resolve });
    const { config } = await opened.promise;
    const alice = await arrive(t, browser(), site, 'alice');
    await alice.signUp();
    for (const [registration, says] of [
      ['invite', /people also need an invite code, which the administrator creates\./],
      ['closed', /Only the administrator can add accounts\./],
    ] as const) {
      Object.assign(config, { registration });
      await alice.page.goto(`${site.url}/people`);
      await waitFor(registration, async () => says.test(await textOf(alice.page, '[data-pane="list"]')));
      await alice.find('invite');
    }
  });
});

onChromium('The manifest', (browser) => {
  test('is valid, and its shortcut opens the dialog for a new message', async (t) => {
    const { site, bob } = await startTalk(t);
    const her = await arrive(t, browser(), site, 'alice');
    const { page } = her;
    await her.signIn();
    await her.find('find-people');
    const session = await page.createCDPSession();
    const { errors, data = '{}' } = await session.send('Page.getAppManifest');
    assert.deepEqual(errors, []);
    const { screenshots, shortcuts } = JSON.parse(data);
    const loaded = await page.evaluate(
      (urls: string[]) =>
        Promise.all(
          urls.map(async (url) => {
            const picture = new Image();
            picture.src = url;
            await picture.decode();
            return `${picture.naturalWidth}x${picture.naturalHeight}`;
          }),
        ),
      screenshots.map(({ src }: { src: string }) => src),
    );
    assert.deepEqual(
      loaded,
      screenshots.map(({ sizes }: { sizes: string }) => sizes),
    );

    await page.goto(site.url + shortcuts[0].url);
    await waitFor('the field', () => hasFocus(page, FIELD));
    assert.equal(await textOf(page, '[data-testid="go-to"] h2'), 'New message');
    assert.equal(await page.$(SHARED), null);
    assert.equal(page.url(), `${site.url}/`);
    await her.click(`go-to-${bob.id}`);
    await untilEqual(() => draftOf(page), '');
  });
});

onChromium('A text that another app shares', (browser) => {
  test('is the draft of the conversation that the user chooses, below what they wrote before', async (t) => {
    const { site, alice, bob } = await startTalk(t);
    const carol = await site.join('carol');
    const her = await arrive(t, browser(), site, 'alice');
    const { page } = her;
    await her.signIn();
    await her.openChat(bob);
    await her.fill(COMPOSER, 'half a sentence');
    await waitFor('the draft in the storage', () => page.evaluate(isKept, 'half a sentence'));
    await share(her, { title: 'A page', text: 'Look', url: 'https://example.org/' });
    assert.equal(page.url(), `${site.url}/`);
    await assertAccessible(page, 'the dialog with a shared text');
    await page.setViewport({ width: 320, height: 568 });
    await assertAccessible(page, 'the same on a phone');
    await page.setViewport({ width: 1280, height: 800 });
    await choose(her, bob);
    await untilEqual(() => draftOf(page), 'half a sentence\nLook\nhttps://example.org/');
    await share(her, { text: '<img src=x onerror=alert(1)>\0' });
    assert.equal(await textOf(page, SHARED), 'Draft: <img src=x onerror=alert(1)>');
    assert.equal(await page.$(`${SHARED} img`), null);
    await choose(her, carol);
    await untilEqual(() => draftOf(page), '<img src=x onerror=alert(1)>');
    // Nothing was sent, and what the user leaves goes nowhere.
    await share(her, { text: 'of no use' });
    await page.keyboard.press('Escape');
    await waitFor('the dialog to go', async () => (await page.$('dialog')) === null);
    await her.openChat(carol);
    assert.equal(await draftOf(page), '<img src=x onerror=alert(1)>');
    for (const peer of [bob, carol]) {
      const { body } = await site.get(`/api/messages?peer=${peer.id}`, alice.token);
      assert.deepEqual(body.data.items, [], peer.username);
    }
  });

  test('that is too long stays on the device, which says so', async (t) => {
    const { site, bob } = await startTalk(t);
    const her = await arrive(t, browser(), site, 'alice');
    await her.signIn();
    await her.find('find-people');
    await waitForWorker(her.page);
    // A server takes no address of this length.
    await share(her, { text: 'x'.repeat(30_000) });
    await choose(her, bob);
    await untilEqual(() => draftOf(her.page), 'x'.repeat(10_000));
    assert.equal(await textOf(her.page, '[data-testid="room-left"]'), '6000 characters over the limit');
    await her.page.waitForSelector('[data-testid="send"]:disabled');
  });

  test('waits for a user who signs in first', async (t) => {
    const { site, bob } = await startTalk(t);
    const her = await arrive(t, browser(), site, 'alice');
    const { page } = her;
    await page.goto(`${site.url}/new?text=Look`);
    await waitFor('the sign-up', () => page.url() === `${site.url}/sign-up`);
    await her.click('other-way');
    await page.waitForSelector('[autocomplete="current-password"]');
    await fill(page, '[name="username"]', 'alice');
    await fill(page, '[name="password"]', her.password);
    await page.keyboard.press('Enter');
    await page.waitForSelector(SHARED);
    await choose(her, bob);
    await untilEqual(() => draftOf(page), 'Look');
  });
});

async function share({ page, site }: Person, shared: Record<string, string>): Promise<void> {
  await page.goto(`${site.url}/new?${new URLSearchParams(shared)}`);
  await page.waitForSelector(SHARED);
  await waitFor('the field', () => hasFocus(page, FIELD));
}

async function choose(her: Person, { id, username }: Account): Promise<void> {
  await her.fill(FIELD, username);
  await her.click(`go-to-${id}`);
  await waitFor('the chat', () => her.page.url().endsWith(`/chat/${id}`));
}

async function draftOf(page: Page): Promise<string | undefined> {
  return page.evaluate((selector) => document.querySelector<HTMLTextAreaElement>(selector)?.value, COMPOSER);
}

function withoutShare(): void {
  Object.defineProperty(navigator, 'share', { configurable: true, value: undefined });
}

/** As a browser on a phone, whose sheet a test cannot touch. */
function withShare(): void {
  window.shared = [];
  const share = async (data: unknown) => {
    window.shared.push(data);
    if (window.shareFails) throw new DOMException('', window.shareFails);
  };
  Object.defineProperty(navigator, 'share', { configurable: true, value: share });
}

function withoutClipboard(): void {
  Object.defineProperty(navigator, 'clipboard', { configurable: true, value: undefined });
}
