import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { appear, placesOf } from './appearance.ts';
import { assertAccessible } from './axe.ts';
import { askToSignOut, confirm, fill } from './controls.ts';
import { onChromium } from './each-browser.ts';
import { findLeft } from './left-behind.ts';
import { watchFaults } from './page-faults.ts';
import { openContext, openWindow, type RunningBrowser } from './running-browser.ts';
import { type Site, startSite } from './site.ts';
import { untilEqual, waitFor } from './waiting.ts';

/** Heading, labels, fields and buttons. */
const PARTS = 'h1, label, input, button, [data-testid="other-way"]';

async function open(
  t: TestContext,
  browser: RunningBrowser,
  { path = '/sign-in', env = {} }: { path?: string; env?: Record<string, string> } = {},
) {
  const site = await startSite(t, { env });
  const page = await openWindow(await openContext(t, browser));
  const faults = await watchFaults(t, page, site.url);
  await appear(t, browser, page, { languages: 'en-US,en' });
  // Records all headings, to find one that only flashed.
  await page.evaluateOnNewDocument(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    new MutationObserver(() => {
      const heading = document.querySelector('h1')?.textContent;
      if (heading && seen.at(-1) !== heading) seen.push(heading);
    }).observe(document, { childList: true, subtree: true });
  });
  await page.goto(site.url + path);
  await page.waitForSelector('[data-testid="enter"], nav');
  return { site, page, faults };
}

onChromium('Signing in and out', (browser) => {
  test('a new user signs up, is signed in, and is led to other users', async (t) => {
    const { site, page, faults } = await open(t, browser(), { path: '/' });
    await waitFor('the address', async () => (await pathOf(page)) === '/sign-up');
    await waitFor('the title', async () => (await page.title()) === 'Create your account · Doorman');
    await fillForm(page, { username: 'alice', password: 'wonderland' });
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-testid="find-people"]');
    await waitFor('the address', async () => (await pathOf(page)) === '/');
    await waitFor('the title', async () => (await page.title()) === 'Chats · Doorman');
    await untilEqual(() => page.evaluate(() => document.activeElement?.textContent), 'Chats');
    assert.equal((await site.post('/api/login', { username: 'alice', password: 'wonderland' })).status, 200);
    assert.deepEqual(faults.lines, []);
  });

  test('only a user who comes back is welcomed back, and led to the sign-in first', async (t) => {
    const { site, page } = await open(t, browser());
    await site.join('alice');
    const heading = () => page.$eval('h1', (element) => element.textContent);
    assert.equal(await heading(), 'Sign in');
    await signIn(page, 'alice');
    await askToSignOut(page);
    await confirm(page);
    await page.waitForSelector('[name="username"]');
    assert.equal(await heading(), 'Welcome back');
    await page.goto(`${site.url}/`);
    await page.waitForSelector('[name="username"]');
    await untilEqual(() => pathOf(page), '/sign-in');
    assert.equal(await heading(), 'Welcome back');
  });

  test('a signed-in user reloads without seeing the sign-in page', async (t) => {
    const { site, page } = await open(t, browser());
    await site.join('alice');
    await signIn(page, 'alice');
    await page.goto(`${site.url}/people`);
    await page.waitForSelector('nav');
    await page.waitForSelector('h1');
    assert.deepEqual(await page.evaluate(() => Object.getOwnPropertyDescriptor(window, 'seen')?.value), [
      'People',
    ]);
    // The sign-in page redirects them, too.
    await page.goto(`${site.url}/sign-up`);
    await waitFor('the redirect', async () => (await pathOf(page)) === '/');
  });

  test('a signed-in user stays so while the browser takes seconds to open its database', async (t) => {
    const { site, page } = await open(t, browser());
    await site.join('alice');
    await signIn(page, 'alice');
    await page.evaluateOnNewDocument(() => {
      const { open } = IDBFactory.prototype;
      IDBFactory.prototype.open = function (...options: Parameters<typeof open>) {
        const request = open.apply(this, options);
        // Longer than the 2 s that the kit waits for an operation.
        Object.defineProperty(request, 'onsuccess', {
          set: (onSuccess: () => void) =>
            request.addEventListener('success', () => setTimeout(onSuccess, 3_000)),
        });
        return request;
      };
    });
    await page.goto(`${site.url}/people`);
    await page.waitForSelector('nav, [name="username"]');
    assert.ok(await page.$('nav'));
  });

  test('the page says why a session ended, and after signing in opens the address that was asked for', async (t) => {
    const { page, site } = await open(t, browser());
    const alice = await site.join('alice');
    await signIn(page, 'alice');
    // A request in flight when the session ends is answered 401, which would count as a fault of the page.
    const listed = page.waitForResponse((answer) => answer.url().includes('/api/users?'));
    await page.click('[data-testid="nav-people"]');
    await listed;
    const { body } = await site.get('/api/sessions', alice.token);
    const other = body.data.find((session: { current: number }) => session.current === 0);
    await site.post('/api/sessions/end', { id: other.id }, alice.token);
    await page.waitForSelector('[data-testid="end-ended"]');
    await waitFor('the address', async () => (await pathOf(page)) === '/sign-in');
    await assertAccessible(page, 'the sign-in with a reason');
    await signIn(page, 'alice');
    await waitFor('the address', async () => (await pathOf(page)) === '/');
  });

  test('signing out asks first, and leaves nothing to the next user', async (t) => {
    const { page, site } = await open(t, browser());
    await site.join('alice');
    await site.join('bob');
    await signIn(page, 'alice');
    await page.click('[data-testid="nav-people"]');
    await askToSignOut(page);
    await page.waitForSelector('dialog[open]');
    await page.keyboard.press('Escape');
    await waitFor('the dialog to go', async () => (await page.$('dialog')) === null);
    const focused = await page.evaluate(() => document.activeElement?.getAttribute('data-testid'));
    assert.equal(focused, 'settings-sign-out');
    await askToSignOut(page);
    await confirm(page);
    await page.waitForSelector('[name="username"]');
    assert.equal(await page.$('[data-testid^="end-"]'), null);
    await signIn(page, 'bob');
    await waitFor('the address', async () => (await pathOf(page)) === '/');
  });
});

onChromium('A password link', (browser) => {
  test('leads to a new password and the sign-in, once, and leaves its token nowhere', async (t) => {
    const { page, site, faults } = await open(t, browser());
    faults.expect(/^400 POST \/api\/password-link$/);
    await site.join('alice');
    const link = await linkOf(site, 'alice');
    await page.goto(link);
    await page.waitForSelector('[autocomplete="new-password"]');
    await untilEqual(() => page.title(), 'Set a new password · Doorman');
    await untilEqual(() => focused(page), 'password');
    await waitFor('the token to leave', async () => (await page.evaluate(() => location.hash)) === '');
    assert.deepEqual(await findLeft(page, [new URL(link).hash.slice(1)]), []);
    await fillForm(page, { password: '12345' });
    await page.keyboard.press('Enter');
    await untilEqual(() => errorOf(page, 'password'), 'Use at least 6 characters.');

    await fillForm(page, { password: 'password-of-alice 2' });
    await page.keyboard.press('Enter');
    await waitForText(page, 'password-set', 'Your new password is set. Use it to sign in.');
    await untilEqual(() => pathOf(page), '/sign-in');
    await signIn(page, 'alice', 'password-of-alice 2');

    await page.goto(link);
    await page.waitForSelector('[autocomplete="new-password"]');
    await fillForm(page, { password: 'password-of-alice 3' });
    await page.keyboard.press('Enter');
    await waitForText(page, 'link-invalid', 'This link has expired or was already used. Ask for a new one.');
    await assertAccessible(page, 'a used link');
    await page.reload();
    await waitForText(page, 'link-missing', 'Open the link that you received once more.');
    await page.click('[data-testid="other-way"]');
    await page.waitForSelector('[data-testid="own-profile"]');
    await untilEqual(() => pathOf(page), '/');
  });

  test('works while a user is signed in: another one stays so, the same one signs in again', async (t) => {
    const { page, site, faults } = await open(t, browser());
    faults.expect(/^401 (?:POST \/api\/token|GET \/api\/\S+)$/);
    await site.join('alice');
    await site.join('bob');
    await signIn(page, 'alice');
    for (const username of ['bob', 'alice']) {
      await page.goto(await linkOf(site, username));
      await page.waitForSelector('[autocomplete="new-password"]');
      await fillForm(page, { password: 'a new password' });
      await page.keyboard.press('Enter');
      if (username === 'alice') break;
      await page.waitForSelector('[data-testid="link-set"]');
      await page.click('[data-testid="other-way"]');
      const own = await page.waitForSelector('[data-testid="own-profile"]');
      assert.match((await own?.evaluate((element) => element.textContent)) ?? '', /alice/);
    }
    await page.waitForSelector('[data-testid="password-set"]');
    assert.equal(await page.$('[data-testid^="end-"]'), null);
    for (const username of ['alice', 'bob'])
      assert.equal((await site.post('/api/login', { username, password: 'a new password' })).status, 200);
    await signIn(page, 'alice', 'a new password');
  });
});

onChromium('The forms to sign in and to sign up', (browser) => {
  test('a nickname given at sign-up is the name that the page shows', async (t) => {
    const { page } = await open(t, browser(), { path: '/sign-up' });
    await fillForm(page, { username: 'alice', password: 'wonderland' });
    await page.click('[data-testid="add-nickname"]');
    await fillForm(page, { nickname: 'Alice L.' });
    await page.keyboard.press('Enter');
    const own = await page.waitForSelector('[data-testid="own-profile"]');
    await waitFor('the nickname', () =>
      own?.evaluate((element) => element.textContent?.includes('Alice L.')),
    );
  });

  test('an error about length is shown beside the field, and nothing is sent', async (t) => {
    const { page } = await open(t, browser(), { path: '/sign-up' });
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.url());
    });
    await fillForm(page, { username: '😀', password: '12345' });
    await page.keyboard.press('Enter');
    assert.equal(await errorOf(page, 'username'), 'Usernames must be 2–32 characters.');
    assert.equal(await errorOf(page, 'password'), 'Use at least 6 characters.');
    assert.equal(await focused(page), 'username');
    await fillForm(page, { username: '😀😀' });
    assert.equal(await errorOf(page, 'username'), '');
    assert.deepEqual(sent, []);
    await assertAccessible(page, 'the sign-up with errors');
  });

  test('a refusal of the service is shown beside its field', async (t) => {
    const { page, site, faults } = await open(t, browser(), { path: '/sign-up' });
    faults.expect(/^400 POST \/api\/(?:register|login)$/);
    await site.join('alice');
    await fillForm(page, { username: 'ALICE', password: 'wonderland' });
    await page.keyboard.press('Enter');
    await waitForError(page, 'username', 'This username is taken. Choose another one.');
    await page.click('[data-testid="other-way"]');
    await fillForm(page, { username: 'alice', password: 'not hers' });
    await page.keyboard.press('Enter');
    await waitForError(page, 'password', 'Wrong password.');
    assert.equal(await focused(page), 'password');
    await fillForm(page, { username: 'nobody' });
    await page.keyboard.press('Enter');
    await waitForError(page, 'username', 'No account with this username.');
  });

  test('a rate limit names the network and the minutes to wait', async (t) => {
    const { page, faults } = await open(t, browser(), { env: { RATE_LIMIT_AUTH: '1/10m' } });
    faults.expect(/^4\d\d POST \/api\/login$/);
    await fillForm(page, { username: 'nobody', password: 'wonderland' });
    await page.keyboard.press('Enter');
    await waitForError(page, 'username', 'No account with this username.');
    await page.keyboard.press('Enter');
    const alert = await page.waitForSelector('[role="alert"] p');
    assert.match(
      (await alert?.evaluate((element) => element.textContent)) ?? '',
      /^Too many sign-ins and new accounts from this network\. Try again in (?:10|9) minutes\.$/,
    );
  });

  test('errors move neither fields nor buttons, in both languages, down to 320 px', async (t) => {
    const { page, site, faults } = await open(t, browser(), { env: { RATE_LIMIT_AUTH: '1/10m' } });
    faults.expect(/^4\d\d POST \/api\/(?:login|register)$/);
    await site.post('/api/login', { username: 'nobody', password: 'wonderland' });
    for (const [width, language] of [
      [320, 'en'],
      [320, 'zh'],
      [1280, 'en'],
    ] as const)
      for (const path of ['/sign-in', '/sign-up']) {
        await appear(t, browser(), page, { width });
        await page.goto(site.url + path);
        await page.waitForSelector('[data-testid="enter"]');
        await page.click(`[data-testid="language-${language}"]`);
        await page.waitForSelector(`html[lang^="${language}"]`);
        const before = await placesOf(page, PARTS);
        const where = `${path}, ${width} px, ${language}`;
        await page.click('[data-testid="enter"]');
        await page.waitForSelector('[name="username"][aria-invalid="true"]');
        assert.deepEqual(await placesOf(page, PARTS), before, `nothing typed: ${where}`);
        // At the sign-up its error is the longest of all fields.
        await fillForm(page, { username: ' alice' });
        await page.click('[data-testid="enter"]');
        await page.waitForSelector('[name="password"][aria-invalid="true"]');
        assert.deepEqual(await placesOf(page, PARTS), before, `a wrong field: ${where}`);
        await fillForm(page, { username: 'alice', password: 'wonderland' });
        await page.click('[data-testid="enter"]');
        await page.waitForSelector('[role="alert"] p');
        assert.deepEqual(await placesOf(page, PARTS), before, `too many sign-ins: ${where}`);
      }
  });

  test('a link is opened after signing in', async (t) => {
    const { page, site } = await open(t, browser(), { path: '/settings/security' });
    await site.join('alice');
    await waitFor('the address', async () => (await pathOf(page)) === '/sign-up');
    await page.click('[data-testid="other-way"]');
    await page.waitForSelector('[autocomplete="current-password"]');
    await signIn(page, 'alice');
    await waitFor('the place', async () => (await pathOf(page)) === '/settings/security');
  });

  test('after an expired session the same user returns to their page; another user does not', async (t) => {
    const { page, site, faults } = await open(t, browser());
    faults.expect(/^401 (?:POST \/api\/token|GET \/api\/sessions)$/);
    const alice = await site.join('alice');
    await site.join('bob');
    const runOut = async () => {
      await signIn(page, 'alice');
      await page.goto('about:blank');
      const { body } = await site.get('/api/sessions', alice.token);
      for (const { id, current } of body.data)
        if (current === 0) await site.post('/api/sessions/end', { id }, alice.token);
      await page.goto(`${site.url}/settings/security`);
      await page.waitForSelector('[data-testid="end-expired"]');
    };
    await runOut();
    await signIn(page, 'bob');
    await waitFor('the address', async () => (await pathOf(page)) === '/');
    await askToSignOut(page);
    await confirm(page);
    await page.waitForSelector('[name="username"]');
    await runOut();
    await signIn(page, 'alice');
    await waitFor('the place', async () => (await pathOf(page)) === '/settings/security');
  });

  test('a password can be shown, and password managers recognize the fields', async (t) => {
    const { page } = await open(t, browser());
    const kinds = () =>
      page.$$eval('form input', (inputs) =>
        inputs.map(({ name, type, autocomplete }) => `${name} ${type} ${autocomplete}`),
      );
    assert.deepEqual(await kinds(), ['username text username', 'password password current-password']);
    await page.click('[data-testid="show-password"]');
    assert.deepEqual(await kinds(), ['username text username', 'password text current-password']);
    await page.click('[data-testid="other-way"]');
    await page.waitForSelector('[autocomplete="new-password"]');
    assert.deepEqual(await kinds(), ['username text username', 'password password new-password']);
  });

  test('the page uses the language of the browser, or the chosen one', async (t) => {
    const { page } = await open(t, browser());
    await appear(t, browser(), page, { languages: 'zh-CN,zh' });
    await page.reload();
    await page.waitForSelector('html[lang="zh-CN"] [data-testid="enter"]');
    assert.equal(await page.title(), '登录 · Doorman');
    await page.click('[data-testid="language-en"]');
    await page.waitForSelector('html[lang="en"]');
    await page.reload();
    await page.waitForSelector('[data-testid="enter"]');
    assert.equal(await page.title(), 'Sign in · Doorman');
  });

  test('the page is accessible, light and dark', async (t) => {
    const { page } = await open(t, browser());
    for (const scheme of ['light', 'dark'] as const) {
      await appear(t, browser(), page, { scheme });
      await page.waitForSelector(`html[data-mantine-color-scheme="${scheme}"]`);
      await assertAccessible(page, `the sign-in, ${scheme}`);
    }
  });
});

async function fillForm(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(fields)) await fill(page, `[name="${name}"]`, text);
}

/** What the operator's command prints. */
async function linkOf(site: Site, username: string): Promise<string> {
  const [link = ''] = /\S+\/set-password#\S+/.exec(await site.command('user', 'link', username)) ?? [];
  assert.ok(link.startsWith(`${site.url}/`), link);
  return link;
}

async function waitForText(page: Page, testId: string, text: string): Promise<void> {
  const element = await page.waitForSelector(`[data-testid="${testId}"]`);
  assert.equal(await element?.evaluate(({ textContent }) => textContent), text);
}

/** With the password that `Site.join` gives, or another one. */
async function signIn(page: Page, username: string, password = `password-of-${username}`): Promise<void> {
  await fillForm(page, { username, password });
  await page.keyboard.press('Enter');
  await page.waitForSelector('[data-testid="own-profile"]');
}

/** The error of a field, as screen readers find it. */
function errorOf(page: Page, name: string): Promise<string> {
  return page.$eval(`[name="${name}"]`, (input) => {
    if (input.getAttribute('aria-invalid') !== 'true') return '';
    const ids = input.getAttribute('aria-describedby')?.split(' ') ?? [];
    const texts = ids
      .map((id) => document.getElementById(id))
      .filter((element) => element?.id.endsWith('-error'));
    return texts.map((element) => element?.textContent).join(' ');
  });
}

async function waitForError(page: Page, name: string, sentence: string): Promise<void> {
  await waitFor(`${name} to say: ${sentence}`, async () => (await errorOf(page, name)) === sentence);
}

function focused(page: Page): Promise<string | null | undefined> {
  return page.evaluate(() => document.activeElement?.getAttribute('name'));
}

function pathOf(page: Page): Promise<string> {
  return page.evaluate(() => location.pathname);
}
