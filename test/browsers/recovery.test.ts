import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Page } from 'puppeteer-core';
import type { Db } from '../../src/db/db.ts';
import { type ReceivedMail, type SmtpService, startSmtp } from '../smtp.ts';
import { appear } from './appearance.ts';
import { onChromium } from './each-browser.ts';
import { openSettings } from './notified-person.ts';
import { arrive, type Person } from './person.ts';
import type { RunningBrowser } from './running-browser.ts';
import { type Site, startSite } from './site.ts';
import { untilEqual, waitFor } from './waiting.ts';

const ADDRESS = 'alice@example.org';
const OTHER_ADDRESS = 'alice@post.example.org';

interface Mailed {
  site: Site;
  smtp: SmtpService;
  db: Db;
}

/** The service with a mail server. */
async function startMailed(t: TestContext): Promise<Mailed> {
  const smtp = await startSmtp(t);
  const dbs: Db[] = [];
  const site = await startSite(t, {
    env: { SMTP_URL: smtp.url, MAIL_FROM: 'chat@example.org', TRUST_PROXY: 'loopback' },
    opened: ({ db }) => void dbs.push(db),
  });
  return { site, smtp, db: dbs[0] ?? assert.fail() };
}

/** A person with an English page. */
async function english(t: TestContext, browser: RunningBrowser, site: Site, name: string): Promise<Person> {
  const person = await arrive(t, browser, site, name);
  await appear(t, browser, person.page, { languages: 'en-US,en' });
  return person;
}

function mailTo(smtp: SmtpService, address: string, subject: string): Promise<ReceivedMail> {
  return waitFor(`the mail "${subject}" to ${address}`, () =>
    smtp.received(address).find((mail) => mail.subject === subject),
  );
}

function linkIn({ text }: ReceivedMail, path: string): string {
  const [link] = new RegExp(`\\S+${path}#\\S+`).exec(text) ?? [];
  return link ?? assert.fail(text);
}

async function giveAddress(db: Db, userId: string): Promise<void> {
  await db.run`
    insert into emails (user_id, address, address_key, language, verified_at)
    values (${userId}, ${ADDRESS}, ${ADDRESS}, 'en', ${Date.now()})`;
}

async function addressIn(db: Db): Promise<string | undefined> {
  return (await db.get<{ address: string }>`select address from emails`)?.address;
}

onChromium('A user who has only the mailbox left', (browser) => {
  test('asks for a link at the sign-in, sets a new password, and signs in by the address', async (t) => {
    const { site, smtp, db } = await startMailed(t);
    const { id } = await site.join('alice');
    await giveAddress(db, id);
    const alice = await english(t, browser(), site, 'alice');
    const { page } = alice;
    await page.goto(`${site.url}/sign-in`);
    await alice.fill('[name="username"]', ' alice');
    await alice.click('forgot');
    await page.waitForSelector('[name="account"]:focus');
    assert.equal(await page.title(), 'Forgot your password? · Doorman');
    assert.equal(await typedIn(page, 'account'), 'alice');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-testid="link-done"]:focus');
    const said = await textOf(page, 'link-done');
    assert.match(
      said,
      /^If there’s an account with this name and a confirmed address, an email is on its way/,
    );
    const mail = await mailTo(smtp, ADDRESS, 'Set a new password');

    await alice.click('forgot-again');
    await page.waitForSelector('[name="account"]:focus');
    await alice.fill('[name="account"]', 'not-hers@example.org');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-testid="link-done"]:focus');
    assert.equal(await textOf(page, 'link-done'), said);

    await page.goto(linkIn(mail, '/set-password'));
    await alice.fill('[name="password"]', 'a new wonderland');
    await page.keyboard.press('Enter');
    await alice.find('password-set');
    await signIn(alice, 'Alice@Example.org', 'not the password');
    await untilEqual(() => alertsOf(page), 'No account with this address and password.');
    await signIn(alice, 'Alice@Example.org', 'a new wonderland');
    await alice.find('own-profile');
    assert.equal(smtp.received('not-hers@example.org').length, 0);
    alice.faults.expect(/^40[04] POST \/api\/login$/);
  });

  test('finds nothing of it where the service sends no mail', async (t) => {
    const site = await startSite(t);
    const alice = await english(t, browser(), site, 'alice');
    await alice.page.goto(`${site.url}/sign-in`);
    await alice.find('enter');
    assert.equal(await alice.page.$('[data-testid="forgot"]'), null);
    assert.equal(await alice.page.$eval('label', (label) => label.textContent), 'Username');
    await alice.page.goto(`${site.url}/forgot-password`);
    assert.match(await textOf(alice.page, 'no-mail'), /Ask the administrator for a link/);
    await alice.signUp();
    await openSettings(alice, 'security');
    await alice.find('change-password');
    assert.equal(await alice.page.$('[data-testid="recovery"]'), null);
  });
});

onChromium('The recovery address', (browser) => {
  test('is added with the password and a code, changed by a link in another browser, and removed', async (t) => {
    const { site, smtp, db } = await startMailed(t);
    const alice = await english(t, browser(), site, 'alice');
    const { page } = alice;
    await alice.signUp();
    await db.run`update sessions set confirmed_at = 0`;
    alice.faults.expect(/^403 POST \/api\/account\/email(?:\/remove)?$/);
    alice.faults.expect(/^400 POST \/api\/account\/(?:confirm|email\/verify)$/);
    await openSettings(alice, 'security');
    await alice.find('recovery');
    await alice.fill('[name="email"]', ADDRESS);
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-testid="password-dialog"] [name="password"]:focus');
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog', { hidden: true });
    await page.waitForSelector('[name="email"]:focus');
    assert.equal(await typedIn(page, 'email'), ADDRESS);
    assert.equal(await addressIn(db), undefined);

    await page.keyboard.press('Enter');
    await alice.find('password-dialog');
    await alice.fill('[name="password"]', 'not her password');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[name="password"][aria-invalid="true"]:focus');
    await alice.fill('[name="password"]', alice.password);
    await page.keyboard.press('Enter');
    await page.waitForSelector('[name="code"]:focus');
    assert.match(await textOf(page, 'code-says'), /an email to alice@example\.org/);
    const { text } = await mailTo(smtp, ADDRESS, 'Confirm your email address');
    const [code = ''] = /\b\d{8}\b/.exec(text) ?? [];
    await alice.fill('[name="code"]', code === '00000000' ? '11111111' : '00000000');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[name="code"][aria-invalid="true"]:focus');
    await alice.fill('[name="code"]', `${code.slice(0, 4)} ${code.slice(4)}`);
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-testid="recovery"][data-shows="row"]:focus');
    assert.equal(await textOf(page, 'recovery-email'), ADDRESS);

    await alice.click('change-email');
    await page.waitForSelector('[name="email"]:focus');
    await alice.fill('[name="email"]', OTHER_ADDRESS);
    await page.keyboard.press('Enter');
    await page.waitForSelector('[name="code"]:focus');
    const link = linkIn(await mailTo(smtp, OTHER_ADDRESS, 'Confirm your email address'), '/verify-email');
    const elsewhere = await english(t, browser(), site, 'elsewhere');
    await elsewhere.page.goto(link);
    await elsewhere.find('enter');
    await waitFor('the address without the token', async () =>
      (await elsewhere.page.url()).endsWith('/verify-email'),
    );
    assert.equal(await addressIn(db), ADDRESS);
    await elsewhere.click('enter');
    await elsewhere.page.waitForSelector('[data-testid="link-done"]:focus');
    assert.equal(await textOf(elsewhere.page, 'link-done'), `${OTHER_ADDRESS} is confirmed.`);
    assert.equal(await addressIn(db), OTHER_ADDRESS);
    await mailTo(smtp, ADDRESS, 'Your recovery address was changed');
    elsewhere.faults.expect(/^400 POST \/api\/account\/email\/verify$/);
    await elsewhere.page.goto('about:blank');
    await elsewhere.page.goto(link);
    await elsewhere.click('enter');
    await elsewhere.page.waitForSelector('[data-testid="link-invalid"]:focus');

    await page.reload();
    await alice.find('recovery-email');
    assert.equal(await textOf(page, 'recovery-email'), OTHER_ADDRESS);
    await db.run`update sessions set confirmed_at = 0`;
    const remove = async () => {
      await alice.click('remove-email');
      await alice.click('confirm-yes');
      await alice.find('password-dialog');
    };
    await remove();
    await alice.click('password-cancel');
    await page.waitForSelector('dialog', { hidden: true });
    assert.equal(await textOf(page, 'recovery-email'), OTHER_ADDRESS);
    assert.equal(await textOf(page, 'toasts'), '');
    await remove();
    await alice.fill('[name="password"]', alice.password);
    await page.keyboard.press('Enter');
    await page.waitForSelector('[name="email"]:focus');
    assert.equal(await addressIn(db), undefined);
  });
});

onChromium('A new sign-in', (browser) => {
  test('shows a banner that leads to the devices, and the mailed link signs the device out by a button', async (t) => {
    const { site, smtp, db } = await startMailed(t);
    const alice = await english(t, browser(), site, 'alice');
    await alice.signUp();
    await giveAddress(db, alice.id);
    const phone = await english(t, browser(), site, 'alice');
    await phone.page.setExtraHTTPHeaders({ 'x-forwarded-for': '203.0.113.7' });
    await phone.signIn();
    await alice.find('sign-in-banner');
    assert.match(
      await textOf(alice.page, 'sign-in-banner'),
      /^New sign-in to your account: Chrome on Linux\./,
    );
    await (await alice.page.waitForSelector('[data-testid="sign-in-banner"] button'))?.click();
    await alice.page.waitForSelector('[data-testid="sign-in-banner"]', { hidden: true });
    await waitFor('its row', async () =>
      (
        await alice.page.$$eval('[data-testid^="session-"]', (rows) =>
          rows.map(({ textContent }) => textContent),
        )
      )
        .join()
        .includes('203.0.113.7'),
    );

    const link = linkIn(await mailTo(smtp, ADDRESS, 'New sign-in to your account'), '/end-session');
    const elsewhere = await english(t, browser(), site, 'elsewhere');
    await elsewhere.page.goto(link);
    await elsewhere.find('enter');
    await phone.find('own-profile');
    assert.equal(await phone.page.$('[data-testid="sign-in-banner"]'), null);
    await elsewhere.click('enter');
    await elsewhere.page.waitForSelector('[data-testid="link-done"]:focus');
    await phone.find('end-ended');
    await elsewhere.click('new-password');
    await elsewhere.page.waitForSelector('[name="account"]:focus');
  });
});

onChromium('A suspended user', (browser) => {
  test('reads at the sign-in until when and why', async (t) => {
    const site = await startSite(t);
    await site.join('alice');
    await site.command(
      'user',
      'suspend',
      'alice',
      '--reason',
      'Too many <b>ads</b>',
      '--until',
      '2099-03-04T12:00Z',
    );
    const alice = await english(t, browser(), site, 'alice');
    alice.faults.expect(/^403 POST \/api\/login$/);
    await alice.page.goto(`${site.url}/sign-in`);
    await signIn(alice, 'alice', alice.password);
    const says = /^This account is suspended until \d+ Mar 2099, \d\d:00\. Reason: Too many <b>ads<\/b>$/;
    await waitFor('the sentence', async () => says.test(await alertsOf(alice.page)));
  });
});

async function signIn(person: Person, username: string, password: string): Promise<void> {
  await person.fill('[name="username"]', username);
  await person.fill('[name="password"]', password);
  await person.page.keyboard.press('Enter');
}

async function textOf(page: Page, testId: string): Promise<string> {
  const element = await page.waitForSelector(`[data-testid="${testId}"]`);
  return (await element?.evaluate(({ textContent }) => textContent)) ?? '';
}

function typedIn(page: Page, name: string): Promise<string> {
  return page.$eval(`[name="${name}"]`, (field) => (field as HTMLInputElement).value); // a field by its name
}

/** What screen readers announce as errors. */
function alertsOf(page: Page): Promise<string> {
  return page.$$eval('[role="alert"]', (alerts) => alerts.map(({ textContent }) => textContent).join(''));
}
