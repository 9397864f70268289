import puppeteer from 'puppeteer-core';
import { endingsOf, type Scope } from './endings.ts';
import { findBrowsers } from './find-browsers.ts';
import {
  kill,
  makeHome,
  NO_SIGNAL_HANDLERS,
  PATIENCE_MS,
  type RunningBrowser,
  WIDE,
} from './running-browser.ts';

export interface ChromiumOptions {
  /** Such as those with which `startGcmService` puts itself in place of Google's push service. */
  switches?: readonly string[];
  /** In the order of liking, such as `zh-CN,en`. */
  languages?: string;
}

export interface Chromium extends RunningBrowser {
  readonly kind: 'chromium';
}

/** Chromium without a screen and with an empty profile; it ends with `scope`, whatever happens to the test. */
export async function startChromium(scope: Scope, options: ChromiumOptions = {}): Promise<Chromium> {
  const { path, missing } = findBrowsers().chromium;
  if (!path) throw new Error(missing);
  const { profile, env } = await makeHome(scope);
  const { switches = [], languages = 'en-US,en' } = options;
  const driver = await puppeteer.launch({
    defaultViewport: WIDE,
    executablePath: path,
    // When the test is killed, the pipe ends, and Chromium with it.
    pipe: true,
    userDataDir: profile,
    env,
    ...NO_SIGNAL_HANDLERS,
    timeout: 2 * PATIENCE_MS,
    args: [
      // Its sandbox refuses to run as root, and containers have none to give.
      '--no-sandbox',
      // Nothing but this machine.
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
      '--disable-component-update',
      '--disable-gpu',
      `--accept-lang=${languages}`,
      `--lang=${languages.split(',')[0]}`,
      ...switches,
    ],
  });
  endingsOf(scope).defer(() => kill(driver));
  return { kind: 'chromium', version: await driver.version(), driver };
}
