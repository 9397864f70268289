import { useEffect, useRef } from 'react';

/** How many rows before its end a list asks for its next page; a short first page is not to ask at once. */
const ROWS_AHEAD = 400;
/** A page has a thousand rows: nobody reads faster, and the 60 calls a minute (interface 8) are not this list's alone. */
const PAGE_EVERY_MS = 2_000;

/** @param last the last row on the screen, of `count` */
export function isNearEnd(last: number, count: number): boolean {
  return last >= count - Math.min(ROWS_AHEAD, count * 0.6);
}

/** Milliseconds until the next page may be asked for; both moments of one clock. */
export function pageWaitMs(askedAt: number | undefined, now: number): number {
  return askedAt === undefined ? 0 : Math.max(0, askedAt + PAGE_EVERY_MS - now);
}

/** Calls `ask` as long as `isWanted`, for each `count` of rows once, and never too often. */
export function usePaging(isWanted: boolean, count: number, ask: () => void): void {
  const askedAt = useRef<number>(undefined);
  // More rows that are still not enough are a reason to ask again.
  useEffect(() => {
    if (!isWanted) return;
    const timer = setTimeout(
      () => {
        askedAt.current = performance.now();
        ask();
      },
      pageWaitMs(askedAt.current, performance.now()),
    );
    return () => clearTimeout(timer);
  }, [isWanted, count, ask]);
}
