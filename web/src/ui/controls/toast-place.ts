import { parsePath } from '../../paths.ts';
import { isNarrow } from './pointer.ts';

/** Where a toast goes: into the pane in which the user acted, to the end that is farther from what they pressed. */
interface ToastPlace {
  /** The name of the pane; absent where the page has no panes. */
  readonly pane: string | undefined;
  readonly end: 'top' | 'bottom';
}

/** A message that is shown for some seconds. */
export interface Toast {
  id: number;
  text: string;
  kind: 'said' | 'failed';
  place: ToastPlace;
  /** What its pane showed when it came. */
  view: string;
}

let pressed: ToastPlace = { pane: undefined, end: 'bottom' };

/** Notes where the user acted. A dialog says nothing about the place: what opened it does. */
function note({ target }: Event): void {
  if (!(target instanceof Element) || target.closest('dialog, [data-toasts]')) return;
  const pane = target.closest<HTMLElement>('[data-pane]');
  const area = (pane ?? document.documentElement).getBoundingClientRect();
  const { top, bottom } = target.getBoundingClientRect();
  const isLow = top + bottom > area.top + area.bottom;
  pressed = { pane: pane?.dataset.pane, end: isLow ? 'top' : 'bottom' };
}
// Keys click too.
for (const type of ['click', 'drop', 'paste']) addEventListener(type, note, true);

/** The place for a toast about what the user has just done; outside of the panes, and on narrow screens, it is the front pane's. */
export function toastPlace(): ToastPlace {
  const isDeep = document.querySelector('[data-front]') ? parsePath(location.pathname).isDeep : undefined;
  const front = isDeep === undefined ? undefined : isDeep ? 'page' : 'list';
  const { pane = front, end } = pressed;
  return { pane: isNarrow() ? front : pane, end };
}

/**
 * What a pane shows at the current address; a toast goes when it is another view. Beside the page, a list stays the same while
 * its rows are opened.
 */
export function viewIn(pane: string | undefined): string {
  const { pathname, search } = location;
  if (pane !== 'list') return pathname;
  return (isNarrow() ? pathname : parsePath(pathname).section) + search;
}
