import type { ElementHandle, Page } from 'puppeteer-core';
import { comeToRest } from './appearance.ts';

/** An edge of a control as it is drawn. */
export interface Edge {
  /** What kind of control, and its name. */
  readonly of: string;
  /** The contrast of the weakest of its four sides to the ground outside (WCAG 2.2, 1.4.11). */
  readonly ratio: number;
}

/** Pixels around a control that are in its picture. */
const AROUND_PX = 4;

/** The drawn edges of all visible, enabled fields, switches and radio buttons of the page, none of which has the focus. */
export async function edgesOf(page: Page): Promise<Edge[]> {
  await page.evaluate(() => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  });
  const all = await page.evaluateHandle(findControls);
  const edges: Edge[] = [];
  for (const control of (await all.getProperties()).values()) {
    const element = control.asElement() as ElementHandle<Element> | null;
    if (element) edges.push(await edgeOf(page, element));
  }
  return edges;
}

/** The edge of one control, on the screen. */
export async function edgeOf(page: Page, control: ElementHandle<Element>): Promise<Edge> {
  await control.evaluate((element) => element.scrollIntoView({ block: 'center' }));
  await comeToRest(page);
  const box = await control.evaluate((element) => {
    const { left: inWindow, top: down, width, height } = element.getBoundingClientRect();
    // A picture is cut out of the document, which may be scrolled.
    const [x, y] = [inWindow + scrollX, down + scrollY];
    const left = Math.round(x);
    const top = Math.round(y);
    const of = `${element.localName} ${element.getAttribute('name') ?? element.getAttribute('data-testid') ?? element.textContent}`;
    return { of, left, top, width: Math.round(x + width) - left, height: Math.round(y + height) - top };
  });
  const picture = await page.screenshot({
    encoding: 'base64',
    captureBeyondViewport: false,
    clip: {
      x: box.left - AROUND_PX,
      y: box.top - AROUND_PX,
      width: box.width + 2 * AROUND_PX,
      height: box.height + 2 * AROUND_PX,
    },
  });
  return { of: box.of, ratio: await page.evaluate(weakestSide, picture, AROUND_PX) };
}

/** In the page: the elements that have the edges; for a hidden input, what is drawn in its place. An open dialog covers the rest. */
function findControls(): Element[] {
  const isDrawn = (element: Element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    element.getBoundingClientRect().width > 2;
  const root = document.querySelector('dialog[open]') ?? document;
  const drawn = [...root.querySelectorAll<HTMLInputElement>('input, textarea')].map((input) => {
    if (input.disabled) return null;
    if (input.matches('[role="switch"]')) return input.nextElementSibling;
    if (input.matches('[data-composer]')) return input.closest('label');
    if (input.type === 'radio' && !isDrawn(input)) return input.checked ? input.closest('label') : null;
    return input;
  });
  const groups = root.querySelectorAll('fieldset > div:has(> label > [type="radio"])');
  return [...drawn, ...groups].filter((element) => element !== null && isDrawn(element)) as Element[];
}

/**
 * In the page: how far the strongest pixel near the edge differs from the ground 3 px outside, in the middle of each side.
 *
 * @param picture a PNG of the control with `around` pixels on each side
 */
async function weakestSide(picture: string, around: number): Promise<number> {
  const bytes = Uint8Array.from(atob(picture), (letter) => letter.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
  const { width, height } = image;
  const context = new OffscreenCanvas(width, height).getContext('2d');
  if (!context) throw new Error('no canvas');
  context.drawImage(image, 0, 0);
  const luminance = (x: number, y: number): number => {
    const [red = 0, green = 0, blue = 0] = [...context.getImageData(x, y, 1, 1).data].map((part) => {
      const value = part / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (one: number, other: number) =>
    (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  const [middleX, middleY] = [width >> 1, height >> 1];
  const sides: ((depth: number) => number)[] = [
    (depth) => luminance(depth, middleY),
    (depth) => luminance(width - 1 - depth, middleY),
    (depth) => luminance(middleX, depth),
    (depth) => luminance(middleX, height - 1 - depth),
  ];
  const ratios = sides.map((at) => {
    const ground = at(around - 3);
    return Math.max(...[-2, -1, 0, 1, 2].map((depth) => contrast(ground, at(around + depth))));
  });
  return Math.min(...ratios);
}
