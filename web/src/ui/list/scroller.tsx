import { createContext, type ReactNode, useLayoutEffect, useMemo, useRef, useState } from 'react';
import styles from './scroller.module.css';

/** What the lists inside a scroller use of it. */
interface ScrollerView {
  readonly element: HTMLDivElement | null;
  /** The scroll position of a list that is mounted, in pixels. */
  readonly startAt: () => number;
}

export const ScrollerContext = createContext<ScrollerView>({ element: null, startAt: () => 0 });

interface ScrollerProps {
  /** A new key scrolls to the top. */
  listKey: string;
  /** The scroll position to restore, in pixels; the same function at every render. */
  startAt: () => number;
  /** Called with the scroll position when the scroller is unmounted; the same function at every render. */
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
