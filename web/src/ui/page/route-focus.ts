/** The path whose heading got the focus last. At start the browser sets the focus. */
let focusedPath = location.pathname;
/** The path whose heading waits for the focus, as its files may still load. */
let awaitedPath = focusedPath;
/** The element that had the focus when `awaitedPath` was set. */
let focusBefore: Element | null = null;

/** To be called when the path has changed, after elements that take the focus at once have done so. */
export function awaitFocusOf(path: string): void {
  if (focusedPath === path) return;
  awaitedPath = path;
  focusBefore = document.activeElement;
}

/**
 * Whether the heading of `path` should get the focus: once for each path, unless the user has moved the focus while the files
 * of the path were loading.
 */
export function takeFocusOf(path: string): boolean {
  if (focusedPath === path) return false;
  focusedPath = path;
  const { activeElement, body } = document;
  return awaitedPath !== path || activeElement === focusBefore || activeElement === body;
}
