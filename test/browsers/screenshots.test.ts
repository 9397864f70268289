import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appear } from './appearance.ts';
import { assertAccessible } from './axe.ts';
import { onChromium, onEachBrowser } from './each-browser.ts';
import { arrive } from './person.ts';
import { takeScreenshots } from './screenshots.ts';
import { startSite } from './site.ts';
import { idOf, tellStory } from './story.ts';

/** The views of the page, each taken in every width, scheme and language. */
const PLACES: [name: string, path: (id: (username: string) => string) => string, shows: string][] = [
  ['chat', (id) => `/chat/${id('jonas')}`, '[data-testid="message-7"]'],
  ['profile', (id) => `/people/${id('aisha')}`, '[data-testid="profile"]'],
  ['settings', () => '/settings', '[data-testid="settings-profile"]'],
  ['notifications', () => '/settings/notifications', '[data-testid="dnd"]'],
];

onEachBrowser('Screenshots of the page', (browser) => {
  test('are taken at three widths, light and dark, in Chinese and English', async (t) => {
    const site = await startSite(t);
    const people = await tellStory(site);
    const alice = await arrive(t, browser(), site, 'alice');
    const { page } = alice;
    const prefix = browser().kind;
    const take = (name: string, path: string, shows: string) =>
      takeScreenshots(t, browser(), page, { name: `${prefix}-${name}`, url: site.url + path, shows });
    await take('sign-in', '/sign-in', '[data-testid="enter"]');
    await alice.signIn();
    // One view is enough to compare the drawing of the other browser.
    const places = browser().kind === 'chromium' ? PLACES : PLACES.slice(0, 1);
    for (const [name, path, shows] of places) {
      await take(
        name,
        path((username) => idOf(people, username)),
        shows,
      );
    }
  });
});

onChromium('Screenshots of the page', (browser) => {
  test('axe finds nothing serious in chats and profiles', async (t) => {
    const site = await startSite(t);
    const people = await tellStory(site);
    const alice = await arrive(t, browser(), site, 'alice');
    await alice.signIn();
    const { page } = alice;
    for (const [name, path, shows] of PLACES.slice(0, 2)) {
      await page.goto(site.url + path((username) => idOf(people, username)));
      await page.waitForSelector(shows);
      for (const [width, scheme] of [
        [360, 'dark'],
        [1440, 'light'],
      ] as const) {
        await appear(t, browser(), page, { width, height: 800, scheme });
        await page.waitForSelector(`html[data-mantine-color-scheme="${scheme}"]`);
        await assertAccessible(page, `${name}, ${width}, ${scheme}`);
      }
    }
    assert.deepEqual(alice.faults.lines, []);
  });
});
