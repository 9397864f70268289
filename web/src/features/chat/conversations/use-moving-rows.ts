import type { VirtualItem } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef } from 'react';
import { animateFrom } from '../../../ui/page/motion.ts';

/** Lets the rows that got another number in the list move from their old place to the new one. */
export function useMovingRows(
  items: readonly VirtualItem[],
  rowOf: (index: number) => Element | null | undefined,
): void {
  const before = useRef<ReadonlyMap<VirtualItem['key'], VirtualItem>>(new Map());
  useLayoutEffect(() => {
    for (const { key, index } of items) {
      const old = before.current.get(key);
      if (old && old.index !== index) animateFrom(rowOf(index), { transform: `translateY(${old.start}px)` });
    }
    before.current = new Map(items.map((item) => [item.key, item]));
  });
}
