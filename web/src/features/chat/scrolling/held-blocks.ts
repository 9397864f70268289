import type { Block } from './block-window.ts';

/**
 * The keys of the blocks that must not leave the document: the one with the focus, and those of the selection. With both
 * of its ends in blocks these are all blocks between them, so that a copy has everything; with one end, as when all of the
 * page is selected from there on, those that are in the document.
 *
 * @param rows the parent of the blocks, which have `data-block`
 */
export function findHeldBlocks(rows: Element, blocks: readonly Block[]): Set<number> {
  const held = new Set<number>();
  const focused = keyOf(rows, document.activeElement);
  if (focused !== undefined) held.add(focused);
  const selection = document.getSelection();
  if (!selection) return held;
  const { anchorNode, anchorOffset, focusNode, focusOffset } = selection;
  const anchor = keyAt(rows, anchorNode, anchorOffset);
  const focus = keyAt(rows, focusNode, focusOffset);
  if (anchor !== undefined && focus !== undefined) {
    const [first, last] = [Math.min(anchor, focus), Math.max(anchor, focus)];
    for (const { key } of blocks) if (key >= first && key <= last) held.add(key);
  } else if (anchor !== undefined || focus !== undefined) {
    for (const block of rows.querySelectorAll<HTMLElement>(':scope > [data-block]'))
      if (selection.containsNode(block, true)) held.add(Number(block.dataset.block));
  }
  return held;
}

/** The block at one end of the selection, which may also be between two blocks. */
function keyAt(rows: Element, node: Node | null, offset: number): number | undefined {
  return keyOf(rows, node === rows ? (rows.childNodes[offset] ?? rows.lastChild) : node);
}

function keyOf(rows: Element, node: Node | null): number | undefined {
  const element = node instanceof Element ? node : node?.parentElement;
  const block = element?.closest<HTMLElement>('[data-block]');
  return block && rows.contains(block) ? Number(block.dataset.block) : undefined;
}
