import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import type { Page } from 'puppeteer-core';
import type { Body } from '../harness.ts';
import { startPushService } from '../push-service.ts';
import { startChromium } from './chromium.ts';
import { openDelivery } from './chromium-pushes.ts';
import { onChromium } from './each-browser.ts';
import { endingsOf } from './endings.ts';
import { openGate } from './gate.ts';
import { setNotificationPermission, shownNotifications, waitForNotification } from './notifications.ts';
import { buildPage } from './page-build.ts';
import { openContext, openWindow, PATIENCE_MS, type RunningBrowser } from './running-browser.ts';
import { startSite } from './site.ts';
import { waitFor } from './waiting.ts';
import { waitForWorker, workerPage } from './worker-page.ts';

const FALLBACK = { title: 'Doorman', body: 'New message', tag: 'doorman', data: { path: '/' } };
const CHAT = '/chat/0199c6f1-2a34-7000-8abc-0123456789ab';

onChromium('A push', (chromium) => {
  const group = { after };
  // Registered now: inside of `before`, `after` would mean the end of `before`.
  endingsOf(group);
  let built = '';
  before(async () => {
    built = await buildPage(group, workerPage('first'));
  });

  /** A page with permission to notify, its worker, and a function that sends it a push. */
  async function start(t: TestContext, { browser = chromium() }: { browser?: RunningBrowser } = {}) {
    const gate = await openGate(t);
    const site = await startSite(t, {
      world: { pageFolder: built },
      env: { PUBLIC_URL: gate.url, PUSH_ALLOW_PRIVATE: '1' },
    });
    gate.target = site.url;
    const context = await openContext(t, browser);
    await setNotificationPermission(context, gate.url, 'granted');
    const page = await openWindow(context, gate.url);
    const push = await openDelivery(page);
    await waitForWorker(page);
    return { gate, site, page, push };
  }

  test('a push is shown with the text of its payload', async (t) => {
    const { gate, page, push } = await start(t);
    await push({
      web_push: 8030,
      notification: {
        title: 'alice <b>&amp;</b> \u202ebob',
        lang: 'zh-CN',
        body: '3 条新消息\nTea at five? 🫖',
        navigate: gate.url + CHAT,
        tag: 'chat-1',
      },
      app_badge: 3,
    });
    const { icon, ...shown } = await waitForNotification(page);
    assert.deepEqual(shown, {
      title: 'alice <b>&amp;</b> \u202ebob',
      lang: 'zh-CN',
      body: '3 条新消息\nTea at five? 🫖',
      tag: 'chat-1',
      data: { path: CHAT },
    });
    const { status, type } = await page.evaluate(async (url) => {
      const answer = await fetch(url);
      return { status: answer.status, type: answer.headers.get('content-type') };
    }, icon);
    assert.deepEqual([new URL(icon).origin, status, type], [gate.url, 200, 'image/png']);
  });

  test('a push without a valid payload is shown with a fixed text', async (t) => {
    const { page, push } = await start(t);
    const huge = JSON.stringify({ notification: { title: 'Mallory', body: 'x'.repeat(100_000) } });
    for (const payload of ['', '{', 'null', '[]', '"Mallory"', '{"notification":7}', '\0\ufffd', huge]) {
      await push(payload);
      const { icon, lang, ...shown } = await waitForNotification(page);
      assert.deepEqual(shown, FALLBACK, payload.slice(0, 50));
      await closeAll(page);
    }
  });

  test('a hostile push opens nothing but the page', async (t) => {
    const { gate, page, push } = await start(t);
    for (const navigate of [
      'https://evil.example/login',
      '//evil.example/chat/1/x',
      `${gate.url}//evil.example/chat/1`,
      `${gate.url}@evil.example/`,
      'javascript:alert(1)',
      `${gate.url}/api/logout`,
      `${gate.url}/chat/../docs`,
      { url: CHAT },
    ]) {
      await push({ notification: { title: 'x', navigate, data: { path: 'https://evil.example/' } } });
      const { data } = await waitForNotification(page, { title: 'x' });
      assert.deepEqual(data, { path: '/' }, JSON.stringify(navigate));
      await closeAll(page);
    }
  });

  test('fixed texts are in the language of the browser', async (t) => {
    const { page, push } = await start(t, { browser: await startChromium(t, { languages: 'zh-CN,zh' }) });
    await push('');
    await waitForNotification(page, { title: 'Doorman', body: '新消息' });
  });

  test('a conversation has one notification, which the next message replaces', async (t) => {
    const { gate, page, push } = await start(t);
    const sendPush = (title: string, body: string) =>
      push({ notification: { title, body, navigate: `${gate.url}/chat/${title}`, tag: `chat-${title}` } });
    await sendPush('alice', 'one');
    await sendPush('bob', 'two');
    await sendPush('alice', 'three');
    await waitForNotification(page, { body: 'three' });
    const shown = await shownNotifications(page);
    assert.deepEqual(
      shown.map(({ title, body }) => [title, body]),
      [
        ['bob', 'two'],
        ['alice', 'three'],
      ],
    );
  });

  test('the push log records that a message was shown', async (t) => {
    const { site, page, push } = await start(t);
    const pushService = endingsOf(t).use(await startPushService());
    const [alice, bob] = [await site.join('alice'), await site.join('bob')];
    const subscription = pushService.subscribe((await site.get('/api/push/public-key')).body.publicKey);
    await site.post('/api/push/subscribe', { userId: bob.id, subscription }, bob.token);
    await site.post('/api/messages', { to: bob.id, cid: 'c-1', body: 'Tea?' }, alice.token);
    const { text = '' } = await pushService.next(subscription.endpoint, PATIENCE_MS);
    const log = async (): Promise<Body> => (await site.get('/api/push/log', bob.token)).body.data[0];
    await waitFor('the log', async () => (await log())?.outcome === 'accepted');
    assert.deepEqual([(await log()).shown, (await log()).clicked], [null, null]);

    await push(text);
    const { data } = await waitForNotification(page, { title: 'alice', tag: `chat-${alice.id}` });
    assert.deepEqual(data, { path: `/chat/${alice.id}`, receipt: JSON.parse(text).doorman.receipt });
    await waitFor('the receipt', async () => (await log()).shown !== null);
    const { at, shown, clicked } = await log();
    assert.ok(shown >= at, `shown at ${shown}, sent at ${at}`);
    assert.equal(clicked, null);
  });

  test('without the service a push is shown, and its receipt is sent twice', async (t) => {
    const { gate, page, push } = await start(t);
    for (const state of ['closed', 'broken'] as const) {
      gate.state = state;
      gate.asked.length = 0;
      await push({ notification: { title: state }, doorman: { receipt: 'r-1' } });
      await waitForNotification(page, { title: state });
      const receipts = () => gate.asked.filter((asked) => asked === 'POST /api/push/receipt');
      await waitFor('the receipts', () => receipts().length === 2);
    }
  });
});

async function closeAll(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    for (const notification of await registration.getNotifications()) notification.close();
  });
  await waitFor('an empty screen', async () => (await shownNotifications(page)).length === 0);
}
