import { useState } from 'react';
import { navigate, useSearch } from 'wouter/use-browser-location';
import { chatSearchPath, parseChatSearch } from '../model/search-address.ts';
import { toMessageQuery } from './found-text.ts';

/** A message that is to be shown. Another object for the same one shows it again. */
export interface Sought {
  readonly n: number;
  /** The focus stays where it is. */
  readonly keepsFocus: boolean;
}

interface SearchPlace {
  /** The text of the field. */
  readonly typed: string;
  /** What is searched for in it. */
  readonly q: string;
  /** The user has typed it here: it came neither with the address nor with the history. */
  readonly isTyped: boolean;
  /** The hit that is shown; absent until there is one. */
  readonly n: number | undefined;
  readonly sought: Sought | undefined;
  readonly type: (text: string) => void;
  /** Shows another hit, and replaces the address. */
  readonly show: (n: number) => void;
  /** Shows a message that is none. */
  readonly seek: (n: number) => void;
}

/** What is searched for in a conversation and which hit is shown, which the address has, so that a reload, Back and a link keep it. */
export function useSearchPlace(peer: string): SearchPlace {
  const address = useSearch();
  const [place, setPlace] = useState(() => fromAddress(address));
  if (place.address !== address) {
    const { q, n } = parseChatSearch(address);
    const isOwn = n === place.n && toMessageQuery(q) === toMessageQuery(place.typed);
    setPlace(isOwn ? { ...place, address } : fromAddress(address));
  }
  const q = toMessageQuery(place.typed);
  return {
    ...place,
    q,
    // What is shown stays until the first hit of the new query.
    type: (typed) => setPlace((before) => ({ ...before, typed, isTyped: true, n: undefined })),
    show: (n) => {
      setPlace((before) => ({ ...before, n, sought: { n, keepsFocus: true } }));
      navigate(chatSearchPath(peer, q, n), { replace: true });
    },
    seek: (n) => setPlace((before) => ({ ...before, sought: { n, keepsFocus: false } })),
  };
}

function fromAddress(address: string) {
  const { q: typed, n } = parseChatSearch(address);
  const sought: Sought | undefined = n === undefined ? undefined : { n, keepsFocus: false };
  return { address, typed, isTyped: false, n, sought };
}
