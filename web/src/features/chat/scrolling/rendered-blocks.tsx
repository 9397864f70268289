import type { ReactNode } from 'react';
import type { Block, BlockHeights } from './block-window.ts';
import styles from './message-scroller.module.css';

interface RenderedBlocksProps<B extends Block> {
  blocks: readonly B[];
  heights: BlockHeights;
  /** The keys of the blocks that are rendered; a space has the height of those between them. */
  shown: ReadonlySet<number>;
  children: (block: B) => ReactNode;
}

export function RenderedBlocks<B extends Block>({
  blocks,
  heights,
  shown,
  children,
}: RenderedBlocksProps<B>) {
  const parts: ReactNode[] = [];
  let space = 0;
  const addSpace = (key: string) => {
    if (space > 0)
      parts.push(<div key={key} className={styles.space} style={{ height: space }} data-space="" />);
    space = 0;
  };
  for (const block of blocks) {
    if (!shown.has(block.key)) {
      space += heights.of(block);
      continue;
    }
    addSpace(`above ${block.key}`);
    parts.push(
      <div key={block.key} className={styles.block} data-block={block.key}>
        {children(block)}
      </div>,
    );
  }
  addSpace('end');
  return parts;
}

/** @param rows the parent of the blocks in the document, which are those that are `shown` */
export function measureBlocks(
  rows: Element,
  blocks: readonly Block[],
  shown: ReadonlySet<number>,
  heights: BlockHeights,
): void {
  const elements = rows.querySelectorAll<HTMLElement>(':scope > [data-block]');
  for (const [i, block] of blocks.filter(({ key }) => shown.has(key)).entries()) {
    const element = elements.item(i);
    if (element?.dataset.block === `${block.key}`)
      heights.measured(block, element.getBoundingClientRect().height);
  }
}
