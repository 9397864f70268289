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

/**
 * Adds the sizes of the icons that the page shows. The mark of the product, the marks of a message's state and the
 * pictures of empty places are no icons of this size.
 */
export async function collectIcons(page: Page, view: string, sizes: Map<string, string>): Promise<void> {
  const found = await page.$$eval(
    'svg:not([viewBox="0 0 512 512"], [data-state] > svg, :has(+ h2) > svg)',
    (icons) =>
      icons
        .filter((icon) => icon.checkVisibility({ visibilityProperty: true }))
        .map((icon) => {
          const { width, height } = icon.getBoundingClientRect();
          const name = `${icon.getAttribute('class')} in ${icon.closest('[data-testid]')?.getAttribute('data-testid')}`;
          return { size: `${width} x ${height}`, name };
        }),
  );
  for (const { size, name } of found) if (!sizes.has(size)) sizes.set(size, `${view}: ${name}`);
}
