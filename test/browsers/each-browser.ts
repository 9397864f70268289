import { after, before, describe, test } from 'node:test';
import { type Chromium, type ChromiumOptions, startChromium } from './chromium.ts';
import type { Scope } from './endings.ts';
import { type BrowserKind, findBrowsers } from './find-browsers.ts';
import { type Firefox, type FirefoxOptions, startFirefox } from './firefox.ts';
import type { RunningBrowser } from './running-browser.ts';

/** Registers the same tests for Firefox and for Chromium. All share one browser of each kind, separated by `openContext`. */
export function onEachBrowser(name: string, register: (browser: () => RunningBrowser) => void): void {
  onFirefox(name, register);
  onChromium(name, register);
}

/**
 * Without Firefox the tests are skipped, and with `CI=true` they fail.
 *
 * @param register registers the tests; its argument returns the browser, inside of tests only
 * @param prepare starts what the browser needs, such as a push service
 */
export function onFirefox(
  name: string,
  register: (firefox: () => Firefox) => void,
  prepare: (group: Scope) => Promise<FirefoxOptions> = async () => ({}),
): void {
  onBrowser(
    'firefox',
    `${name} (Firefox)`,
    async (group) => startFirefox(group, await prepare(group)),
    register,
  );
}

/** The same for Chromium. */
export function onChromium(
  name: string,
  register: (chromium: () => Chromium) => void,
  prepare: (group: Scope) => Promise<ChromiumOptions> = async () => ({}),
): void {
  onBrowser(
    'chromium',
    `${name} (Chromium)`,
    async (group) => startChromium(group, await prepare(group)),
    register,
  );
}

function onBrowser<B extends RunningBrowser>(
  kind: BrowserKind,
  title: string,
  start: (group: Scope) => Promise<B>,
  register: (browser: () => B) => void,
): void {
  const { missing } = findBrowsers()[kind];
  if (missing && process.env.CI === 'true') {
    test(title, () => {
      throw new Error(missing);
    });
    return;
  }
  describe(title, { skip: missing ?? false }, () => {
    let running: B | undefined;
    const ends: (() => Promise<void> | void)[] = [];
    before(async () => {
      running = await start({ after: (end) => void ends.push(end) });
    });
    after(async () => {
      for (const end of ends) await end();
    });
    register(() => {
      if (!running) throw new Error('The browser runs only while a test does');
      return running;
    });
  });
}
