import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appear, assertFits, comeToRest } from './appearance.ts';
import { assertAccessible } from './axe.ts';
import { onChromium } from './each-browser.ts';
import { collectIcons, collectType, type TypeScale } from './looks.ts';
import { startViews, VIEWS } from './views.ts';

onChromium('Every view of the page', (browser) => {
  test('fits into 320 pixels and into a wide window, axe finds nothing, text has five sizes and two weights, and icons have one size', async (t) => {
    const viewer = await startViews(t, browser());
    const type: TypeScale = { sizes: new Map(), weights: new Map() };
    const icons = new Map<string, string>();
    assert.equal(Object.keys(VIEWS).length, 63);
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
        await collectType(page, `${name}, ${width}`, type);
        await collectIcons(page, `${name}, ${width}`, icons);
        await assertAccessible(page, `${name}, ${width}, ${scheme}`);
      }
      await viewer.leave(name);
    }
    assert.deepEqual(
      [...type.sizes.keys()].sort(),
      ['12px', '14px', '16px', '20px', '28px'],
      examplesOf(type.sizes),
    );
    assert.deepEqual([...type.weights.keys()].sort(), ['400', '600'], examplesOf(type.weights));
    assert.deepEqual([...icons.keys()], ['20 x 20'], examplesOf(icons));
  });
});

function examplesOf(found: Map<string, string>): string {
  return [...found].map((pair) => pair.join(' in ')).join('; ');
}
