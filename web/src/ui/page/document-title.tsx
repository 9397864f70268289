import { useEffect } from 'react';
import { useReadable } from '../../data/hooks.ts';
import { type Readable, Store } from '../../data/store.ts';
import { useTexts } from '../../i18n/texts.tsx';

/** The title of the pane in front, which `PageHeader` sets. */
export const paneTitle = new Store('');

/** Sets the window's title: `(3) Ada · Doorman`. */
export function DocumentTitle({ unreadTotal }: { unreadTotal: Readable<number> }) {
  const { brand } = useTexts().shell;
  const title = useReadable(paneTitle);
  const unread = useReadable(unreadTotal);
  useEffect(() => {
    document.title = windowTitle(title, unread, brand);
    return () => {
      document.title = brand;
    };
  }, [title, unread, brand]);
  return null;
}

function windowTitle(title: string, unread: number, brand: string): string {
  const count = unread > 0 ? `(${unread > 99 ? '99+' : unread}) ` : '';
  if (title === '') return `${count}${brand}`;
  return `${count}${MAY_BE_RTL.test(title) ? `\u2068${title}\u2069` : title} · ${brand}`;
}

/**
 * Right-to-left letters and direction marks. A title with them goes between FIRST STRONG ISOLATE and its end, as in <bdi>,
 * so that it does not change the direction of the text around it.
 */
const MAY_BE_RTL =
  /[\p{Bidi_Control}\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
