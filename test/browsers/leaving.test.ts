import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Page } from 'puppeteer-core';
import type { Db } from '../../src/db/db.ts';
import { makeTemporaryFolder, removeFolder } from '../temporary-folders.ts';
import { appear } from './appearance.ts';
import { onChromium, onEachBrowser } from './each-browser.ts';
import { endingsOf } from './endings.ts';
import { holdAnswers } from './held-answers.ts';
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

  test('is told of unsent messages, and may cancel at any time until the password is given', async (t) => {
    const { site, db } = await startLeaving(t);
    const bob = await site.join('bob');
    const alice = await english(t, browser(), site, 'alice');
    const { page } = alice;
    await alice.signUp();
    await site.post('/api/user/block', { blockedId: alice.id }, bob.token);
    await alice.openChat(bob);
    await alice.write('The harbour at nine');
    await alice.waitForMessage('The harbour at nine', 'refused');
    await db.run`update sessions set confirmed_at = 0`;
    alice.faults.expect(/^403 POST \/api\/account\/delete$/);
    await openSettings(alice, 'security');
    await alice.click('delete-account');
    const says = await textOf(page, 'delete-says');
    assert.ok(says.startsWith('1 message hasn’t been sent yet and will be lost.'), says);
    await alice.fill('[name="name"]', alice.username);
    await alice.click('delete-go');
    await page.waitForSelector('[name="password"]:focus');
    // Back closes one dialog.
    await page.evaluate(() => history.back());
    await waitFor('one dialog', async () => (await page.$$('dialog')).length < 2);
    await page.waitForSelector('[data-testid="delete-go"]:focus');

    const answers = await holdAnswers(page, '/api/account/delete');
    const requested = page.waitForRequest((request) => request.url().endsWith('/api/account/delete'));
    await alice.click('delete-go');
    await requested;
    await alice.click('delete-cancel');
    const refused = page.waitForResponse((response) => response.url().endsWith('/api/account/delete'));
    await answers.release();
    await refused;
    await page.waitForNetworkIdle();
    assert.equal((await page.$$('dialog')).length, 0);
  });

  test('sees no deletion at a node of the version before, which has none', async (t) => {
    const { site } = await startLeaving(t);
    const alice = await english(t, browser(), site, 'alice');
    const { page } = alice;
    await alice.signUp();
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      if (!request.url().endsWith('/api/options')) return void request.continue();
      const data = { registration: 'open', passwordList: 'off', mail: true, pictures: true };
      void request.respond({ contentType: 'application/json', body: JSON.stringify({ code: 200, data }) });
    });
    await openSettings(alice, 'security');
    // They come below the sessions.
    await page.waitForSelector('[data-testid^="session-"]');
    assert.deepEqual(await page.$$('[data-testid="delete-account"], [data-testid="download-data"]'), []);
  });

  test('is told that there is no way back where there is none', async (t) => {
    const { site } = await startLeaving(t, { DELETION_GRACE: '0' });
    const bob = await english(t, browser(), site, 'bob');
    await bob.signUp();
    const wide = await english(t, browser(), site, 'W'.repeat(32));
    const { page } = wide;
    await wide.signUp();
    await wide.openChat(bob);
    await wide.write('The harbour at nine');
    await bob.openChat(wide);
    await bob.waitForMessage('The harbour at nine');
    wide.faults.expect(/^400 POST \/api\/login$/);
    wide.faults.expect(/^401 /);
    await openSettings(wide, 'security');
    await wide.click('delete-account');
    const says = await textOf(page, 'delete-says');
    assert.match(says, /logs are deleted right away\. This can’t be undone\./);
    assert.match(says, /No one can use the username W{32} again, not even you\./);
    assert.doesNotMatch(says, /Until|haven’t been sent/);
    await appear(t, browser(), page, { width: 320, languages: 'en-US,en' });
    assert.equal(await page.$eval('dialog', ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth), 0);
    await wide.click('delete-cancel');
    await page.waitForSelector('[data-testid="delete-account"]:focus');
    await wide.click('delete-account');
    await wide.fill('[name="name"]', wide.username);
    await wide.click('delete-go');
    await wide.find('account-deleted');
    assert.equal(await textOf(page, 'account-deleted'), 'Your account is deleted.');
    await signIn(wide, wide.password);
    await page.waitForSelector('[name="username"][aria-invalid="true"]');
    // Messages stay with others, without the name.
    bob.faults.expect(/^404 GET \/api\/user\/profile\//);
    await bob.page.reload();
    await bob.waitForMessage('The harbour at nine');
    await untilEqual(() => textOf(bob.page, 'chat-name'), 'Deleted account');
    await untilEqual(() => findLeft(bob.page, [wide.username]), []);
  });
});

onEachBrowser('A user who takes their data along', (browser) => {
  test('gives the password, and the browser downloads while the page stays', async (t) => {
    const { site, db } = await startLeaving(t);
    const alice = await english(t, browser(), site, 'alice');
    const { page } = alice;
    await alice.signUp();
    const folder = await takeDownloads(t, browser(), alice);
    await db.run`update sessions set confirmed_at = 0`;
    alice.faults.expect(/^4(?:03|29) POST \/api\/account\/export$/);
    await openSettings(alice, 'security');
    await alice.click('download-data');
    await alice.fill('[name="password"]', alice.password);
    await page.keyboard.press('Enter');
    await untilEqual(() => textOf(page, 'toasts'), 'Your browser is downloading your data.');
    await waitFor('the download', () => db.get`select at from account_log where what = 'export_made'`);
    if (folder !== undefined) {
      const name = await waitFor('the file', async () =>
        (await readdir(folder)).find((file) => /^doorman-alice-\d{4}-\d\d-\d\d\.jsonl$/.test(file)),
      );
      const lines = (await readFile(join(folder, name), 'utf8')).trim().split('\n');
      assert.equal(JSON.parse(lines[0] ?? '').type, 'export');
      assert.deepEqual(JSON.parse(lines.at(-1) ?? ''), { type: 'end', lines: lines.length });
    }
    for (let tickets = 1; tickets < 3; tickets++) {
      await waitFor('the button', () => page.$('[data-testid="download-data"][aria-disabled="false"]'));
      await alice.click('download-data');
      await waitFor('a download', async () => {
        const made = await db.all`select at from account_log where what = 'export_made'`;
        return made.length === tickets + 1;
      });
    }
    await alice.click('download-data');
    await waitFor('the refusal', async () =>
      (await page.$$eval('[role="alert"]', (all) => all.map((one) => one.textContent))).includes(
        'You can download your data 3 times a day. Try again tomorrow.',
      ),
    );
    assert.equal(new URL(page.url()).pathname, '/settings/security');
  });

  test('stays on the page if the download is refused', async (t) => {
    const { site, db } = await startLeaving(t);
    const alice = await english(t, browser(), site, 'alice');
    const { page } = alice;
    await alice.signUp();
    alice.faults.expect(/^404 GET \/api\/account\/export/, /^failed: GET \/api\/account\/export/);
    await openSettings(alice, 'security');
    const answer = page.waitForResponse((response) => response.url().endsWith('/api/account/export'));
    // Each ticket is gone before the browser follows its address.
    await db.run`create trigger no_tickets after insert on tickets begin delete from tickets; end`;
    await alice.click('download-data');
    assert.equal((await answer).status(), 200);
    await untilEqual(() => textOf(page, 'toasts'), 'Your browser is downloading your data.');
    await alice.click('nav-chats');
    await alice.find('find-people', 'list-find-people');
  });
});

/** Lets the browser store downloads. @returns the folder; `undefined` where the driver cannot say which */
async function takeDownloads(
  t: TestContext,
  { kind, driver }: RunningBrowser,
  { context }: Person,
): Promise<string | undefined> {
  if (kind !== 'chromium') return undefined;
  const folder = await makeTemporaryFolder('downloads');
  endingsOf(t).defer(() => removeFolder(folder));
  const session = await driver.target().createCDPSession();
  const browserContextId = context.id;
  await session.send('Browser.setDownloadBehavior', {
    behavior: 'allow',
    downloadPath: folder,
    ...(browserContextId && { browserContextId }),
  });
  return folder;
}

/** Signs in without loading the page again. */
async function signIn(person: Person, password: string): Promise<void> {
  await person.fill('[name="username"]', person.username);
  await person.fill('[name="password"]', password);
  await person.page.keyboard.press('Enter');
}

async function textOf(page: Page, testId: string): Promise<string> {
  return page.$eval(`[data-testid="${testId}"]`, (element) => (element as HTMLElement).innerText.trim());
}
