import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comeToRest } from './appearance.ts';
import { assertAccessible } from './axe.ts';
import { onChromium } from './each-browser.ts';
import { arrive } from './person.ts';
import { startSite } from './site.ts';

const PLACES: [path: string, shows: string][] = [
  ['', '[data-testid="settings-profile"]'],
  ['/profile', '[data-testid="save-profile"]'],
  ['/notifications', '[data-testid="dnd"]'],
  ['/log', '[data-testid="refresh"]'],
  ['/security', '[data-testid^="session-"]'],
  ['/blocked', '[data-testid^="blocked-"]'],
];

onChromium('The settings', (browser) => {
  test('are accessible with high contrast and reduced motion, and their switches can be seen', async (t) => {
    const site = await startSite(t);
    const alice = await arrive(t, browser(), site, 'alice');
    const { page } = alice;
    await alice.signUp();
    const bob = await site.join('bob');
    const { body } = await site.post('/api/login', { username: 'alice', password: alice.password });
    await site.post('/api/user/block', { blockedId: bob.id }, body.data.token);
    const media = await page.createCDPSession();
    await media.send('Emulation.setEmulatedMedia', {
      features: [
        { name: 'forced-colors', value: 'active' },
        { name: 'prefers-reduced-motion', value: 'reduce' },
      ],
    });
    for (const [path, shows] of PLACES) {
      await page.goto(`${site.url}/settings${path}`);
      await page.waitForSelector(shows);
      await comeToRest(page);
      await assertAccessible(page, `/settings${path} with high contrast`);
      assert.deepEqual(await page.evaluate(unseenSwitches), [], path);
      assert.ok(await page.evaluate(haveCircles), `the initials have a circle: ${path}`);
      assert.equal(await page.evaluate(countLongAnimations), 0, path);
    }
  });
});

/** In the page with high contrast: the switches of which the track or the thumb has the colour of what is behind it. */
function unseenSwitches(): string[] {
  const switches = [...document.querySelectorAll<HTMLElement>('input[role="switch"]')];
  return switches
    .filter((input) => {
      const track = input.nextElementSibling;
      const thumb = track?.firstElementChild;
      if (!track || !thumb) return true;
      const { backgroundColor, borderTopStyle } = getComputedStyle(track);
      return borderTopStyle !== 'solid' || getComputedStyle(thumb).backgroundColor === backgroundColor;
    })
    .map((input) => input.dataset.testid ?? '');
}

/** In the page with high contrast: whether all initials have a line around them. */
function haveCircles(): boolean {
  const initials = [...document.querySelectorAll('nav [data-initials], main [data-initials]')];
  return initials.length > 0 && initials.every((one) => getComputedStyle(one).borderTopStyle === 'solid');
}

function countLongAnimations(): number {
  return document.getAnimations().filter(({ effect }) => {
    const { activeDuration = 0 } = effect?.getComputedTiming() ?? {};
    return typeof activeDuration !== 'number' || activeDuration > 1;
  }).length;
}
