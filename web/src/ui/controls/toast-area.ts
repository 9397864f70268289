import { useEffect, useState } from 'react';
import { isSame } from '../../data/keyed-store.ts';

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
