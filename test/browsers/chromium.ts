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
  /** For example those by which `startGcmService` replaces the push service of Google. */
  switches?: readonly string[];
  /** In order of preference, such as `zh-CN,en`. */
  languages?: string;
}

export interface Chromium extends RunningBrowser {
  readonly kind: 'chromium';
}

/** Headless Chromium with an empty profile; it ends with `scope`, even if the test is killed. */
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
      // Its sandbox does not run as root, nor in containers.
      '--no-sandbox',
      // It reaches only this machine.
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
