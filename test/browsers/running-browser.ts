import { once } from 'node:events';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'puppeteer-core';
import { makeTemporaryFolder, removeFolder } from '../temporary-folders.ts';
import { endingsOf, type Scope } from './endings.ts';
import type { BrowserKind } from './find-browsers.ts';

/** The longest wait; long, as the machine may be busy. Most waits take milliseconds. */
export const PATIENCE_MS = 30_000;

/** The default size of a window: wide enough for list and detail side by side. */
export const WIDE = { width: 1280, height: 800 };

export interface RunningBrowser {
  readonly kind: BrowserKind;
  /** The version as the driver reports it, such as `firefox/153.7.0`. */
  readonly version: string;
  readonly driver: Browser;
}

/**
 * The browser of one user, as far as pages can see: cookies, storage, workers, permissions and subscriptions of its own.
 * It is closed with `scope`, and all its pages with it.
 */
export async function openContext(scope: Scope, { driver }: RunningBrowser): Promise<BrowserContext> {
  const context = await driver.createBrowserContext();
  endingsOf(scope).defer(async () => {
    if (driver.connected) await context.close();
  });
  return context;
}

/** A page in a window of its own, so that it stays visible when others open. */
export async function openWindow(context: BrowserContext, url?: string): Promise<Page> {
  const page = await context.newPage({ type: 'window' });
  page.setDefaultTimeout(PATIENCE_MS);
  if (url) await page.goto(url);
  return page;
}

/** Hides a page by opening another tab. @returns a function that shows it again */
export async function hide(page: Page): Promise<() => Promise<void>> {
  await page.bringToFront();
  const cover = await page.browserContext().newPage({ type: 'tab' });
  return async () => {
    await cover.close();
    await page.bringToFront();
  };
}

/**
 * Without the driver's own signal handlers, a signal ends the process of a hung test, and with it all that depends on it.
 */
export const NO_SIGNAL_HANDLERS = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };

/** A folder for all files of a browser, and the settings that name it; removed with `scope`. */
export async function makeHome(scope: Scope): Promise<{ profile: string; env: Record<string, string> }> {
  const home = await makeTemporaryFolder('browser');
  endingsOf(scope).defer(() => removeFolder(home));
  const { PATH = '', LANG = 'C.UTF-8' } = process.env;
  return { profile: join(home, 'profile'), env: { PATH, LANG, HOME: home, TMPDIR: home } };
}

/** Kills a browser with all its processes; what it would still write is not needed. */
export async function kill(driver: Browser): Promise<void> {
  const child = driver.process();
  if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  // The driver starts it as the leader of a group.
  process.kill(-child.pid, 'SIGKILL');
  await ended;
}
