import { type RefObject, useEffect } from 'react';
import { findMarks } from './found-text.ts';

/** Names of `::highlight()` in search.module.css. */
const FOUND = 'found';
const SHOWN = 'found-shown';

/**
 * Marks what was searched for in the texts of the messages that are in the document. Their elements stay as they are. A browser
 * without highlights (CSS Custom Highlight API) marks nothing.
 *
 * @param shown `data-testid` of the message that is shown, whose marks are stronger
 */
export function useTextMarks(
  list: RefObject<HTMLElement | null>,
  parts: readonly string[],
  shown: string | undefined,
): void {
  useEffect(() => {
    const element = list.current;
    if (!element || !('highlights' in CSS)) return;
    const mark = () => {
      const ranges = [...element.querySelectorAll('[data-message]')].flatMap((message) => {
        const text = message.querySelector('[data-key]');
        const isShown = message.getAttribute('data-testid') === shown;
        return text ? rangesIn(text, parts).map((range) => ({ range, isShown })) : [];
      });
      const of = (isShown: boolean) =>
        new Highlight(...ranges.filter((one) => one.isShown === isShown).map(({ range }) => range));
      CSS.highlights.set(FOUND, of(false));
      CSS.highlights.set(SHOWN, of(true));
    };
    mark();
    // Blocks enter and leave the document, and links come later than their text.
    const changes = new MutationObserver(mark);
    changes.observe(element, { childList: true, characterData: true, subtree: true });
    return () => {
      changes.disconnect();
      for (const name of [FOUND, SHOWN]) CSS.highlights.delete(name);
    };
  }, [list, parts, shown]);
}

function rangesIn(element: Element, parts: readonly string[]): Range[] {
  const nodes: { node: Node; start: number; end: number }[] = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let length = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const start = length;
    length += node.textContent?.length ?? 0;
    nodes.push({ node, start, end: length });
  }
  return findMarks(element.textContent ?? '', parts).flatMap((mark) => {
    const first = nodes.find(({ end }) => mark.start < end);
    const last = nodes.find(({ end }) => mark.end <= end);
    if (!first || !last) return [];
    const range = document.createRange();
    range.setStart(first.node, mark.start - first.start);
    range.setEnd(last.node, mark.end - last.start);
    return range;
  });
}
