import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appear, assertFits, comeToRest } from './appearance.ts';
import { assertAccessible } from './axe.ts';
import { onChromium } from './each-browser.ts';
import { startViews, VIEWS } from './views.ts';

onChromium('Every view of the page', (browser) => {
  test('fits into 320 pixels and into a wide window, and axe finds nothing', async (t) => {
    const viewer = await startViews(t, browser());
    assert.equal(Object.keys(VIEWS).length, 26);
    for (const name of Object.keys(VIEWS)) {
      const page = await viewer.open(name);
      for (const [width, scheme] of [
        [320, 'dark'],
        [1280, 'light'],
      ] as const) {
        await appear(t, browser(), page, { width, height: 800, scheme });
        await page.waitForSelector(`html[data-mantine-color-scheme="${scheme}"]`);
        await comeToRest(page);
        await assertFits(page, `${name}, ${width}`);
        await assertAccessible(page, `${name}, ${width}, ${scheme}`);
      }
      await viewer.leave(name);
    }
  });
});
