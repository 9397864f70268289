import { accessSync, constants, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

export type BrowserKind = 'firefox' | 'chromium';

/** The path of a browser, or why it cannot be used. */
export type Found = { path: string; missing?: undefined } | { path?: undefined; missing: string };

/** The first Firefox ESR in which a driver works under our Content-Security-Policy and can read notifications. */
const FIREFOX_MAJOR = 153;

/** The browsers of Debian's packages, unless `TEST_FIREFOX` and `TEST_CHROMIUM` name others. */
export function findBrowsers(): Record<BrowserKind, Found> {
  const install = (name: string) => `on Debian: sudo apt-get update && sudo apt-get install ${name}`;
  const firefox = process.env.TEST_FIREFOX || '/usr/bin/firefox-esr';
  const chromium = process.env.TEST_CHROMIUM || '/usr/bin/chromium';
  const version = readFirefoxVersion(firefox);
  const found: Record<BrowserKind, Found> = { firefox: { path: firefox }, chromium: { path: chromium } };
  if (!isExecutable(firefox)) {
    found.firefox = { missing: `Firefox ESR is not installed; ${install('firefox-esr')}` };
  } else if (version && Number.parseInt(version, 10) < FIREFOX_MAJOR) {
    found.firefox = {
      missing: `Firefox ${version} is too old, ${FIREFOX_MAJOR} is needed; ${install('firefox-esr')}`,
    };
  }
  if (!isExecutable(chromium))
    found.chromium = { missing: `Chromium is not installed; ${install('chromium')}` };
  return found;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Read from a file: starting Firefox for its version takes half a second. */
function readFirefoxVersion(path: string): string | undefined {
  try {
    const about = readFileSync(join(dirname(realpathSync(path)), 'application.ini'), 'utf8');
    return /^Version=(.+)$/m.exec(about)?.[1];
  } catch {
    return undefined;
  }
}
