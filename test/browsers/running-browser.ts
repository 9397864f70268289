import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'puppeteer-core';
import { endingsOf, type Scope } from './endings.ts';
import type { BrowserKind } from './find-browsers.ts';

/** Generous, as the machine may be slow and busy; what is waited for usually comes in milliseconds. */
export const PATIENCE_MS = 30_000;

export interface RunningBrowser {
  readonly kind: BrowserKind;
  /** As its driver names it, such as `firefox/153.7.0`. */
  readonly version: string;
  readonly driver: Browser;
}

/**
 * One person's browser, as far as pages can tell: cookies, storage, workers, permissions and subscriptions of its own.
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

/** Hides a page as a person would who opens another tab beside it. @returns brings it back */
export async function hide(page: Page): Promise<() => Promise<void>> {
  await page.bringToFront();
  const cover = await page.browserContext().newPage({ type: 'tab' });
  return async () => {
    await cover.close();
    await page.bringToFront();
  };
}

/** A folder for all that a browser writes, and what it is to be told of it. It is removed even if the process just ends. */
export async function makeHome(scope: Scope): Promise<{ profile: string; env: Record<string, string> }> {
  const home = await mkdtemp(join(tmpdir(), 'doorman-browser-'));
  const removeNow = () => rmSync(home, { recursive: true, force: true });
  process.once('exit', removeNow);
  endingsOf(scope).defer(async () => {
    process.off('exit', removeNow);
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  });
  const { PATH = '', LANG = 'C.UTF-8' } = process.env;
  return { profile: join(home, 'profile'), env: { PATH, LANG, HOME: home, TMPDIR: home } };
}

/** Ends a browser with all its processes at once: nothing that it could still write would be read. */
export async function kill(driver: Browser): Promise<void> {
  const child = driver.process();
  if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  // The driver starts it as the leader of a group.
  process.kill(-child.pid, 'SIGKILL');
  await ended;
}
