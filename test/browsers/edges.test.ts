import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { appear } from './appearance.ts';
import { type Edge, edgeOf, edgesOf } from './drawn-edges.ts';
import { onChromium } from './each-browser.ts';
import { startViews } from './views.ts';

/** Views with a field, a switch or a choice, and how many edges each has at least. */
const PLACES: [view: string, edges: number][] = [
  ['sign-up', 2],
  ['sign-in-refused', 2],
  ['set-password', 1],
  ['forgot', 1],
  ['recovery-code', 1],
  ['chat', 2],
  ['people', 2],
  ['settings', 2],
  ['profile-form', 4],
  ['notifications', 5],
  ['security', 2],
  ['recovery-form', 3],
  ['password-dialog', 1],
];
/** WCAG 2.2, 1.4.11. */
const LEAST = 3;

onChromium('The edges of fields, switches and choices', (browser) => {
  for (const scheme of ['light', 'dark'] as const)
    test(`have a contrast of 3 to 1 to what is around them in ${scheme}`, async (t) => {
      const viewer = await startViews(t, browser());
      const weak: string[] = [];
      const check = (where: string, edges: Edge[]) => {
        for (const { of, ratio } of edges)
          if (ratio < LEAST) weak.push(`${where}, ${of}: ${ratio.toFixed(2)}`);
      };
      for (const [view, count] of PLACES) {
        const page = await viewer.open(view);
        await appear(t, browser(), page, { width: 1280, height: 800, scheme });
        await page.waitForSelector(`html[data-mantine-color-scheme="${scheme}"]`);
        const edges = await edgesOf(page);
        assert.ok(edges.length >= count, `${view} has ${edges.length}`);
        check(view, edges);
        check(`${view} with the focus`, await focusedEdge(page));
        await viewer.leave(view);
      }
      const page = await viewer.open('chat');
      await page.keyboard.down('Control');
      await page.keyboard.press('k');
      await page.keyboard.up('Control');
      await page.waitForSelector('[data-testid="go-to-field"]:focus');
      check('the dialog', await focusedEdge(page));
      check('the dialog without the focus', await edgesOf(page));
      assert.deepEqual(weak, []);
    });
});

/** The edge of the first field of the page once it has the focus. */
async function focusedEdge(page: Page): Promise<Edge[]> {
  const fields = '.mantine-Input-input, [role="switch"]';
  const field = (await page.$(`dialog :is(${fields})`)) ?? (await page.$(fields));
  if (!field) return [];
  await field.focus();
  const drawn = await field.evaluateHandle((input) =>
    input.matches('[role="switch"]') ? (input.nextElementSibling ?? input) : input,
  );
  return [await edgeOf(page, drawn)];
}
