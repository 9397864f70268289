import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Page } from 'puppeteer-core';
import type { Services } from '../../src/services.ts';
import { appear, assertFits } from './appearance.ts';
import { onChromium } from './each-browser.ts';
import { arrive, type Person } from './person.ts';
import type { RunningBrowser } from './running-browser.ts';
import { type Account, type Site, startSite } from './site.ts';
import { waitFor } from './waiting.ts';

/** Texts that would run code if they were not shown as text; each calls `pwned` in another way. */
const SCRIPTS = [
  '<script>pwned()</script>',
  '</title></style></textarea></noscript><script>pwned()</script>',
  '"><img src=x onerror=pwned()>',
  "'><svg/onload=pwned()>",
  '<iframe srcdoc="<script>parent.pwned()</script>"></iframe>',
  '<a href="javascript:pwned()">click me</a> javascript:pwned()',
  '<math><mtext></mtext><style><img src=x onerror=pwned()></style></math>',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is text here, too.
  '{{constructor.constructor("pwned()")()}} ${pwned()} #{pwned()}',
  '<style>*{display:none}</style><link rel=stylesheet href=//evil.example/x.css>',
  '<base href="https://evil.example/"><meta http-equiv=refresh content="0;url=https://evil.example/">',
  'data:text/html,<script>pwned()</script> vbscript:pwned()',
];

/** Texts that could break the layout, or the text around them. */
const SHAPES = [
  '\u202Egnp.exe evil\u202C \u2066\u2067\u2068 unclosed',
  'שלום עולם، مرحبا بالعالم',
  'Z̷̛͉a̶͙l̵̳g̴̱o̸ '.repeat(40),
  'W'.repeat(4_000),
  '😀'.repeat(4_000),
  `${'\n'.repeat(60)}far below`,
  'a\u0301'.repeat(500),
  '\u200B\u200D\u2060 nothing to be seen \uFEFF',
];

onChromium('Hostile text of a user', (browser) => {
  test('is text wherever it is shown, and does not change the layout', async (t) => {
    const { site, alice, others } = await settle(t, browser());
    const { page } = alice;
    // A narrow page is stretched more easily; the wide one is checked once.
    for (const width of browser().kind === 'chromium' ? [1440, 360] : [360]) {
      await appear(t, browser(), page, { width, height: 800 });
      for (const path of ['/', '/people', '/settings/blocked']) {
        await page.goto(site.url + path);
        await page.waitForSelector('[data-testid^="conversation-"], [data-testid^="person-"], h1');
        await assertInert(alice, `${path} at ${width}`);
      }
      for (const other of width === 360 ? others : others.slice(0, 1)) {
        await page.goto(`${site.url}/people/${other.account.id}`);
        await waitForText(page, other.bio);
        await assertInert(alice, `the profile of ${other.account.username} at ${width}`);
      }
      const [talker] = others;
      assert.ok(talker);
      await page.goto(`${site.url}/chat/${talker.account.id}`);
      await alice.find('messages');
      for (const text of [...SHAPES, ...SCRIPTS].reverse()) {
        await page.$eval('[data-testid="messages"]', (list) => {
          list.scrollTop = Math.max(0, list.scrollTop - 1);
        });
        await scrollUpTo(page, text);
        await assertInert(alice, `the chat at ${width}`);
      }
    }
  });

  test('is text in the fields in which its author edits it', async (t) => {
    const site = await startSite(t);
    const alice = await arrive(t, browser(), site, 'alice');
    await alice.signUp();
    const bob = await site.join('bob');
    const [script = '', title = '', image = ''] = SCRIPTS;
    await alice.page.goto(`${site.url}/settings/profile`);
    await alice.fill('[name="nickname"]', image);
    await alice.fill('[name="bio"]', script);
    await alice.page.keyboard.press('Tab');
    await alice.click('save-profile');
    await waitFor(
      'the name',
      async () => (await site.get(`/api/user/profile/${alice.id}`)).body.data.nickname === image,
    );
    await assertInert(alice, 'the own profile');
    await alice.click('nav-people');
    await alice.fill('[data-testid="people-search"]', title);
    await assertInert(alice, 'the search');
    await alice.page.goto(`${site.url}/chat/${bob.id}`);
    await alice.find('composer');
    for (const text of SCRIPTS) await alice.write(text);
    await alice.fill('[data-testid="composer"]', image);
    await alice.page.reload();
    await alice.find('composer');
    await assertInert(alice, 'the chat with a draft');
  });
});

/** Alice is signed in; a hostile user has sent her all these texts, and set every field of their profile to them. */
async function settle(t: TestContext, browser: RunningBrowser) {
  let skippedMs = 0;
  const stored = Promise.withResolvers<Services>();
  const site = await startSite(t, {
    world: { monotonicMs: () => performance.now() + skippedMs },
    opened: stored.resolve,
  });
  const { db } = await stored.promise;
  const alice = await arrive(t, browser, site, 'alice');
  await alice.signUp();
  // The pictures do not exist, so their 404s are expected.
  alice.faults.expect(/^404 GET \/[^a]/);
  const others = [];
  const texts = [...SCRIPTS, ...SHAPES];
  for (const [index, text] of SCRIPTS.entries()) {
    const account = await site.join(`hostile${index}`);
    const shape = SHAPES[index % SHAPES.length] ?? '';
    const [name, about] = index % 2 === 0 ? [text, shape] : [shape, text];
    const nickname = [...name.trim()].slice(0, 64).join('');
    const bio = [...about].slice(0, 1_000).join('');
    const avatar = index % 2 === 0 ? '/x"onerror="pwned()' : '';
    await post(site, account, '/api/user/profile', { bio, avatar });
    // Some of these names are refused today; an earlier version may have stored them.
    await db.run`update users set nickname = ${nickname} where id = ${account.id}`;
    await post(site, account, '/api/messages', { to: alice.id, cid: 'first', body: text });
    others.push({ account, bio });
    skippedMs += 11_000;
  }
  const [talker] = others;
  assert.ok(talker);
  for (const [index, body] of texts.entries()) {
    skippedMs += 11_000;
    await post(site, talker.account, '/api/messages', { to: alice.id, cid: String(index), body });
  }
  const { body } = await site.post('/api/login', { username: 'alice', password: alice.password });
  const last = others.at(-1);
  assert.ok(last);
  await post(site, body.data, '/api/user/block', { blockedId: last.account.id });
  return { site, alice, others };
}

async function post(site: Site, by: Pick<Account, 'token'>, path: string, body: object): Promise<void> {
  const answer = await site.post(path, body, by.token);
  assert.equal(answer.status, 200, `${path}: ${JSON.stringify(answer.body)}`);
}

/** Asserts that no text ran, became an element, led to another place, or stretched the page. */
async function assertInert(alice: Person, where: string): Promise<void> {
  const found = await alice.page.evaluate(() => ({
    pwned: 'pwned' in window,
    elements: [
      ...document.querySelectorAll(
        'iframe, base, object, embed, math, [onerror], [onload], [srcdoc], meta[http-equiv], body script, body style, body link',
      ),
    ]
      // The script that the build writes into the document.
      .filter((element) => !element.matches('body > script[data-file]'))
      .map((element) => element.outerHTML.slice(0, 100)),
    links: [...document.querySelectorAll('a[href]')]
      .map((link) => link.getAttribute('href') ?? '')
      .filter((href) => !/^(?:\/(?!\/)|#|https?:\/\/)/.test(href)),
  }));
  assert.deepEqual(found, { pwned: false, elements: [], links: [] }, where);
  await assertFits(alice.page, where);
  assert.deepEqual(
    alice.faults.lines.filter((line) => !/^404 GET \//.test(line)),
    [],
    where,
  );
}

async function waitForText(page: Page, text: string): Promise<void> {
  await waitFor(`the text ${JSON.stringify(text.slice(0, 40))}`, () => hasText(page, text));
}

/** Whether the text of some element is exactly this one. */
function hasText(page: Page, text: string): Promise<boolean> {
  return page.evaluate((wanted) => {
    const bare = wanted.trim();
    return [...document.querySelectorAll('[dir="auto"], bdi, p')].some(
      (element) => element.textContent?.trim() === bare,
    );
  }, text);
}

async function scrollUpTo(page: Page, text: string): Promise<void> {
  await waitFor(`the message ${JSON.stringify(text.slice(0, 40))}`, async () => {
    if (await hasText(page, text)) return true;
    await page.$eval('[data-testid="messages"]', (list) => {
      list.scrollTop = Math.max(0, list.scrollTop - list.clientHeight / 2);
    });
    return false;
  });
}
