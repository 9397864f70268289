import type { Page } from 'puppeteer-core';
import { waitFor } from './waiting.ts';

/** Puts `text` in the place of what a field holds, in one go as pasting does: key by key costs a second for a form. */
export async function fill(page: Page, selector: string, text: string): Promise<void> {
  await waitFor(`the field ${selector}`, () => page.evaluate(replaceText, selector, text));
}

/** @returns whether the field was there, and took it */
function replaceText(selector: string, text: string): boolean {
  const field = document.querySelector<HTMLInputElement | HTMLTextAreaElement>(selector);
  if (!field?.matches(':enabled:read-write') || !field.checkVisibility()) return false;
  field.focus();
  field.select();
  // The one way by which the page hears of it as of a person's own writing.
  document.execCommand(text === '' ? 'delete' : 'insertText', false, text);
  return field.value === text;
}

/**
 * Confirms what the open dialog asks, and waits until the dialog is gone. The answer over HTTP closes it; an event on the
 * socket may show the result earlier, on the page below the dialog, where nothing can be clicked yet.
 */
export async function confirm(page: Page): Promise<void> {
  await page.locator('[data-testid="confirm-yes"]').click();
  await page.waitForSelector('dialog', { hidden: true });
}
