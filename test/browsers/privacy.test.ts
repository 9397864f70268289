import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appear, comeToRest } from './appearance.ts';
import { assertAccessible } from './axe.ts';
import { onChromium } from './each-browser.ts';
import { arrive } from './person.ts';
import { startSite } from './site.ts';
import { untilEqual, waitFor } from './waiting.ts';

onChromium('Settings > Privacy', (browser) => {
  test('a user finds who can reach and see them, changes it by keyboard, and a refusal undoes it', async (t) => {
    const site = await startSite(t);
    const alice = await arrive(t, browser(), site, 'alice');
    const { page } = alice;
    await appear(t, browser(), page, { width: 320, height: 640, languages: 'en-US,en' });
    await alice.signUp();
    const { token } = (await site.post('/api/login', { username: 'alice', password: alice.password })).body
      .data;
    const chosen = () =>
      page.$$eval('fieldset[data-testid^="privacy-"] input:checked', (all) =>
        all.map((one) => one.value).join(' '),
      );
    const stored = async () =>
      Object.values((await site.get('/api/user/privacy', token)).body.data).join(' ');
    const press = async (name: string, value: string, key: 'ArrowLeft' | 'ArrowRight') => {
      await page.focus(`[data-testid="privacy-${name}"] input[value="${value}"]`);
      await page.keyboard.press(key);
    };

    await alice.click('nav-settings');
    await alice.click('settings-privacy');
    await alice.find('privacy-listed');
    assert.equal(await chosen(), 'everyone everyone everyone on on');
    assert.equal(await page.$eval('h1', (heading) => heading.textContent), 'Privacy');
    const isTooWide = () => document.documentElement.scrollWidth > innerWidth;
    assert.equal(await page.evaluate(isTooWide), false);
    await assertAccessible(page, 'privacy');

    await press('messages', 'everyone', 'ArrowRight');
    await press('presence', 'everyone', 'ArrowRight');
    await press('presence', 'friends', 'ArrowRight');
    await press('read-receipts', 'on', 'ArrowRight');
    await press('listed', 'on', 'ArrowRight');
    assert.equal(await chosen(), 'requests everyone nobody off off');
    await untilEqual(stored, 'requests everyone nobody false false');
    assert.match(
      await page.evaluate(() => document.body.innerText),
      /The first message from someone who isn’t your friend waits until you accept it\./,
    );

    await site.post('/api/user/privacy', { messages: 'friends', readReceipts: true }, token);
    await untilEqual(chosen, 'friends everyone nobody on off');

    let isRefused = true;
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      if (isRefused && request.method() === 'POST' && request.url().endsWith('/api/user/privacy'))
        void request.respond({ status: 400, body: JSON.stringify({ code: 400, error: 'x', msg: 'x' }) });
      else void request.continue();
    });
    alice.faults.expect(/^400 POST .api.user.privacy$/);
    await press('friend-requests', 'everyone', 'ArrowRight');
    await waitFor('what went wrong', async () => (await page.$('[data-testid="toasts"] *')) !== null);
    await untilEqual(chosen, 'friends everyone nobody on off');
    isRefused = false;

    await page.reload();
    await alice.find('privacy-listed');
    assert.equal(await chosen(), 'friends everyone nobody on off');
    assert.equal(await stored(), 'friends everyone nobody true false');
  });

  test('the last of two quick answers to a question is the one that is stored', async (t) => {
    const site = await startSite(t);
    const alice = await arrive(t, browser(), site, 'alice');
    const { page } = alice;
    await alice.signUp();
    await page.goto(`${site.url}/settings/privacy`);
    await alice.find('privacy-presence');
    const asked: string[] = [];
    const held = Promise.withResolvers<void>();
    await page.setRequestInterception(true);
    page.on('request', async (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/api/user/privacy'))
        if (asked.push(JSON.parse(request.postData() ?? '{}').presence) === 1) await held.promise;
      await request.continue();
    });
    await page.focus('[data-testid="privacy-presence"] input[value="everyone"]');
    await page.keyboard.press('ArrowRight');
    await waitFor('the first', () => asked.length === 1);
    await page.keyboard.press('ArrowRight');
    await page.waitForSelector('[data-testid="privacy-presence"] input[value="nobody"]:checked');
    await comeToRest(page);
    assert.deepEqual(asked, ['friends']);
    held.resolve();
    const { token } = (await site.post('/api/login', { username: 'alice', password: alice.password })).body
      .data;
    await untilEqual(async () => (await site.get('/api/user/privacy', token)).body.data.presence, 'nobody');
    assert.deepEqual(asked, ['friends', 'nobody']);
  });
});
