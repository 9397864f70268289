/**
 * Where a key leads from row `at` of `count`: arrows by one, page keys by `page`, Home and End to the ends.
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

interface Pressed {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly metaKey: boolean;
}

/** Whether a key, pressed in a list, begins a name: it belongs into the search field then. */
export function isTypeAhead({ key, ctrlKey, altKey, metaKey }: Pressed): boolean {
  return !ctrlKey && !altKey && !metaKey && key !== ' ' && [...key].length === 1;
}

/**
 * The row that keeps the Tab key's place: the one that was used last while it can be seen or has the focus, else the first
 * that can be seen, so that going into the list does not throw it back to where it began.
 */
export function tabStop(
  used: number | undefined,
  hasFocus: boolean,
  seen: { first: number; last: number },
): number {
  if (used !== undefined && (hasFocus || (used >= seen.first && used <= seen.last))) return used;
  return seen.first;
}
