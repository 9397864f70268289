import type { Page } from 'puppeteer-core';

/** The sizes and weights of the visible text of a page, each with the first text that has it. */
export interface TypeScale {
  sizes: Map<string, string>;
  weights: Map<string, string>;
}

/** Adds what the page shows to `scale`, texts and the values of fields. */
export async function collectType(page: Page, view: string, scale: TypeScale): Promise<void> {
  const found = await page.evaluate(() => {
    const texts: [element: Element, text: string][] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.textContent?.trim();
      if (text && node.parentElement) texts.push([node.parentElement, text]);
    }
    for (const field of document.querySelectorAll('input:not([type="radio"], [type="checkbox"]), textarea'))
      texts.push([field, field.getAttribute('name') ?? field.className]);
    const isHidden = (element: Element): boolean =>
      element.closest('script, style, noscript') !== null ||
      !element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) ||
      isClipped(element);
    // For screen readers alone.
    const isClipped = (element: Element | null): boolean =>
      element !== null &&
      (getComputedStyle(element).clipPath === 'inset(50%)' || isClipped(element.parentElement));
    return texts
      .filter(([element]) => !isHidden(element))
      .map(([element, text]) => {
        const { fontSize, fontWeight } = getComputedStyle(element);
        return { fontSize, fontWeight, text: text.slice(0, 40) };
      });
  });
  for (const { fontSize, fontWeight, text } of found) {
    const example = `${view}: ${text}`;
    if (!scale.sizes.has(fontSize)) scale.sizes.set(fontSize, example);
    if (!scale.weights.has(fontWeight)) scale.weights.set(fontWeight, example);
  }
}
