import { type ReactNode, useEffect, useState } from 'react';
import styles from './message-list.module.css';

/** The estimated height of a row in pixels, for browsers that do not remember the height of a block. */
const ESTIMATED_PX = 64;

interface MessageBlockProps {
  /** The number of its rows; when it changes, the block is laid out again. */
  count: number;
  children: ReactNode;
}

/**
 * Rows whose layout the browser skips while they are off the screen (`content-visibility`), after it has laid them out
 * once: it knows their height then, and no row moves when they come back. An estimated height that is corrected above the
 * visible rows would make them jump in browsers without scroll anchoring, or that have none while the user scrolls.
 */
export function MessageBlock({ count, children }: MessageBlockProps) {
  const [laidOut, setLaidOut] = useState(0);
  useEffect(() => {
    // The browser remembers the height at the end of the next frame, which lays out the block.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => setLaidOut(count));
    });
    return () => cancelAnimationFrame(frame);
  }, [count]);
  return (
    <div
      className={styles.block}
      style={{ containIntrinsicBlockSize: `auto ${count * ESTIMATED_PX}px` }}
      data-block=""
      data-laid-out={laidOut === count || undefined}
    >
      {children}
    </div>
  );
}
