import { useEffect, useState } from 'react';
import { isSame } from '../../data/keyed-store.ts';
import { parsePath } from '../../paths.ts';
import { isNarrow } from './pointer.ts';

/** Where a toast goes: into the pane in which the user acted, to the end that is farther from what they pressed. */
export interface ToastPlace {
  /** The name of the pane; absent where the page has no panes. */
  readonly pane: string | undefined;
  readonly end: 'top' | 'bottom';
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

/** Pixels in the window. */
interface Area {
  readonly top: number;
  readonly left: number;
  readonly width: number;
  readonly height: number;
}

/** The part of a pane that toasts may cover: below its header, and above what stands at its lower end. It follows both. */
export function useToastArea(name: string | undefined): Area {
  const [area, setArea] = useState(() => measure(name));
  useEffect(() => {
    const pane = findPane(name);
    const resizes = new ResizeObserver(() => {
      const now = measure(name);
      setArea((before) => (isSame(before, now) ? before : now));
    });
    const follow = () => {
      resizes.disconnect();
      resizes.observe(pane ?? document.documentElement);
      const floor = pane && findFloor(pane);
      if (floor) resizes.observe(floor);
    };
    follow();
    // Another page in the same pane.
    const changes = new MutationObserver(follow);
    if (pane) changes.observe(pane, { childList: true, subtree: true });
    return () => {
      resizes.disconnect();
      changes.disconnect();
    };
  }, [name]);
  return area;
}

function measure(name: string | undefined): Area {
  const pane = findPane(name);
  const { left, width, top, bottom } = (pane ?? document.documentElement).getBoundingClientRect();
  const from = pane?.querySelector('header')?.getBoundingClientRect().bottom ?? top;
  const to = (pane && findFloor(pane))?.getBoundingClientRect().top ?? bottom;
  return { left, width, top: from, height: to - from };
}

function findPane(name: string | undefined): Element | null {
  return name === undefined ? null : document.querySelector(`[data-pane="${name}"]`);
}

/** Such as the composer, which no toast covers. */
function findFloor(pane: Element): Element | null {
  return pane.querySelector('[data-floor]');
}
