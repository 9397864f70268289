import { type ReactNode, useEffect, useState } from 'react';
import styles from './message-list.module.css';

/** Of a row, in pixels; for a browser that does not remember how high a block was. */
const GUESSED_PX = 64;

interface MessageBlockProps {
  /** How many rows there are in it; with another one it is laid out again. */
  count: number;
  children: ReactNode;
}

/**
 * Rows that the browser leaves out of its work while they are out of sight. Not before it has laid them out once: then it
 * knows how high they are, and nothing moves when they come in sight again. (A guessed height that becomes the true one
 * above what is read makes it jump in browsers that do not anchor, or not while one scrolls.)
 */
export function MessageBlock({ count, children }: MessageBlockProps) {
  const [laidOut, setLaidOut] = useState(0);
  useEffect(() => {
    // The height is noted at the end of a frame in which the block was laid out, which the next one is.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => setLaidOut(count));
    });
    return () => cancelAnimationFrame(frame);
  }, [count]);
  return (
    <div
      className={styles.block}
      style={{ containIntrinsicBlockSize: `auto ${count * GUESSED_PX}px` }}
      data-block=""
      data-laid-out={laidOut === count || undefined}
    >
      {children}
    </div>
  );
}
