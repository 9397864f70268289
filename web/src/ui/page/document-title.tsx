import { useEffect } from 'react';
import { useReadable } from '../../data/hooks.ts';
import { type Readable, Store } from '../../data/store.ts';
import { useTexts } from '../../i18n/texts.tsx';

/** What is in front, in words: `PageHeader` says it. */
export const placeTitle = new Store('');

/** Keeps the window's title: `(3) Ada · Doorman`. */
export function DocumentTitle({ unreadTotal }: { unreadTotal: Readable<number> }) {
  const { brand } = useTexts().shell;
  const place = useReadable(placeTitle);
  const unread = useReadable(unreadTotal);
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
  if (place === '') return `${count}${brand}`;
  return `${count}${TURNS.test(place) ? `\u2068${place}\u2069` : place} · ${brand}`;
}

/**
 * What is written from right to left, or says so: then the name stands between first strong isolate and its end, as in
 * <bdi>, so that it does not turn what is around it.
 */
const TURNS =
  /[\p{Bidi_Control}\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
