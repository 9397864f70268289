import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onChromium } from './each-browser.ts';
import { holdAnswers } from './held-answers.ts';
import { arrive } from './person.ts';
import type { RunningBrowser } from './running-browser.ts';
import { startSite } from './site.ts';
import { waitFor } from './waiting.ts';

onChromium('A confirmation', (browser) => {
  test('is over when its dialog is closed, even if an event shows the result before the answer', async (t) => {
    const { alice, bob } = await meet(t, browser());
    await alice.openProfile(bob);
    const answers = await holdAnswers(alice.page, '/api/user/block');
    await alice.click('block');
    const steps: string[] = [];
    const confirmed = alice.confirm().then(() => steps.push('confirmed'));
    await alice.find('blocked-notice');
    assert.ok(await alice.page.$('dialog[open]'), 'the dialog waits for the answer');
    steps.push('answered');
    await answers.release();
    await confirmed;
    assert.deepEqual(steps, ['answered', 'confirmed']);
    await alice.click('unblock');
    await alice.confirm();
    await alice.find('block');
  });

  test('whose dialog was closed does not close the next dialog when its answer arrives', async (t) => {
    const { alice, bob } = await meet(t, browser());
    await alice.openChat(bob);
    const answers = await holdAnswers(alice.page, '/api/user/block');
    await alice.click('menu');
    await alice.click('menu-block');
    await alice.click('confirm-yes');
    await alice.find('composer-blocked');
    await alice.click('confirm-no');
    await alice.click('menu');
    await alice.click('menu-unblock');
    await alice.find('confirm-yes');
    await answers.release();
    await waitFor('the answer', () => alice.page.$('[data-testid="toasts"]:not(:empty)'));
    assert.ok(await alice.page.$('dialog[open]'), 'the second dialog stays open');
    await alice.confirm();
    await alice.find('composer');
  });
});

onChromium('Back', (browser) => {
  test('closes an open dialog, then leaves the view; forward and reload are as before', async (t) => {
    const { alice, bob } = await meet(t, browser());
    const { page } = alice;
    await alice.openChat(bob);
    const entries = () => page.evaluate(() => history.length);
    const before = await entries();
    await alice.click('menu');
    await alice.click('menu-block');
    await alice.find('confirm-dialog');
    // From the browser, as its button does; the driver would wait for a navigation.
    await page.evaluate(() => history.back());
    await waitFor('no dialog', async () => (await page.$('dialog[open]')) === null);
    assert.ok(page.url().endsWith(`/chat/${bob.id}`));
    await alice.find('composer');
    assert.equal(await entries(), before);
    await page.evaluate(() => history.back());
    await waitFor('the view before', () => page.url().includes('/people'));
    await page.evaluate(() => history.forward());
    await alice.find('composer');
    await page.reload();
    await alice.find('composer');
    assert.equal(await page.$('dialog[open]'), null);
  });
});

async function meet(t: TestContext, browser: RunningBrowser) {
  const site = await startSite(t);
  const alice = await arrive(t, browser, site, 'alice');
  await alice.signUp();
  return { alice, bob: await site.join('bob') };
}
