import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { onChromium, onEachBrowser } from './each-browser.ts';
import { endingsOf } from './endings.ts';
import { openGate } from './gate.ts';
import { BUILT_PAGE, buildPage } from './page-build.ts';
import { openContext, openWindow, type RunningBrowser } from './running-browser.ts';
import { startSite } from './site.ts';
import { waitFor } from './waiting.ts';
import { cachesOf, textOf, waitForWorker, workerPage } from './worker-page.ts';

const CHAT = '/chat/0199c6f1-2a34-7000-8abc-0123456789ab';

const file = { after };
// Registered now: inside of `before`, `after` would mean the end of `before`.
endingsOf(file);
let built = '';
before(async () => {
  // With a file, as its script itself stands in the document.
  built = await buildPage(file, workerPage('kept', "void import('../i18n/en.ts');"));
});

/** A page whose worker has taken over, behind a gate. */
async function start(t: TestContext, browser: RunningBrowser, pageFolder = built) {
  const gate = await openGate(t);
  const site = await startSite(t, { world: { pageFolder }, env: { PUBLIC_URL: gate.url } });
  gate.target = site.url;
  const page = await openWindow(await openContext(t, browser), gate.url);
  await waitForWorker(page);
  return { gate, site, page };
}

onEachBrowser('The cache of the worker', (browser) => {
  test('every view of the page starts without the service, under the same policy', async (t) => {
    const { gate, page } = await start(t, browser());
    for (const [state, path] of [
      ['closed', '/'],
      ['closed', CHAT],
      ['closed', '/settings/log'],
      ['broken', '/people'],
      ['broken', '/sign-in?next=%2Fpeople'],
    ] as const) {
      gate.state = state;
      await page.goto(gate.url + path);
      assert.equal(await textOf(page), 'kept', `${state} ${path}`);
      assert.equal(page.url(), gate.url + path);
      const hasRun = await page.evaluate(() => {
        const script = document.createElement('script');
        script.textContent = 'document.title = "run"';
        document.body.append(script);
        return document.title === 'run';
      });
      assert.equal(hasRun, false, 'The policy forbids scripts that the build has not written');
    }
    gate.state = 'open';
    gate.asked.length = 0;
    await page.goto(`${gate.url}/people`);
    assert.equal(await textOf(page), 'kept');
    assert.ok(gate.asked.includes('GET /people'), 'The network comes first when there is one');
  });

  test('it has the document and the files of the build, and nothing else', async (t) => {
    const { gate, site, page } = await start(t, browser());
    const files = (await readdir(join(built, 'assets'))).map((name) => `/assets/${name}`);
    const { token } = await site.join('alice');
    const statuses = await page.evaluate(async (token) => {
      const headers = { authorization: `Bearer ${token}` };
      const paths = [
        '/api/users',
        '/api/sync',
        '/api/push/public-key',
        '/openapi.json',
        '/assets/none.js',
        '/people',
      ];
      const answers = await Promise.all(paths.map((path) => fetch(path, { headers })));
      return answers.map(({ status }) => status);
    }, token);
    assert.deepEqual(statuses, [200, 200, 200, 200, 404, 200]);
    await page.goto(`${gate.url}${CHAT}?token=secret`);
    await page.goto(`${gate.url}/docs`);
    await page.goto(gate.url);
    const kept = Object.values(await cachesOf(page));
    assert.deepEqual(kept, [['/', ...files].sort()]);
  });
});

onChromium('The worker', (browser) => {
  test('takes over a page that was loading while it was activated', async (t) => {
    const { page } = await start(t, browser());
    // Such a page has no worker either, though there is one.
    const session = await page.createCDPSession();
    const loaded = page.waitForNavigation();
    await session.send('Page.reload', { ignoreCache: true });
    await loaded;
    await waitForWorker(page);
  });
});

onChromium('The worker with a failing service', (browser) => {
  test('a service that does not answer is asked, and the cached page is served instead', async (t) => {
    const { gate, page } = await start(t, browser());
    gate.state = 'silent';
    gate.asked.length = 0;
    await page.goto(`${gate.url}/people`);
    assert.equal(await textOf(page), 'kept');
    assert.ok(gate.asked.includes('GET /people'), 'the service is asked first');
  });

  test('the page itself starts without the service', async (t) => {
    const { gate, page } = await start(t, browser(), BUILT_PAGE);
    const withService = await waitFor('the page', async () => (await textOf(page)) || undefined);
    gate.state = 'closed';
    await page.reload();
    await waitFor('the page', async () => (await textOf(page)) === withService);
  });

  test('requests outside of the page do not pass through the worker', async (t) => {
    const { gate, page } = await start(t, browser());
    gate.state = 'closed';
    const answers = await page.evaluate(() => {
      const paths = ['/api/push/public-key', '/openapi.json', '/manifest.webmanifest', '/people'];
      return Promise.all(paths.map((path) => fetch(path).catch(() => 'refused')));
    });
    assert.deepEqual(answers, Array(4).fill('refused'));
    gate.state = 'broken';
    for (const path of ['/docs', '/readyz', '/nothing']) {
      const answer = await page.goto(gate.url + path);
      assert.equal(answer?.status(), 502, path);
    }
  });
});
