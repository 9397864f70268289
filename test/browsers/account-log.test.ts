import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logAct } from '../../src/accounts/log/account-log.ts';
import type { Db } from '../../src/db/db.ts';
import { appear } from './appearance.ts';
import { onChromium } from './each-browser.ts';
import { arrive } from './person.ts';
import { startSite } from './site.ts';
import { waitFor } from './waiting.ts';

onChromium('The account log', (browser) => {
  test('says what happened, when and from where, and shows more by keyboard', async (t) => {
    const dbs: Db[] = [];
    const site = await startSite(t, { opened: ({ db }) => void dbs.push(db) });
    const db = dbs[0] ?? assert.fail();
    const bob = await site.join('bob');
    const alice = await arrive(t, browser(), site, 'alice');
    const { page } = alice;
    await appear(t, browser(), page, { languages: 'en-US,en' });
    await alice.signUp();
    const at = Date.now();
    const act = { userId: alice.id, at };
    await logAct(db, { ...act, what: 'suspended', detail: { by: 'operator', reason: 'Spam' } });
    const attempt = { ...act, device: 'curl/8.9', address: '203.0.113.7' };
    for (let n = 60; n > 0; n--) await logAct(db, { ...attempt, what: 'sign_in_failed', detail: { n } });
    const { token } = (await site.post('/api/login', { username: 'alice', password: alice.password })).body
      .data;
    assert.equal((await site.post('/api/user/block', { blockedId: bob.id }, token)).status, 200);
    await alice.click('nav-settings');
    await alice.click('settings-account-log');
    const rows = () =>
      page.$$eval('[data-testid^="act-"]', (items) =>
        items.map((item) => (item as HTMLElement).innerText.split(/\s*\n\s*/)),
      );
    await alice.find('more-log');
    const first = await rows();
    assert.equal(first.length, 50);
    assert.equal(first[0]?.[0], 'You blocked bob');
    assert.match(first[0]?.[1] ?? '', /^\d+:\d\d [AP]M · .+ · IP address 127\.0\.0\.1$/);
    assert.deepEqual(
      first.slice(1, 4).map(([sentence]) => sentence),
      ['Signed in', 'A sign-in failed: wrong password', '2 sign-ins failed: wrong password'],
    );
    assert.equal(first[49]?.[0], '48 sign-ins failed: wrong password');

    await page.focus('[data-testid="more-log"]');
    await page.keyboard.press('Enter');
    await waitFor('all entries', async () => (await rows()).length === 64);
    const focused = await page.evaluate(
      () => (document.activeElement as HTMLElement).innerText.split('\n')[0],
    );
    assert.equal(focused, '49 sign-ins failed: wrong password');
    const [suspended, created] = (await rows()).slice(-2);
    assert.deepEqual(suspended?.slice(0, 2), ['Account suspended', 'Spam']);
    assert.match(suspended?.[2] ?? '', / · By the administrator$/);
    assert.equal(created?.[0], 'You created this account');
    assert.equal(await page.$('[data-testid="more-log"]'), null);
  });
});
