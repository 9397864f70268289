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
  /** The address of its push service, `ws://..`; absent: none. */
  pushUrl?: string;
  /** In order of preference, such as `zh-CN, en`. */
  languages?: string;
}

export interface Firefox extends RunningBrowser {
  readonly kind: 'firefox';
  /** Evaluates an expression with the privileges of the browser; its value must be JSON. */
  inside(expression: string): Promise<unknown>;
  setPreference(name: string, value: boolean | number | string): Promise<void>;
}

/** Turns off what a test does not need, and all connections but to this machine. */
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
  // Frames are drawn by the processor: a sixth of them saves a fifth of its time.
  'layout.frame_rate': 10,
  // Firefox shows notifications in windows of its own, as there is no desktop.
  'alerts.useSystemBackend': false,
};

const PUSH_PREFERENCES = {
  'dom.push.testing.allowInsecureServerURL': true,
  // The driver turns it off.
  'dom.push.connection.enabled': true,
  'dom.push.retryBaseInterval': 100,
  // After a click on a notification a worker may open a window for a second only, in which a busy machine does not get to it.
  'dom.webnotifications.disable_open_click_delay': 60_000,
};

/** Headless Firefox with an empty profile; it ends with `scope`, even if the test is killed. */
export async function startFirefox(scope: Scope, options: FirefoxOptions = {}): Promise<Firefox> {
  const { path, missing } = findBrowsers().firefox;
  if (!path) throw new Error(missing);
  const { profile, env } = await makeHome(scope);
  const { pushUrl, languages = 'en-US, en' } = options;
  // Firefox does not notice that a test is killed, and would stay.
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

/** The used part of the driver's connection, which is not public. */
interface BidiConnection {
  send(method: string, parameters: object): Promise<{ result: unknown }>;
}

/** Sends a command for which the driver has no function. */
export async function sendBidi<Result>(driver: Browser, method: string, parameters: object): Promise<Result> {
  // Firefox allows one session, which the driver has.
  const { connection } = driver as unknown as { connection: BidiConnection };
  const { result } = await connection.send(method, parameters);
  // The protocol defines the type of the answer.
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
