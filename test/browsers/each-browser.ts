import { after, before, describe, test } from 'node:test';
import { type Chromium, type ChromiumOptions, startChromium } from './chromium.ts';
import type { Scope } from './endings.ts';
import { type BrowserKind, findBrowsers } from './find-browsers.ts';
import { type Firefox, type FirefoxOptions, startFirefox } from './firefox.ts';
import type { RunningBrowser } from './running-browser.ts';

/** A browser that groups of tests use one after the other: it starts for the first of them, and ends after the last. */
class BrowserOfGroups<B extends RunningBrowser> {
  readonly #start: (scope: Scope) => Promise<B>;
  /** Groups that are registered and have not ended. */
  #groups = 0;
  #running: Promise<B> | undefined;
  #ends: (() => Promise<void> | void)[] = [];

  constructor(start: (scope: Scope) => Promise<B>) {
    this.#start = start;
  }

  register(): void {
    this.#groups++;
  }

  async open(): Promise<B> {
    if (this.#running && !(await this.#running).driver.connected) await this.#end(); // it crashed
    this.#running ??= this.#start({ after: (end) => void this.#ends.push(end) });
    return this.#running;
  }

  async leave(): Promise<void> {
    if (--this.#groups === 0) await this.#end();
  }

  async #end(): Promise<void> {
    this.#running = undefined;
    for (const end of this.#ends.splice(0)) await end();
  }
}

/** Those of all groups of this process that need no browser of their own. */
const firefox = new BrowserOfGroups((scope) => startFirefox(scope));
const chromium = new BrowserOfGroups((scope) => startChromium(scope));

/** Registers the same tests for Firefox and for Chromium, each separated from others by `openContext`. */
export function onEachBrowser(name: string, register: (browser: () => RunningBrowser) => void): void {
  onFirefox(name, register);
  onChromium(name, register);
}

/**
 * Without Firefox the tests are skipped, and with `CI=true` they fail. `TEST_BROWSERS=chromium` leaves them out.
 *
 * @param register registers the tests; its argument returns the browser, inside of tests only
 * @param prepare starts what the browser needs, such as a push service; the tests then have a browser of their own
 */
export function onFirefox(
  name: string,
  register: (firefox: () => Firefox) => void,
  prepare?: (group: Scope) => Promise<FirefoxOptions>,
): void {
  const own = prepare && new BrowserOfGroups(async (scope) => startFirefox(scope, await prepare(scope)));
  onBrowser('firefox', `${name} (Firefox)`, own ?? firefox, register);
}

/** The same for Chromium. */
export function onChromium(
  name: string,
  register: (chromium: () => Chromium) => void,
  prepare?: (group: Scope) => Promise<ChromiumOptions>,
): void {
  const own = prepare && new BrowserOfGroups(async (scope) => startChromium(scope, await prepare(scope)));
  onBrowser('chromium', `${name} (Chromium)`, own ?? chromium, register);
}

function onBrowser<B extends RunningBrowser>(
  kind: BrowserKind,
  title: string,
  browser: BrowserOfGroups<B>,
  register: (browser: () => B) => void,
): void {
  if ((process.env.TEST_BROWSERS ?? kind) !== kind) return;
  const { missing } = findBrowsers()[kind];
  if (missing && process.env.CI === 'true') {
    test(title, () => {
      throw new Error(missing);
    });
    return;
  }
  if (!missing) browser.register();
  describe(title, { skip: missing ?? false }, () => {
    let running: B | undefined;
    before(async () => {
      running = await browser.open();
    });
    after(() => browser.leave());
    register(() => {
      if (!running) throw new Error('The browser runs only while a test does');
      return running;
    });
  });
}
