import { existsSync } from 'node:fs';
import puppeteer, { type Browser } from 'puppeteer-core';
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

export interface FirefoxOptions {
  /** Where its push service listens, `ws://..`; left out: none. */
  pushUrl?: string;
  /** In the order of liking, such as `zh-CN, en`. */
  languages?: string;
}

export interface Firefox extends RunningBrowser {
  readonly kind: 'firefox';
  /** The value of an expression inside the browser itself, which may do everything; it must be JSON. */
  inside(expression: string): Promise<unknown>;
  setPreference(name: string, value: boolean | number | string): Promise<void>;
}

/** What Firefox does not need to do for a test, and what it may not do: reach anything but this machine. */
const PREFERENCES = {
  // Proxies are not asked for this machine's own addresses; nothing listens on port 9.
  'network.proxy.type': 1,
  'network.proxy.socks': '127.0.0.1',
  'network.proxy.socks_port': 9,
  'network.proxy.socks_remote_dns': true,
  'network.proxy.failover_direct': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'browser.topsites.contile.enabled': false,
  'browser.region.update.enabled': false,
  'app.update.enabled': false,
  'toolkit.telemetry.enabled': false,
  'media.gmp-manager.url': '',
  'browser.cache.disk.enable': false,
  'dom.ipc.processPrelaunch.enabled': false,
  'browser.tabs.unloadOnLowMemory': false,
  // Each frame is drawn by the processor: a sixth as many leave a fifth more of it.
  'layout.frame_rate': 10,
  // Its own windows: there is no desktop to show notifications.
  'alerts.useSystemBackend': false,
};

const PUSH_PREFERENCES = {
  'dom.push.testing.allowInsecureServerURL': true,
  // The driver's side of Firefox turns it off.
  'dom.push.connection.enabled': true,
  'dom.push.retryBaseInterval': 100,
};

/** Firefox without a screen and with an empty profile; it ends with `scope`, whatever happens to the test. */
export async function startFirefox(scope: Scope, options: FirefoxOptions = {}): Promise<Firefox> {
  const { path, missing } = findBrowsers().firefox;
  if (!path) throw new Error(missing);
  const { profile, env } = await makeHome(scope);
  const { pushUrl, languages = 'en-US, en' } = options;
  // Firefox itself notices nothing when a test is killed, and would stay.
  const guard = ['/usr/bin/setpriv', '--pdeathsig', 'KILL'];
  const guarded = existsSync('/usr/bin/setpriv') ? guard : [];
  const [executablePath = path, ...args] = [
    ...guarded,
    path,
    '--headless',
    '--no-remote',
    '--remote-allow-system-access',
    'about:blank',
    '--profile',
    profile,
  ];
  const driver = await puppeteer.launch({
    defaultViewport: WIDE,
    browser: 'firefox',
    executablePath,
    ignoreDefaultArgs: true,
    args,
    env: { ...env, MOZ_CRASHREPORTER_DISABLE: '1', MOZ_REMOTE_SETTINGS_DEVTOOLS: '1' },
    ...NO_SIGNAL_HANDLERS,
    timeout: 2 * PATIENCE_MS,
    extraPrefsFirefox: {
      ...PREFERENCES,
      'intl.accept_languages': languages,
      ...(pushUrl
        ? { ...PUSH_PREFERENCES, 'dom.push.serverURL': pushUrl }
        : { 'dom.push.connection.enabled': false }),
    },
  });
  endingsOf(scope).defer(() => kill(driver));
  const inside = (expression: string) => evaluateInside(driver, expression);
  return {
    kind: 'firefox',
    version: await driver.version(),
    driver,
    inside,
    async setPreference(name, value) {
      const setter = { boolean: 'Bool', number: 'Int', string: 'String' }[String(typeof value)];
      await inside(`Services.prefs.set${setter}Pref(${JSON.stringify(name)}, ${JSON.stringify(value)})`);
    },
  };
}

/** As much as is used here of the driver's connection, which it does not publish. */
interface BidiConnection {
  send(method: string, parameters: object): Promise<{ result: unknown }>;
}

/** Calls Firefox by a command that the driver has no function for. */
export async function sendBidi<Result>(driver: Browser, method: string, parameters: object): Promise<Result> {
  // The only way to it: Firefox allows one session, which is the driver's.
  const { connection } = driver as unknown as { connection: BidiConnection };
  const { result } = await connection.send(method, parameters);
  // What a command answers is the protocol's to say.
  return result as Result;
}

async function evaluateInside(driver: Browser, expression: string): Promise<unknown> {
  const tree = await sendBidi<{ contexts: { url: string; context: string }[] }>(
    driver,
    'browsingContext.getTree',
    {
      'moz:scope': 'chrome',
    },
  );
  const window = tree.contexts.find(({ url }) => url === 'chrome://browser/content/browser.xhtml');
  if (!window) throw new Error('Firefox has no window');
  const answer = await sendBidi<
    | { type: 'success'; result: { value?: string } }
    | { type: 'exception'; exceptionDetails: { text: string } }
  >(driver, 'script.evaluate', {
    expression: `JSON.stringify(${expression})`,
    target: { context: window.context },
    awaitPromise: false,
  });
  if (answer.type === 'exception') throw new Error(`Inside Firefox: ${answer.exceptionDetails.text}`);
  const { value } = answer.result;
  return value === undefined ? undefined : JSON.parse(value);
}
