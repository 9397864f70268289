import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onChromium } from './each-browser.ts';
import { arrive } from './person.ts';
import { startSite } from './site.ts';

onChromium('Addresses with an id that no user can have', (browser) => {
  for (const path of ['/people/%00', '/chat/%00'])
    test(`${path} shows that there is no such user, and the connection stays live`, async (t) => {
      const site = await startSite(t);
      const alice = await arrive(t, browser(), site, 'alice');
      await alice.signUp();
      const bob = await site.join('bob');
      const { page } = alice;
      await page.goto(site.url + path);
      await page.waitForFunction(() => document.body.innerText.includes('The link may be mistyped'));
      // A message to alice comes over the connection that saw the address.
      const message = { to: alice.id, cid: 'c1', body: 'hi' };
      assert.equal((await site.post('/api/messages', message, bob.token)).status, 200);
      await page.waitForFunction(() => document.title.includes('1'));
      assert.equal(new URL(page.url()).pathname, path);
    });
});
