import { useEffect, useRef, useState } from 'react';
import type { MessageSearch, MessageSearchView } from './message-search.ts';
import type { useSearchPlace } from './use-search-place.ts';

/** How often the search reads on by itself to a hit that a link leads to; then the user does it by "previous". */
const MAX_BY_ITSELF = 5;

interface Hits {
  /** Of the hit that is shown, or -1. */
  readonly index: number;
  /** Show another hit; absent where there is none. */
  readonly onOlder: (() => void) | undefined;
  readonly onNewer: (() => void) | undefined;
}

/** Shows the latest hit of a new query, and steps from hit to hit. Beyond the oldest one the search reads on. */
export function useHits(
  view: MessageSearchView,
  search: MessageSearch,
  { q, n, show }: ReturnType<typeof useSearchPlace>,
): Hits {
  const [wantsOlder, setWantsOlder] = useState(false);
  const isOf = view.q === q;
  const hits = isOf ? view.hits : [];
  const index = hits.findIndex((hit) => hit.n === n);
  const older = n === undefined ? undefined : hits.find((hit) => hit.n < n)?.n;
  const newer = n === undefined ? undefined : hits.findLast((hit) => hit.n > n)?.n;
  const canReadOn = isOf && view.hasMore && !view.isLoading;
  // A link may lead to a hit that is not among the first.
  const isBelow = n !== undefined && index < 0 && older === undefined && newer !== undefined;
  const byItself = useRef({ q, count: 0 });
  useEffect(() => {
    const [latest] = hits;
    if (n === undefined && latest) show(latest.n);
    else if (wantsOlder && older !== undefined) {
      setWantsOlder(false);
      show(older);
    } else if (canReadOn && isBelow && view.failure === undefined) {
      if (byItself.current.q !== q) byItself.current = { q, count: 0 };
      if (byItself.current.count++ < MAX_BY_ITSELF) search.more();
    }
  });
  if (wantsOlder && isOf && !view.isLoading && older === undefined) setWantsOlder(false);
  const readOn = () => {
    setWantsOlder(true);
    search.more();
  };
  return {
    index,
    onOlder: older !== undefined ? () => show(older) : canReadOn ? readOn : undefined,
    onNewer: newer === undefined ? undefined : () => show(newer),
  };
}
