import assert from 'node:assert/strict';
import type { Page } from 'puppeteer-core';
import { endingsOf, type Scope } from './endings.ts';
import type { Firefox } from './firefox.ts';
import type { RunningBrowser } from './running-browser.ts';
import { waitFor } from './waiting.ts';

export interface Appearance {
  /** The inner width of the window, in CSS pixels. */
  width: number;
  height: number;
  /** The colour scheme of the system. */
  scheme: 'light' | 'dark';
  /** The languages of the browser in order of preference, such as `zh-CN,zh`. */
  languages: string;
}

/**
 * Makes a page look as on another device: media queries at once, the languages at the next load.
 * In Firefox, scheme and languages hold for the whole browser until `scope` ends.
 */
export async function appear(
  scope: Scope,
  browser: RunningBrowser,
  page: Page,
  { width, height = 800, scheme, languages }: Partial<Appearance>,
): Promise<void> {
  if (width !== undefined) await page.setViewport({ width, height });
  if (isFirefox(browser)) {
    // 0 is dark, 1 is light, 2 is what the system says.
    const schemes = { dark: 0, light: 1 };
    if (scheme) {
      await prefer(scope, browser, 'layout.css.prefers-color-scheme.content-override', schemes[scheme], 2);
      const isDark = () => page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches);
      await waitFor('the scheme', async () => (await isDark()) === (scheme === 'dark'));
    }
    if (languages) await prefer(scope, browser, 'intl.accept_languages', languages, 'en-US, en');
    return;
  }
  if (scheme) await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  if (languages) {
    const session = await page.createCDPSession();
    const userAgent = await page.evaluate(() => navigator.userAgent);
    await session.send('Emulation.setUserAgentOverride', { userAgent, acceptLanguage: languages });
  }
}

function isFirefox(browser: RunningBrowser): browser is Firefox {
  return browser.kind === 'firefox';
}

async function prefer(
  scope: Scope,
  firefox: Firefox,
  name: string,
  value: number | string,
  otherwise: number | string,
): Promise<void> {
  await firefox.setPreference(name, value);
  endingsOf(scope).defer(async () => {
    if (firefox.driver.connected) await firefox.setPreference(name, otherwise);
  });
}

/**
 * Waits until a change is drawn and its transitions have ended, so that colours are final. Endless animations are not
 * waited for.
 */
export async function comeToRest(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let frame = 0; frame < 2; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
    const ending = document.getAnimations().filter(({ effect }) => {
      const end = effect?.getComputedTiming().endTime;
      return typeof end === 'number' && Number.isFinite(end);
    });
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
}

/** Where the visible elements of `selector` are in the document, by name: left and upper edge and height, in whole pixels. */
export function placesOf(page: Page, selector: string): Promise<string[]> {
  return page.$$eval(selector, (parts) =>
    parts
      .filter((part) => part.checkVisibility({ visibilityProperty: true }))
      .map((part) => {
        const { x, y, height } = part.getBoundingClientRect();
        const name = part.getAttribute('name') ?? part.getAttribute('data-testid') ?? part.textContent;
        return `${name}: ${Math.round(x)} ${Math.round(y + scrollY)} ${Math.round(height)}`;
      }),
  );
}

/** Asserts that neither the page nor any visible element is wider than the window. */
export async function assertFits(page: Page, where: string): Promise<void> {
  const found = await page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const isClipped = (element: Element): boolean => {
      for (let outer = element.parentElement; outer; outer = outer.parentElement) {
        if (getComputedStyle(outer).overflowX !== 'visible') return true;
      }
      return false;
    };
    const wide = [...document.querySelectorAll('body *')].filter((element) => {
      const { left, right, height } = element.getBoundingClientRect();
      return height > 0 && (right > width + 1 || left < -1) && !isClipped(element);
    });
    const names = wide.slice(0, 5).map((element) => element.outerHTML.slice(0, 120));
    return { isWide: document.documentElement.scrollWidth > width, names };
  });
  assert.deepEqual(found, { isWide: false, names: [] }, `something sticks out in ${where}`);
}
