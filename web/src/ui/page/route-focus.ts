/** The path that has got the focus. Where the page begins, the browser has it. */
let focusedPath = location.pathname;
/** Where the focus was when `awaitedPath` came, whose heading may take its time. */
let awaitedPath = focusedPath;
let focusBefore: Element | null = null;

/** The path changed; to be called after what is shown there at once has taken the focus, if it does. */
export function awaitFocusOf(path: string): void {
  if (focusedPath === path) return;
  awaitedPath = path;
  focusBefore = document.activeElement;
}

/**
 * Whether the heading of `path` should get the focus: once, when one comes there, unless its files took so long that the
 * user has gone on to something else.
 */
export function takeFocusOf(path: string): boolean {
  if (focusedPath === path) return false;
  focusedPath = path;
  const { activeElement, body } = document;
  return awaitedPath !== path || activeElement === focusBefore || activeElement === body;
}
