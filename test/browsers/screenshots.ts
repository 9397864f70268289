import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'puppeteer-core';
import { appear, assertFits, comeToRest } from './appearance.ts';
import type { Scope } from './endings.ts';
import type { RunningBrowser } from './running-browser.ts';

const folder = fileURLToPath(new URL('../screenshots', import.meta.url));

const SIZES = [
  { width: 360, height: 740 },
  { width: 768, height: 1024 },
  { width: 1440, height: 900 },
];
const LANGUAGES = { en: 'en-US,en', zh: 'zh-CN,zh' };

/**
 * Takes screenshots at three widths, light and dark, in both languages, into `test/screenshots/` under names such as
 * `chat-360-dark-zh.png`, and asserts that the page fits.
 *
 * @param shows the selector of an element that is there once the page is complete
 */
export async function takeScreenshots(
  scope: Scope,
  browser: RunningBrowser,
  page: Page,
  { name, url, shows }: { name: string; url: string; shows: string },
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [language, languages] of Object.entries(LANGUAGES)) {
    await appear(scope, browser, page, { languages });
    await page.goto(url);
    await page.waitForSelector(shows);
    for (const { width, height } of SIZES) {
      for (const scheme of ['light', 'dark'] as const) {
        await appear(scope, browser, page, { width, height, scheme });
        await page.waitForSelector(`html[data-mantine-color-scheme="${scheme}"]`);
        await comeToRest(page);
        const file = `${name}-${width}-${scheme}-${language}`;
        await assertFits(page, file);
        await page.screenshot({ path: join(folder, `${file}.png`) });
      }
    }
  }
}
