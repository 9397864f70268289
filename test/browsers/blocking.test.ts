import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onChromium } from './each-browser.ts';
import { arrive, type Person } from './person.ts';
import type { RunningBrowser } from './running-browser.ts';
import { startSite } from './site.ts';

onChromium('A blocked user', (browser) => {
  test('reaches no page of the blocker until they are unblocked', async (t) => {
    const { alice, aliceElsewhere, bob } = await meet(t, browser());
    await bob.openChat(alice);
    await bob.write('before');
    for (const page of [alice, aliceElsewhere]) {
      await page.openChat(bob);
      await page.waitForMessage('before');
      await page.waitForPresence(/^(?:online|away)$/);
    }
    await alice.choose('block');
    for (const page of [alice, aliceElsewhere]) await page.find('composer-blocked');
    const seen = await Promise.all([alice, aliceElsewhere].map(watchChanges));

    // Bob types, sends, leaves and returns. He does not learn of the block, but his messages are refused.
    await bob.fill('[data-testid="composer"]', 'after');
    await bob.page.keyboard.press('Enter');
    await bob.waitForMessage('after', 'refused');
    await bob.page.reload();
    await bob.waitForMessage('after', 'refused');
    // A message of a third user proves that the sockets of her pages are alive and everything before has arrived.
    const carol = await arrive(t, browser(), bob.site, 'carol');
    await carol.signUp();
    await carol.openChat(alice);
    await carol.write('hello');
    for (const page of [alice, aliceElsewhere]) await page.waitForUnread(carol, 1);
    for (const { shown } of seen) assert.deepEqual(await shown(), []);

    await aliceElsewhere.choose('unblock');
    for (const page of [alice, aliceElsewhere]) {
      await page.find('composer');
      await page.waitForPresence(/^(?:online|away)$/);
    }
    // The refused messages were never stored; now he sends them again.
    await bob.click('retry-all');
    for (const page of [alice, aliceElsewhere]) {
      await page.waitForMessage('after');
      assert.deepEqual(
        (await page.messages()).map(({ body }) => body),
        ['before', 'after'],
      );
    }
  });
});

/** Alice at two devices, and Bob. */
async function meet(t: TestContext, browser: RunningBrowser) {
  const site = await startSite(t);
  const [alice, aliceElsewhere, bob] = [
    await arrive(t, browser, site, 'alice'),
    await arrive(t, browser, site, 'alice'),
    await arrive(t, browser, site, 'bob'),
  ];
  await alice.signUp();
  await aliceElsewhere.signIn();
  await bob.signUp();
  // The refusals are no faults of his page.
  bob.faults.expect(/^403 POST \/api\/messages$/);
  return { alice, aliceElsewhere, bob };
}

/** Records every sign of the other user that the page shows from now on: messages, typing, presence. */
async function watchChanges(person: Person) {
  const before = await person.messages();
  await person.page.evaluate(() => {
    const said: string[] = [];
    Object.assign(window, { said });
    new MutationObserver(() => {
      const presence = document.querySelector('[data-testid="presence"]')?.textContent ?? '';
      if (/online|away|typing/.test(presence)) said.push(presence);
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
  });
  return {
    shown: async () => {
      const said = await person.page.evaluate(
        () => Object.getOwnPropertyDescriptor(window, 'said')?.value as string[],
      );
      const messages = (await person.messages()).slice(before.length).map(({ body }) => body);
      return [...said, ...messages];
    },
  };
}
