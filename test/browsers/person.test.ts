import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachBrowser } from './each-browser.ts';
import { arrive } from './person.ts';
import { startSite, startSiteProcess } from './site.ts';

onEachBrowser('Two users', (browser) => {
  test('find each other, become friends, and chat', async (t) => {
    const site = await startSite(t);
    const [alice, bob] = [await arrive(t, browser(), site, 'alice'), await arrive(t, browser(), site, 'bob')];
    await bob.signUp();
    await alice.signUp();
    await alice.openProfile(bob);
    await alice.click('friend-request');
    await bob.openProfile(alice);
    await bob.click('friend-accept');
    await alice.find('friend-remove');
    await alice.openChat(bob);
    await bob.click('nav-chats');
    await alice.write('Tea at five? 🫖');
    await bob.waitForUnread(alice, 1);
    assert.match((await bob.conversation(alice))?.preview ?? '', /Tea at five\? 🫖/);
    await alice.waitForMessage('Tea at five? 🫖', 'received');
    await bob.openChat(alice);
    await alice.waitForMessage('Tea at five? 🫖', 'read');
    await bob.waitForUnread(alice, 0);
    await alice.waitForPresence(/^online$/);
    await bob.write('With pleasure');
    await alice.waitForMessage('With pleasure');
    await alice.choose('block');
    await bob.waitForPresence(/^(?:offline|last seen)/);
    await bob.signOut();
  });

  test('lose nothing when the service is killed', async (t) => {
    const site = await startSiteProcess(t);
    const [alice, bob] = [await arrive(t, browser(), site, 'alice'), await arrive(t, browser(), site, 'bob')];
    await bob.signUp();
    await alice.signUp();
    await alice.openChat(bob);
    await alice.write('before');
    await alice.waitForMessage('before', 'received');
    for (const { faults } of [alice, bob]) faults.expectOutage();
    await site.kill();
    await alice.write('during');
    await alice.waitForMessage('during', 'waiting');
    await alice.page.reload();
    await alice.waitForMessage('during', 'waiting');
    await site.start();
    await alice.waitForMessage('during', 'received');
    await bob.openChat(alice);
    await bob.waitForMessage('during');
    assert.deepEqual(
      (await bob.messages()).map(({ body }) => body),
      ['before', 'during'],
    );
  });
});
