import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { onChromium } from './each-browser.ts';
import { endingsOf, type Scope } from './endings.ts';
import type { Account } from './site.ts';
import { openChat, startTalk } from './talk.ts';
import { waitFor } from './waiting.ts';

/** One pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

onChromium('Pictures of users', (browser) => {
  test('are requested once if there is none, again at another address, and when the network is back', async (t) => {
    const pictures = await startPictures(t);
    const talk = await startTalk(t);
    const { site, alice, bob } = talk;
    const carol = await site.join('carol');
    const setAvatar = async (of: Account, avatar: string) =>
      assert.equal((await site.post('/api/user/profile', { avatar }, of.token)).status, 200);
    await setAvatar(bob, pictures.url('gone'));
    await setAvatar(carol, pictures.url('carol'));
    for (const peer of [bob, carol]) await talk.write(peer, alice, 'hi');
    const her = await openChat(t, browser(), talk);
    const { page } = her;
    her.faults.expect(/^elsewhere: /, /^404 /, /ERR_INTERNET_DISCONNECTED/);
    const row = `[data-testid="conversation-${carol.id}"]`;
    await page.waitForSelector(`${row} img`);
    await waitFor('the request', () => pictures.requests('gone') === 1);

    // Rows, headers and a field that show Bob's picture come and go.
    await her.openProfile(bob);
    await her.openChat(carol);
    await her.openChat(bob);
    assert.equal(await page.$(`[data-testid="conversation-${bob.id}"] img`), null);
    await her.click('own-profile');
    await her.fill('[name="avatar"]', pictures.url('gone'));
    await page.waitForSelector('[data-testid="avatar-unseen"]:not(:empty)');
    assert.equal(pictures.requests('gone'), 1);
    await her.fill('[name="avatar"]', pictures.url('new'));
    await page.waitForSelector('form img[src$="/new.png"]');
    await her.click('undo-profile');

    // The page opens from the device; only the pictures are not there.
    await her.click('nav-chats');
    await waitFor('the worker', () => page.evaluate(() => navigator.serviceWorker.controller !== null));
    const failed: string[] = [];
    page.on('requestfailed', (request) => failed.push(request.url()));
    her.faults.expectOutage();
    await page.setOfflineMode(true);
    await page.reload();
    await waitFor('the failure', () => failed.includes(pictures.url('carol')));
    await page.waitForSelector(`${row}:not(:has(img))`);
    await page.setOfflineMode(false);
    await page.waitForSelector(`${row} img`);
  });

  test('a relative address leads to the root of the service in every view', async (t) => {
    const talk = await startTalk(t);
    const { site, alice, bob } = talk;
    const { status } = await site.post('/api/user/profile', { avatar: 'icons/icon-192.png' }, bob.token);
    assert.equal(status, 200);
    await talk.write(bob, alice, 'hi');
    const her = await openChat(t, browser(), talk);
    const { page } = her;
    await page.goto(`${site.url}/chat/${bob.id}`);
    await waitForPicture(page, `a[href="/people/${bob.id}"]`);
    await page.goto(`${site.url}/people/${bob.id}`);
    await waitForPicture(page, '[data-testid="profile"]');
  });
});

/** Waits until a picture is loaded there. @param place a selector */
async function waitForPicture(page: Page, place: string): Promise<void> {
  await waitFor('the picture', () =>
    page.$$eval(`${place} img`, (pictures) => pictures.some((one) => one.complete && one.naturalWidth > 0)),
  );
}

interface Pictures {
  url(name: string): string;
  /** How often this picture was requested. */
  requests(name: string): number;
}

/** A server of pictures, which no browser may cache. Only `gone` is not there. */
async function startPictures(scope: Scope): Promise<Pictures> {
  const requested: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    requested.push(url);
    if (url === '/gone.png') return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'image/png', 'cache-control': 'no-store' }).end(PIXEL);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endingsOf(scope).defer(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  // The address of a TCP server is an object.
  const { port } = server.address() as AddressInfo;
  return {
    url: (name) => `http://127.0.0.1:${port}/${name}.png`,
    requests: (name) => requested.filter((url) => url === `/${name}.png`).length,
  };
}
