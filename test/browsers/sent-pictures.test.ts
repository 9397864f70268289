import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { choosePicture } from './chosen-file.ts';
import { drawnPicture, uploadPicture } from './drawn-picture.ts';
import { onChromium, onEachBrowser } from './each-browser.ts';
import { setOffline } from './offline.ts';
import { arrive, type Person } from './person.ts';
import type { Account } from './site.ts';
import { hasFocus, openChat, startTalk, type Talk, textOf } from './talk.ts';
import { waitFor } from './waiting.ts';

const FIELD = '[data-testid="attach-file"]';
const PICTURE = '[data-testid="picture"] img';

onEachBrowser('A picture in a message', (browser) => {
  test('is looked at before it is sent, with a caption, made smaller, and opened by both', async (t) => {
    const talk = await startTalk(t);
    const { alice, bob, site } = talk;
    await talk.write(bob, alice, 'hi');
    const her = await openChat(t, browser(), talk);
    const his = await arrive(t, browser(), site, 'bob');
    await his.signIn();
    await his.openChat(alice);
    await her.page.bringToFront();
    await her.fill('[data-testid="composer"]', 'The harbour');
    await choosePicture(her.page, FIELD, { width: 3000, height: 1500 });
    await her.page.waitForSelector('[data-testid="looked-at"]');
    // What was written becomes the caption.
    assert.equal(
      await her.page.$eval('[data-testid="caption"]', (one) => (one as HTMLTextAreaElement).value),
      'The harbour',
    );
    await her.page.click('[data-testid="look-send"]');
    await her.waitForMessage('The harbour');
    await his.page.bringToFront();
    await his.page.waitForSelector(PICTURE);
    assert.equal(
      await her.page.$eval('[data-testid="composer"]', (one) => (one as HTMLTextAreaElement).value),
      '',
    );

    const { items } = (await site.get(`/api/messages?peer=${bob.id}`, alice.token)).body.data;
    const { type, width, height } = items.at(-1).picture;
    assert.deepEqual([type, width, height], ['image/webp', 2048, 1024]);
    await waitFor('the preview', async () => (await sizeOf(his.page, PICTURE)).join() === '480,240');
    const { src, alt } = await his.page.$eval(PICTURE, ({ src, alt }) => ({ src, alt }) as HTMLImageElement);
    assert.match(src, /^blob:/);
    assert.equal(alt, 'The harbour');
    const row = await his.conversation(alice);
    assert.match(row?.preview ?? '', /Picture: The harbour/);

    await his.page.focus('[data-testid="picture"]');
    await his.page.keyboard.press('Enter');
    const whole = '[data-testid="whole-picture"][data-whole]';
    await his.page.waitForSelector(whole);
    await waitFor('all of it', async () => (await sizeOf(his.page, whole)).join() === '2048,1024');
    await his.page.keyboard.press('Escape');
    await waitFor('the message', () => hasFocus(his.page, '[data-testid="picture"]'));
    assert.equal(await his.page.$('dialog'), null);
  });

  test('is kept by its id for the next start, until it is unsent or the user signs out', async (t) => {
    const talk = await startTalk(t);
    const { alice, bob, site } = talk;
    await show(talk, bob, alice, 'one');
    await show(talk, bob, alice, 'two');
    const her = await openChat(t, browser(), talk);
    await waitFor('both', () => isShown(her, 2));
    await waitFor('both on the device', async () => (await her.page.evaluate(keptPreviews)).length === 2);
    const asked: string[] = [];
    her.page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/api/pictures')) asked.push(pathname);
    });
    await her.page.reload();
    await waitFor('both again', () => isShown(her, 2));
    assert.deepEqual(asked, []);
    await site.post('/api/messages/unsend', { peer: alice.id, n: 1 }, bob.token);
    await waitFor('one', async () => (await her.page.evaluate(keptPreviews)).length === 1);
    await waitFor('one', () => isShown(her, 1));
    await her.page.goto(`${site.url}/settings`);
    await her.find('settings-profile');
    await her.signOut();
    assert.deepEqual(await her.page.evaluate(keptPreviews), []);
  });
});

onChromium('A picture in a message', (browser) => {
  test('that is written offline is on the device over a reload, and sent once', async (t) => {
    const talk = await startTalk(t);
    const { alice, bob, site } = talk;
    await talk.write(bob, alice, 'hi');
    const her = await openChat(t, browser(), talk);
    her.faults.expectOutage();
    her.faults.expect(/ERR_INTERNET_DISCONNECTED|NS_ERROR_OFFLINE/);
    await setOffline(browser(), her.page, true);
    await her.find('connection-banner');
    await choosePicture(her.page, FIELD, { width: 600, height: 400 });
    await her.page.waitForSelector('[data-testid="looked-at"]');
    await her.page.click('[data-testid="look-send"]');
    await her.page.waitForSelector(PICTURE);
    assert.match((await her.conversation(bob))?.preview ?? '', /Picture/);
    await waitFor('the device', () => her.page.evaluate(isPictureKept));
    await her.page.reload();
    await her.page.waitForSelector(PICTURE);
    assert.deepEqual(await sizeOf(her.page, PICTURE), [480, 320]);
    await setOffline(browser(), her.page, false);
    await her.page.waitForSelector('[data-message][data-own] [data-state="stored"]');
    const { items } = (await site.get(`/api/messages?peer=${bob.id}`, alice.token)).body.data;
    assert.deepEqual([items.length, items[1].body, items[1].picture.width], [2, '', 600]);
    assert.equal(await her.page.evaluate(isPictureKept), false);
  });

  test('can be pasted and dropped, and what is no picture is said to be none', async (t) => {
    const talk = await startTalk(t);
    const her = await openChat(t, browser(), talk);
    await her.find('attach');
    for (const type of ['paste', 'drop'] as const) {
      assert.equal(await her.page.evaluate(givePicture, type), false, `${type} is not left to the browser`);
      await her.page.waitForSelector('[data-testid="looked-at"]');
      await her.page.click('[data-testid="look-cancel"]');
      await waitFor('the composer', () => hasFocus(her.page, '[data-composer]'));
    }
    await her.page.$eval(FIELD, (input) => {
      const files = new DataTransfer();
      files.items.add(new File(['no picture'], 'picture.png', { type: 'image/png' }));
      (input as HTMLInputElement).files = files.files;
      input.dispatchEvent(new Event('change', { bubbles: true }));
    });
    await waitFor('the sentence', async () => /can’t be read/.test(await textOf(her.page, 'dialog')));
    assert.equal(await her.page.$('[data-testid="look-send"]'), null);
  });

  test('has its space before it is there, and one that cannot be loaded says so and is tried again', async (t) => {
    const talk = await startTalk(t);
    const { alice, bob } = talk;
    await show(talk, bob, alice, 'The harbour');
    const her = await arrive(t, browser(), talk.site, 'alice');
    her.faults.expect(/^500 /, /^failed: /);
    await her.signIn();
    const held = Promise.withResolvers<void>();
    let failures = 1;
    await her.page.setRequestInterception(true);
    her.page.on('request', async (request) => {
      if (!new URL(request.url()).pathname.startsWith('/api/pictures')) return request.continue();
      await held.promise;
      return failures-- > 0 ? request.respond({ status: 500, body: 'no' }) : request.continue();
    });
    await her.openChat(bob);
    await her.waitForMessage('The harbour');
    const heightOf = () =>
      her.page.$eval('[data-message]', (message) => Math.round(message.getBoundingClientRect().height));
    const before = await heightOf();
    held.resolve();
    const retry = '[data-message] button:not([data-testid])';
    await her.page.waitForSelector(retry);
    assert.equal(await heightOf(), before);
    await her.page.click(retry);
    await her.page.waitForSelector(PICTURE);
    assert.equal(await heightOf(), before);
  });

  test('of a stranger is neither loaded nor shown before the request is accepted', async (t) => {
    const talk = await startTalk(t);
    const { alice, bob, site } = talk;
    await site.post('/api/user/privacy', { messages: 'requests' }, alice.token);
    await show(talk, bob, alice, 'Look');
    const her = await arrive(t, browser(), site, 'alice');
    const asked: string[] = [];
    her.page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await her.signIn();
    await her.page.goto(`${site.url}/chat/${bob.id}`);
    await her.find('request-bar');
    await her.waitForMessage('Look');
    await waitFor('the words', async () =>
      /Accept the request to see this picture/.test(await textOf(her.page, '[data-message]')),
    );
    assert.ok(!asked.some((path) => path.startsWith('/api/pictures')));
    await her.click('request-accept');
    await her.page.waitForSelector(PICTURE);
  });

  test('leads to the next ones by the arrows, and is closed when it is unsent', async (t) => {
    const talk = await startTalk(t);
    const { alice, bob, site } = talk;
    for (const caption of ['one', 'two']) await show(talk, bob, alice, caption);
    const her = await openChat(t, browser(), talk);
    await waitFor('both', () => isShown(her, 2));
    await her.page.click('[data-testid="picture"]');
    const caption = () => textOf(her.page, 'dialog p');
    await waitFor('the first', async () => (await caption()) === 'one');
    await her.page.keyboard.press('ArrowRight');
    await waitFor('the second', async () => (await caption()) === 'two');
    await her.page.keyboard.press('ArrowRight');
    await her.page.keyboard.press('ArrowLeft');
    await waitFor('the first', async () => (await caption()) === 'one');
    await her.page.waitForSelector('[data-testid="whole-picture"][data-whole]');
    await site.post('/api/messages/unsend', { peer: alice.id, n: 1 }, bob.token);
    await waitFor('the messages', async () => (await her.page.$('dialog')) === null);
  });

  test('is opened from a search in the conversation too', async (t) => {
    const talk = await startTalk(t);
    await show(talk, talk.bob, talk.alice, 'The harbour');
    const her = await openChat(t, browser(), talk);
    await her.page.goto(`${talk.site.url}/chat/${talk.bob.id}?q=harbour&n=1`);
    await her.page.waitForSelector(`[data-testid="found-window"] ${PICTURE}`);
    await her.page.click('[data-testid="picture"]');
    await her.page.waitForSelector('[data-testid="whole-picture"][data-whole]');
  });

  test('is not offered where the service takes none', async (t) => {
    const talk = await startTalk(t, { PICTURES: 'off' });
    const her = await openChat(t, browser(), talk);
    await her.page.waitForFunction(() => localStorage.getItem('doorman.pictures') === 'off');
    await waitFor('no button', async () => (await her.page.$('[data-testid="attach"]')) === null);
    await her.page.reload();
    await her.find('announcer');
    assert.equal(await her.page.$('[data-testid="attach"]'), null);
  });
});

async function show({ site }: Talk, from: Account, to: Account, body: string): Promise<void> {
  const picture = await uploadPicture(site, from.token, drawnPicture(60, 40));
  const message = { to: to.id, cid: crypto.randomUUID(), body, picture };
  assert.equal((await site.post('/api/messages', message, from.token)).status, 200);
}

async function isShown({ page }: Person, count: number): Promise<boolean> {
  const shown = await page.$$eval(
    PICTURE,
    (images) => images.filter((image) => (image as HTMLImageElement).naturalWidth > 0).length,
  );
  return shown === count;
}

/** In its own pixels. */
function sizeOf(page: Page, selector: string): Promise<number[]> {
  return page.$eval(selector, (image) => {
    const { naturalWidth, naturalHeight } = image as HTMLImageElement;
    return [naturalWidth, naturalHeight];
  });
}

/** In the page: the previews on this device. */
async function keptPreviews(): Promise<string[]> {
  const names = (await caches.keys()).filter((name) => name.startsWith('doorman-previews'));
  const kept = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
  return kept.flat().map(({ url }) => url);
}

/** In the page: whether the bytes of a picture wait on this device. */
function isPictureKept(): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('doorman');
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const reading = opening.result.transaction('kept').objectStore('kept').getAllKeys();
      reading.onerror = () => reject(reading.error);
      reading.onsuccess = () => {
        opening.result.close();
        resolve(reading.result.some((key) => String(key).startsWith('outgoing-picture/')));
      };
    };
  });
}

/** In the page: pastes or drops a picture on the composer. @returns whether the browser would do something with it */
async function givePicture(type: 'paste' | 'drop'): Promise<boolean | undefined> {
  const canvas = document.createElement('canvas');
  canvas.getContext('2d')?.fillRect(0, 0, 40, 40);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve));
  const data = new DataTransfer();
  data.items.add(new File([blob ?? ''], 'picture.png', { type: 'image/png' }));
  const options = { bubbles: true, cancelable: true };
  const event =
    type === 'paste'
      ? new ClipboardEvent(type, { ...options, clipboardData: data })
      : new DragEvent(type, { ...options, dataTransfer: data });
  return document.querySelector('[data-testid="composer"]')?.dispatchEvent(event);
}
