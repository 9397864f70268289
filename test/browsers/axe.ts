import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type axe from 'axe-core';
import type { Page } from 'puppeteer-core';
import { comeToRest } from './appearance.ts';

const source = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/**
 * The accessibility faults of the page that axe calls serious or critical, one line each. The driver evaluates axe in the
 * page, which the Content-Security-Policy does not prevent.
 */
export async function findAxeFaults(page: Page): Promise<string[]> {
  if (await page.evaluate(() => !('axe' in window))) await page.evaluate(source);
  await comeToRest(page);
  const violations = await page.evaluate(async () => {
    // The line above defines it.
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    // Else it would load style sheets.
    const { violations } = await axe.run(document, { preload: false, resultTypes: ['violations'] });
    return violations.map(({ id, impact, help, nodes }: axe.Result) => ({
      id,
      impact,
      help,
      targets: nodes.map(({ target, failureSummary }) => `${target.join(' ')}: ${failureSummary}`),
    }));
  });
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, help, targets }) =>
      targets.map((target) => `${id}: ${help}: ${target.replace(/\s+/g, ' ')}`),
    );
}

/** @param where what the page shows, for the message */
export async function assertAccessible(page: Page, where: string): Promise<void> {
  assert.deepEqual(await findAxeFaults(page), [], `axe finds faults in ${where}`);
}
