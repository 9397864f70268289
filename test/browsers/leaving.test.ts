import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Page } from 'puppeteer-core';
import type { Db } from '../../src/db/db.ts';
import { appear } from './appearance.ts';
import { onChromium } from './each-browser.ts';
import { findLeft } from './left-behind.ts';
import { openSettings } from './notified-person.ts';
import { arrive, type Person } from './person.ts';
import type { RunningBrowser } from './running-browser.ts';
import { type Site, startSite } from './site.ts';
import { untilEqual, waitFor } from './waiting.ts';

async function startLeaving(t: TestContext, env: Record<string, string> = {}) {
  const dbs: Db[] = [];
  const site = await startSite(t, { env, opened: ({ db }) => void dbs.push(db) });
  return { site, db: dbs[0] ?? assert.fail() };
}

/** A person with an English page. */
async function english(t: TestContext, browser: RunningBrowser, site: Site, name: string): Promise<Person> {
  const person = await arrive(t, browser, site, name);
  await appear(t, browser, person.page, { languages: 'en-US,en' });
  return person;
}

onChromium('A user who leaves', (browser) => {
  test('types their username and the password, is signed out everywhere, and comes back by choosing so', async (t) => {
    const { site, db } = await startLeaving(t);
    const bob = await site.join('bob');
    const alice = await english(t, browser(), site, 'alice');
    const desk = await english(t, browser(), site, 'alice');
    const { page } = alice;
    await alice.signUp();
    await alice.openChat(bob);
    await alice.write('The harbour at nine');
    await desk.signIn();
    await desk.find(`conversation-${bob.id}`);
    await db.run`update sessions set confirmed_at = 0`;
    alice.faults.expect(/^40[03] POST \/api\/(?:account\/(?:delete|confirm)|login)$/);
    alice.faults.expect(/^401 /);
    desk.faults.expect(/^401 /);

    // By keyboard alone, from the button on.
    await openSettings(alice, 'security');
    await alice.find('delete-account');
    await page.focus('[data-testid="delete-account"]');
    await page.keyboard.press('Enter');
    assert.match(
      await textOf(page, 'delete-says'),
      /Until \d+ \w+ 20\d\d, \d\d:\d\d you can change your mind: sign in and choose “Keep my account”/,
    );
    await page.focus('[name="name"]');
    await page.keyboard.type('bob');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[name="name"][aria-invalid="true"]:focus');
    await alice.fill('[name="name"]', ' ALICE ');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[name="password"]:focus');
    await page.keyboard.press('Escape');
    await waitFor('one dialog', async () => (await page.$$('dialog')).length === 1);
    await page.waitForSelector('[name="name"]:focus');
    await page.keyboard.press('Enter');
    for (const password of ['not hers', alice.password]) {
      await page.waitForSelector('[name="password"]:focus');
      await alice.fill('[name="password"]', password);
      await page.keyboard.press('Enter');
      if (password !== alice.password)
        await page.waitForSelector('[name="password"][aria-invalid="true"]:focus');
    }

    await alice.find('account-deleted');
    const { due_at: due = 0 } = (await db.get<{ due_at: number }>`select due_at from deletions`) ?? {};
    const time = await page.evaluate(
      (at) =>
        new Intl.DateTimeFormat('en-GB', {
          dateStyle: 'medium',
          timeStyle: 'short',
          hourCycle: 'h23',
        }).format(at),
      due,
    );
    assert.equal(
      await textOf(page, 'account-deleted'),
      `Your account will be deleted on ${time}. Until then you can sign in and choose “Keep my account”.`,
    );
    await desk.find('end-leaving');
    for (const left of [page, desk.page])
      await untilEqual(() => findLeft(left, ['The harbour at nine', bob.id]), []);
    const sent = await site.post(
      '/api/messages',
      { to: alice.id, cid: 'c', body: 'Still there?' },
      bob.token,
    );
    assert.deepEqual([sent.status, sent.body.error], [403, 'not_accepting']);

    // A sign-in alone takes nothing back.
    await signIn(alice, 'a guess');
    await page.waitForSelector('[name="username"][aria-invalid="true"]');
    await signIn(alice, alice.password);
    await page.waitForSelector('[data-testid="keep-account"]:focus');
    assert.equal(await page.title(), 'Keep your account? · Doorman');
    assert.ok(
      (await textOf(page, 'keep-account')).startsWith(
        `This account will be deleted on ${time}, as you asked.`,
      ),
    );
    await alice.click('keep-not');
    await page.waitForSelector('[name="username"]:focus');
    assert.equal((await db.all`select user_id from deletions`).length, 1);

    await signIn(alice, alice.password);
    await alice.find('keep-account');
    await db.run`delete from tickets`;
    await alice.click('enter');
    await untilEqual(
      () => page.$eval('[role="alert"]', (one) => one.textContent),
      'This took too long, or the account is deleted by now. Sign in once more.',
    );
    alice.faults.expect(/^400 POST \/api\/account\/keep$/);
    await alice.click('keep-not');
    await signIn(alice, alice.password);
    await page.waitForSelector('[data-testid="keep-account"]:focus');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await alice.find(`conversation-${bob.id}`);
    await openSettings(alice, 'account-log');
    const acts = await waitFor('the log', async () => {
      const shown = await page.$$eval('[data-what]', (rows) =>
        rows.map((row) => row.getAttribute('data-what')),
      );
      return shown.length > 0 && shown;
    });
    assert.deepEqual(acts.slice(0, 1), ['deletion_undone']);
    assert.ok(acts.includes('deletion_asked'), acts.join());
  });

  test('is told that there is no way back where there is none, and of what is lost', async (t) => {
    const { site } = await startLeaving(t, { DELETION_GRACE: '0' });
    const alice = await english(t, browser(), site, 'alice');
    const { page } = alice;
    await alice.signUp();
    alice.faults.expect(/^400 POST \/api\/login$/);
    alice.faults.expect(/^401 /);
    await openSettings(alice, 'security');
    await alice.click('delete-account');
    const says = await textOf(page, 'delete-says');
    assert.match(says, /logs are deleted right away\. This can’t be undone\./);
    assert.match(says, /No one can use the username alice again, not even you\./);
    assert.doesNotMatch(says, /Until|haven’t been sent/);
    await alice.click('delete-cancel');
    await page.waitForSelector('[data-testid="delete-account"]:focus');
    await alice.click('delete-account');
    await alice.fill('[name="name"]', 'alice');
    await alice.click('delete-go');
    await alice.find('account-deleted');
    assert.equal(await textOf(page, 'account-deleted'), 'Your account is deleted.');
    await signIn(alice, alice.password);
    await page.waitForSelector('[name="username"][aria-invalid="true"]');
  });
});

/** Signs in without loading the page again. */
async function signIn(person: Person, password: string): Promise<void> {
  await person.fill('[name="username"]', person.username);
  await person.fill('[name="password"]', password);
  await person.page.keyboard.press('Enter');
}

async function textOf(page: Page, testId: string): Promise<string> {
  return page.$eval(`[data-testid="${testId}"]`, (element) => (element as HTMLElement).innerText.trim());
}
