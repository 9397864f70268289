/** The path that has got the focus. Where the page begins, the browser has it. */
let focusedPath = location.pathname;

/** Whether `path` is new to the focus: the heading of what is shown there should get it. True once. */
export function takeFocusOf(path: string): boolean {
  if (focusedPath === path) return false;
  focusedPath = path;
  return true;
}
