// Takes screenshots of the views of the page (test/browsers/views.ts) at four widths, light and dark, in both languages, into
// test/screenshots/, under names such as `chromium-chat-390-dark-zh.png`; fails if one of them is too wide.
//   npm run screenshots                            all, in Chromium and Firefox: 2,016 pictures
//   npm run screenshots -- chromium chat requests  these views in one browser
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { appear, assertFits, comeToRest } from '../test/browsers/appearance.ts';
import { startChromium } from '../test/browsers/chromium.ts';
import { startFirefox } from '../test/browsers/firefox.ts';
import type { RunningBrowser } from '../test/browsers/running-browser.ts';
import { startViews, VIEWS } from '../test/browsers/views.ts';

const FOLDER = fileURLToPath(new URL('../test/screenshots/', import.meta.url));
const SIZES = [
  { width: 1280, height: 800 },
  { width: 820, height: 1180 },
  { width: 390, height: 844 },
  { width: 320, height: 640 },
];
const BROWSERS = { chromium: startChromium, firefox: startFirefox };

const ends: (() => Promise<void> | void)[] = [];
const scope = { after: (end: () => Promise<void> | void) => void ends.push(end) };
const words = process.argv.slice(2);
const isBrowser = (word: string) => word in BROWSERS;
const names = words.filter((word) => !isBrowser(word));
try {
  await mkdir(FOLDER, { recursive: true });
  for (const [kind, start] of Object.entries(BROWSERS))
    if (!words.some(isBrowser) || words.includes(kind))
      await takeAll(await start(scope), names.length > 0 ? names : Object.keys(VIEWS));
} finally {
  for (const end of ends) await end();
}

async function takeAll(browser: RunningBrowser, views: readonly string[]): Promise<void> {
  const viewer = await startViews(scope, browser);
  for (const language of ['en', 'zh'] as const) {
    await viewer.speak(language);
    for (const view of views) {
      const page = await viewer.open(view);
      for (const scheme of ['light', 'dark'] as const) {
        for (const size of SIZES) {
          await appear(scope, browser, page, { ...size, scheme });
          await page.waitForSelector(`html[data-mantine-color-scheme="${scheme}"]`);
          await comeToRest(page);
          const file = `${browser.kind}-${view}-${size.width}-${scheme}-${language}`;
          await assertFits(page, file);
          await page.screenshot({ path: `${FOLDER}${file}.png` });
        }
      }
      await viewer.leave(view);
    }
  }
  process.stdout.write(`${browser.kind}: ${views.length} views in test/screenshots/\n`);
}
