import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { type TestContext, test } from 'node:test';
import { appear, assertFits } from './appearance.ts';
import { findAxeFaults } from './axe.ts';
import { onEachBrowser } from './each-browser.ts';
import { endingsOf, type Scope } from './endings.ts';
import { watchFaults } from './page-faults.ts';
import { startProbePage } from './probe-page.ts';
import { hide, openContext, openWindow } from './running-browser.ts';
import { waitFor } from './waiting.ts';

/** The line of each kind of fault, and a script that causes it. */
const FAULTS: [line: RegExp, script: string][] = [
  [/^console: sour$/, `console.error('sour')`],
  [/^thrown: .*lost/, `void setTimeout(() => { throw new Error('lost'); })`],
  [/^thrown: .*unheard/, `void Promise.reject(new Error('unheard'))`],
  [
    /^policy: script-src-elem inline$/,
    `document.body.append(Object.assign(document.createElement('script'), { text: '1' }))`,
  ],
  [/^policy: style-src-elem inline$/, `document.body.append(document.createElement('style'))`],
  [/^404 GET \/missing$/, `void fetch('/missing')`],
  [/^failed: GET \/broken /, `fetch('/broken').catch(() => {})`],
  [/^dialog: 1$/, `alert('1')`],
];

// The checks on which the other tests rely find faults: each is shown one.
onEachBrowser('The checks of a page', (browser) => {
  /** A probe page. @returns `end` checks it, as the end of a test does */
  async function open(t: TestContext) {
    const url = await startProbePage(t);
    const page = await openWindow(await openContext(t, browser()));
    const ends: (() => Promise<void> | void)[] = [];
    const scope: Scope = { after: (end) => void ends.push(end) };
    const faults = await watchFaults(scope, page, url);
    await page.goto(url);
    return { page, faults, end: async () => ends[0]?.() };
  }

  test('each kind of fault is reported, and fails the test', async (t) => {
    const { page, faults, end } = await open(t);
    for (const [line, script] of FAULTS) {
      await page.evaluate(script);
      await waitFor(`${line}`, () => faults.lines.some((reported) => line.test(reported)));
    }
    await assert.rejects(async () => end(), /the page did what it must not/);
  });

  test('a page without faults passes, and so does one with expected faults', async (t) => {
    const { page, faults, end } = await open(t);
    assert.deepEqual(faults.lines, []);
    faults.expect(/^console: sour$/);
    await page.evaluate(() => console.error('sour'));
    await waitFor('the line', () => faults.lines.length === 1);
    await end();
  });

  test('a request to another host fails', async (t) => {
    const { page, faults, end } = await open(t);
    const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    endingsOf(t).defer(() => void server.close());
    const other = `http://127.0.0.1:${portOf(server)}/elsewhere.html`;
    await page.goto(other);
    await waitFor('the line', () => faults.lines.includes(`elsewhere: GET ${other}`));
    await assert.rejects(async () => end(), /the page did what it must not/);
  });

  test('only loopback is reachable, not even this machine by another address', async (t) => {
    const { page } = await open(t);
    const outer = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
    const own = outer.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
    if (!own) return t.skip('this machine has no network but loopback');
    const reached: string[] = [];
    const server = createServer((request, response) => {
      reached.push(`${request.headers.host}`);
      response.end();
    }).listen(0, '0.0.0.0');
    await once(server, 'listening');
    endingsOf(t).defer(() => void server.close());
    const port = portOf(server);
    await page.goto(`http://127.0.0.1:${port}/`);
    const ask = (host: string) =>
      page.evaluate(
        (url) =>
          fetch(url, { mode: 'no-cors' }).then(
            () => 'answered',
            () => 'failed',
          ),
        `http://${host}:${port}/`,
      );
    assert.deepEqual([await ask('127.0.0.1'), await ask(own)], ['answered', 'failed']);
    assert.deepEqual([...new Set(reached)], [`127.0.0.1:${port}`]);
  });

  test('axe works under the content security policy, and finds a button without a name and low contrast', async (t) => {
    const { page, end } = await open(t);
    assert.deepEqual(await findAxeFaults(page), []);
    await page.evaluate(() => {
      const text = Object.assign(document.createElement('p'), { textContent: 'hardly to be read' });
      text.style.color = '#bbb';
      document.body.append(document.createElement('button'), text);
    });
    const found = await findAxeFaults(page);
    assert.deepEqual(
      found.map((line) => line.replace(/:.*/, '')),
      ['button-name', 'color-contrast'],
    );
    await end();
  });

  test('an element that is too wide is found', async (t) => {
    const { page } = await open(t);
    await appear(t, browser(), page, { width: 360 });
    await assertFits(page, 'the probe');
    await page.evaluate(() => {
      const wide = Object.assign(document.createElement('p'), { textContent: 'x'.repeat(500) });
      document.body.append(wide);
    });
    await assert.rejects(assertFits(page, 'the probe'), /sticks out in the probe/);
  });

  test('a page has the width, colour scheme and languages that a test sets', async (t) => {
    const { page, end } = await open(t);
    const look = () =>
      page.evaluate(() => [
        innerWidth,
        matchMedia('(prefers-color-scheme: dark)').matches,
        navigator.language,
        navigator.languages.join(),
      ]);
    await appear(t, browser(), page, { width: 360, scheme: 'dark', languages: 'zh-CN,zh' });
    await page.reload();
    assert.deepEqual(await look(), [360, true, 'zh-CN', 'zh-CN,zh']);
    await appear(t, browser(), page, { width: 1440, scheme: 'light', languages: 'en-US,en' });
    await page.reload();
    assert.deepEqual(await look(), [1440, false, 'en-US', 'en-US,en']);
    await end();
  });

  test('two users at once both have visible pages, and a page can be hidden', async (t) => {
    const url = await startProbePage(t);
    const [first, second] = [await openContext(t, browser()), await openContext(t, browser())];
    const pages = [await openWindow(first, url), await openWindow(second, url)];
    const states = () => Promise.all(pages.map((page) => page.evaluate(() => document.visibilityState)));
    assert.deepEqual(await states(), ['visible', 'visible']);
    const [page] = pages;
    if (!page) throw new Error('no page');
    const show = await hide(page);
    assert.deepEqual(await states(), ['hidden', 'visible']);
    await show();
    await waitFor('the page', async () => (await states()).join() === 'visible,visible');
  });
});

function portOf(server: Server): number {
  // The address of a TCP server is an object.
  return (server.address() as AddressInfo).port;
}
