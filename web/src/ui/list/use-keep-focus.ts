import { useEffect, useRef } from 'react';

/**
 * Moves the focus to the heading of the page if a change of `value` has removed the element that had it, such as a button
 * that was used: keyboards and screen readers continue from there.
 */
export function useKeepFocus(value: unknown): void {
  const before = useRef(value);
  useEffect(() => {
    if (Object.is(before.current, value)) return;
    before.current = value;
    if (document.activeElement === document.body)
      document.querySelector('h1')?.focus({ preventScroll: true });
  }, [value]);
}
