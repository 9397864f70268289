/**
 * The row that a key moves the focus to from row `at` of `count`: arrows by one, page keys by `page`, Home and End to the ends.
 *
 * @returns undefined for any other key, and for an arrow that would leave the list
 */
export function rowByKey(key: string, at: number, count: number, page: number): number | undefined {
  if (count === 0) return undefined;
  const last = count - 1;
  switch (key) {
    case 'ArrowDown':
      return at < last ? at + 1 : undefined;
    case 'ArrowUp':
      return at > 0 ? at - 1 : undefined;
    case 'PageDown':
      return Math.min(at + Math.max(page, 1), last);
    case 'PageUp':
      return Math.max(at - Math.max(page, 1), 0);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}

interface PressedKey {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly metaKey: boolean;
}

/** Whether a key that is pressed in a list starts a name, and so belongs into the search field. `?` shows the shortcuts. */
export function isTypeAhead({ key, ctrlKey, altKey, metaKey }: PressedKey): boolean {
  return !ctrlKey && !altKey && !metaKey && !/[ ?？]/.test(key) && [...key].length === 1;
}

/**
 * The row that Tab reaches: the row used last, while it is visible or has the focus, else the first visible one, so that
 * entering the list by keyboard does not scroll it.
 */
export function tabStop(
  used: number | undefined,
  hasFocus: boolean,
  visible: { first: number; last: number },
): number {
  if (used !== undefined && (hasFocus || (used >= visible.first && used <= visible.last))) return used;
  return visible.first;
}
