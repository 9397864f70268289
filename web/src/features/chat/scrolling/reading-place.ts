/** The parent of the blocks in the document; they have `data-block`, and their messages `data-message`. */
type Rows = Element;

/** A row on the screen, and its lower end in pixels below the upper edge of the scroller. */
export interface Anchor {
  readonly row: Element;
  readonly bottom: number;
}

/** A message by its block and its index among the messages of it. */
export interface MessagePlace {
  readonly block: number;
  readonly index: number;
}

const BLOCKS = ':scope > [data-block]';
const MESSAGES = ':scope > [data-message]';
/** Over this height the upper end of the list is covered while it shows the day. */
const DAY_PX = 48;

/** The topmost message on the screen; null if there is none. */
export function findAnchor(scroller: Element, rows: Rows): Anchor | null {
  const block = firstVisible(scroller, rows.querySelectorAll(BLOCKS));
  // A day or the "new" line may disappear when rows are added above it; messages stay.
  const row = block && firstVisible(scroller, block.querySelectorAll(MESSAGES));
  if (!row || topOf(scroller, row) >= scroller.clientHeight) return null;
  return { row, bottom: bottomOf(scroller, row) };
}

/**
 * How far the row has moved down, in pixels. It compares the lower end of the row, as its upper end has the gap to the row
 * above, which may have changed.
 */
export function movedBy(scroller: Element, { row, bottom }: Anchor): number {
  const moved = row.isConnected ? bottomOf(scroller, row) - bottom : 0;
  return Math.abs(moved) < 0.5 ? 0 : moved;
}

/** The topmost message on the screen, unless something else is there: the first day, or a day or "new" line. */
export function findTopMessage(scroller: Element, rows: Rows): MessagePlace | undefined {
  const anchor = findAnchor(scroller, rows);
  const block = anchor?.row.parentElement;
  if (!block || topOf(scroller, anchor.row) > DAY_PX) return undefined;
  const lines = [...rows.querySelectorAll('[data-day], [data-line]')];
  if (lines.some((line) => bottomOf(scroller, line) > 0 && topOf(scroller, line) < DAY_PX)) return undefined;
  const index = [...block.querySelectorAll(MESSAGES)].indexOf(anchor.row);
  return { block: Number(block.dataset.block), index };
}

/** The upper edge of the screen, in pixels below that of the first block, whether this one is in the document or not. */
export function topOfView(scroller: Element, rows: Rows): number {
  const first = rows.querySelector(':scope > :is([data-block], [data-space])');
  return first ? -topOf(scroller, first) : 0;
}

/** In pixels: the width and height of all rows, and the height of the screen. */
export function sizeOf(scroller: Element, rows: Rows) {
  const { width, height } = rows.getBoundingClientRect();
  return { width, height, screen: scroller.clientHeight };
}

export function distanceToEnd({ scrollHeight, scrollTop, clientHeight }: Element): number {
  return scrollHeight - scrollTop - clientHeight;
}

/** In pixels below the upper edge of the scroller. */
export function topOf(scroller: Element, row: Element): number {
  return row.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
}

/** The same for its lower edge. */
export function bottomOf(scroller: Element, row: Element): number {
  return row.getBoundingClientRect().bottom - scroller.getBoundingClientRect().top;
}

function firstVisible(scroller: Element, parts: NodeListOf<Element>): Element | null {
  let low = 0;
  let high = parts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (bottomOf(scroller, parts.item(middle)) > 0) high = middle;
    else low = middle + 1;
  }
  return parts.item(low);
}
