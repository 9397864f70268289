import { type RefObject, useLayoutEffect, useRef } from 'react';
import { animateFrom } from '../../../ui/page/motion.ts';
import type { MessageView } from '../model/views.ts';

/** An older message was loaded, not sent or received now. */
const RECENT_MS = 60_000;

/**
 * Lets a message that arrives or is sent rise into its place. Messages that are loaded, at first or later, are there at
 * once. Only the bubble moves: its row keeps its place, by which the reading place is measured.
 */
export function useArrivals(
  list: RefObject<HTMLElement | null>,
  messages: readonly MessageView[],
  isLive: boolean,
): void {
  const before = useRef<{ last: string | undefined; isLive: boolean }>(undefined);
  useLayoutEffect(() => {
    const { last, isLive: wasLive } = before.current ?? {};
    before.current = { last: messages.at(-1)?.key, isLive };
    const lastIndex = last === undefined ? -1 : messages.findLastIndex(({ key }) => key === last);
    if (lastIndex < 0) return;
    for (const { key, isOwn, at } of messages.slice(lastIndex + 1)) {
      if (!(isOwn || wasLive) || Date.now() - at > RECENT_MS) continue;
      const text = list.current?.querySelector(`[data-key="${CSS.escape(key)}"]`);
      animateFrom(text?.closest('[data-message] > *'), { opacity: 0, transform: 'translateY(0.375rem)' });
    }
  }, [list, messages, isLive]);
}
