import type { Page } from 'puppeteer-core';
import { waitFor } from './waiting.ts';

/** Replaces the text of a field at once, as pasting does; key by key takes a second per form. */
export async function fill(page: Page, selector: string, text: string): Promise<void> {
  await waitFor(`the field ${selector}`, () => page.evaluate(replaceText, selector, text));
}

/** @returns whether the field was there and accepted the text */
function replaceText(selector: string, text: string): boolean {
  const field = document.querySelector<HTMLInputElement | HTMLTextAreaElement>(selector);
  if (!field?.matches(':enabled:read-write') || !field.checkVisibility()) return false;
  field.focus();
  field.select();
  // The only way by which the page gets the same events as from typing.
  document.execCommand(text === '' ? 'delete' : 'insertText', false, text);
  return field.value === text;
}

/** Opens the question in the settings, on a wide screen. */
export async function askToSignOut(page: Page): Promise<void> {
  await page.locator('[data-testid="nav-settings"]').click();
  await page.locator('[data-testid="settings-sign-out"]').click();
}

/**
 * Confirms the open dialog, and waits until it is closed. The HTTP answer closes it; an event on the socket may show the
 * result earlier on the page below the dialog, where nothing can be clicked yet.
 */
export async function confirm(page: Page): Promise<void> {
  await page.locator('[data-testid="confirm-yes"]').click();
  await page.waitForSelector('dialog', { hidden: true });
}
