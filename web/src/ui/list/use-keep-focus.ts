import { useEffect, useRef } from 'react';

/**
 * When a button is gone after it was used, as `now` has become something else, the heading of the page has the focus
 * rather than nothing: keys and screen readers go on from there.
 */
export function useFocusKept(now: unknown): void {
  const before = useRef(now);
  useEffect(() => {
    if (Object.is(before.current, now)) return;
    before.current = now;
    if (document.activeElement === document.body)
      document.querySelector('h1')?.focus({ preventScroll: true });
  }, [now]);
}
