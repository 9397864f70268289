import { createContext, type ReactNode, useLayoutEffect, useMemo, useRef, useState } from 'react';
import styles from './scroller.module.css';

/** What the lists inside a scroller need of it. */
interface ScrollerView {
  readonly element: HTMLDivElement | null;
  /** Pixels, for a list that begins. */
  readonly startAt: () => number;
}

export const ScrollerContext = createContext<ScrollerView>({ element: null, startAt: () => 0 });

interface ScrollerProps {
  /** Another one is another list, and begins at its top. */
  listKey: string;
  /** Where a list was left; the same function at every render. */
  startAt: () => number;
  /** Where it is when it goes; the same function at every render. */
  onLeave: (pixels: number) => void;
  children: ReactNode;
}

export function Scroller({ listKey, startAt, onLeave, children }: ScrollerProps) {
  const [element, setElement] = useState<HTMLDivElement | null>(null);
  const view = useMemo(() => ({ element, startAt }), [element, startAt]);
  const shownKey = useRef(listKey);
  useLayoutEffect(() => {
    if (shownKey.current === listKey) return;
    shownKey.current = listKey;
    element?.scrollTo({ top: 0 });
  }, [element, listKey]);
  useLayoutEffect(() => () => void (element && onLeave(element.scrollTop)), [element, onLeave]);
  return (
    <div className={styles.scroller} ref={setElement} tabIndex={-1} data-testid="people-scroller">
      <ScrollerContext value={view}>{children}</ScrollerContext>
    </div>
  );
}
