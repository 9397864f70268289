import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAccessible } from './axe.ts';
import { onChromium } from './each-browser.ts';
import { arrive } from './person.ts';
import { startSite } from './site.ts';
import { waitFor } from './waiting.ts';
import { waitForWorker } from './worker-page.ts';

onChromium('An unknown address', (browser) => {
  test('is answered with 404 and shows that nothing is there, with and without a session', async (t) => {
    const site = await startSite(t);
    await site.join('alice');
    const alice = await arrive(t, browser(), site, 'alice');
    const { page } = alice;
    const unknown = ['/nowhere', '/people/', '/settings/nowhere', '/chat/a/b', '/people/%ED%A0%80'];
    alice.faults.expect(/^404 GET \/(?:nowhere|people\/|settings\/nowhere|chat\/a\/b|people\/%ED%A0%80)$/);
    const open = async (path: string) => {
      const answer = await page.goto(site.url + path);
      assert.equal(answer?.status(), 404, path);
      await alice.find('leave-not-found');
      assert.equal(page.url(), site.url + path);
    };
    for (const path of unknown) await open(path);
    await assertAccessible(page, 'an unknown address without a session');
    await waitFor('the title', async () => (await page.title()) === 'Not found · Doorman');
    await alice.click('leave-not-found');
    await alice.signIn();
    // The unknown address is not where the sign-in leads.
    await waitFor('the chats', () => page.url() === `${site.url}/`);

    await waitForWorker(page);
    for (const path of unknown) await open(path);
    await alice.find('nav-people');
    await alice.click('leave-not-found');
    await waitFor('the chats', () => page.url() === `${site.url}/`);
    const answer = await page.evaluate(async () => {
      const { status, headers } = await fetch('/people/%ED%A0%80');
      return `${status} ${headers.get('content-type')}`;
    });
    alice.faults.expect(/^400 GET \/people\/%ED%A0%80$/);
    assert.equal(answer, '400 application/json; charset=utf-8');
  });
});
