import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { placesOf } from './appearance.ts';
import { assertAccessible } from './axe.ts';
import { onChromium } from './each-browser.ts';
import { holdAnswers } from './held-answers.ts';
import { arrive } from './person.ts';
import { startTalk, textOf } from './talk.ts';
import { waitFor } from './waiting.ts';

const BEGINNING = '[data-testid="beginning"]';

onChromium('The invitation to say hello', (browser) => {
  test('stands before a user who exists, in the place of grey rows', async (t) => {
    const { site, bob } = await startTalk(t);
    const her = await arrive(t, browser(), site, 'alice');
    await her.signIn();
    const { page } = her;
    const answers = await holdAnswers(page, `/api/user/profile/${bob.id}`);
    await page.goto(`${site.url}/chat/${bob.id}`);
    await page.waitForSelector(`${BEGINNING}[aria-busy="true"]`);
    assert.equal(await textOf(page, BEGINNING), '');
    await assertAccessible(page, 'a conversation whose user is not known yet');
    const before = await placesOf(page, `${BEGINNING}, ${BEGINNING} > *`);
    await answers.release();
    await waitFor('the invitation', async () => /^B?Say hello to bob/.test(await textOf(page, BEGINNING)));
    const places = (all: string[]) => all.map((place) => place.replace(/^.*: \d+/, ''));
    assert.deepEqual(places(await placesOf(page, `${BEGINNING}, ${BEGINNING} > *`)), places(before));
  });

  test('never stands before a user who does not exist', async (t) => {
    const { site } = await startTalk(t);
    const her = await arrive(t, browser(), site, 'alice');
    await her.signIn();
    const { page } = her;
    const nobody = randomUUID();
    her.faults.expect(/^404 GET \/api\/user\/profile\//);
    await page.evaluateOnNewDocument(noteHello);
    const answers = await holdAnswers(page, `/api/user/profile/${nobody}`);
    await page.goto(`${site.url}/chat/${nobody}`);
    await page.waitForSelector(BEGINNING);
    await answers.release();
    await waitFor('the sentence', () =>
      page.evaluate(() => document.body.innerText.includes('Profile not found')),
    );
    assert.equal(await page.evaluate(() => document.documentElement.dataset.hello), undefined);
  });
});

/** In the page: sets `data-hello` on `<html>` once the invitation is in the document. */
function noteHello(): void {
  const look = () => {
    if (document.body?.innerText.includes('Say hello')) document.documentElement.dataset.hello = '';
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true });
}
