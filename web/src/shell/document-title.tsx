import { useEffect } from 'react';
import { Cell } from '../state/cell.ts';
import { useReadable, useUnreadTotal } from '../state/hooks.ts';
import { useWords } from '../words/words.tsx';

/** What is in front, in words: `PageHeader` says it. */
export const placeTitle = new Cell('');

/** Keeps the window's title: `(3) Ada · Doorman`. */
export function DocumentTitle() {
  const { brand } = useWords().shell;
  const place = useReadable(placeTitle);
  const unread = useUnreadTotal();
  useEffect(() => {
    document.title = windowTitle(place, unread, brand);
    return () => {
      document.title = brand;
    };
  }, [place, unread, brand]);
  return null;
}

function windowTitle(place: string, unread: number, brand: string): string {
  const count = unread > 0 ? `(${unread > 99 ? '99+' : unread}) ` : '';
  // First strong isolate and its end, as <bdi> does it: a name cannot turn what stands around it.
  return place === '' ? `${count}${brand}` : `${count}\u2068${place}\u2069 · ${brand}`;
}
