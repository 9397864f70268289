/**
 * The keys of the blocks that must not leave the document: the one with the focus, and those with an end of the selection,
 * or the selection would be lost. A copy gets the messages between the two ends from the thread.
 *
 * @param rows the parent of the blocks, which have `data-block`
 */
export function findHeldBlocks(rows: Element): Set<number> {
  const { anchorNode = null, focusNode = null } = document.getSelection() ?? {};
  const held = [document.activeElement, anchorNode, focusNode].map((node) => keyOf(rows, node));
  return new Set(held.filter((key) => key !== undefined));
}

function keyOf(rows: Element, node: Node | null): number | undefined {
  const element = node instanceof Element ? node : node?.parentElement;
  const block = element?.closest<HTMLElement>('[data-block]');
  return block && rows.contains(block) ? Number(block.dataset.block) : undefined;
}
