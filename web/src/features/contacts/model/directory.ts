import { Derived } from '../../../data/store.ts';
import { DirectoryPages, type DirectoryPagesOptions } from './directory-pages.ts';
import type { DirectorySearch } from './stores.ts';
import type { DirectoryQueryView, DirectoryView } from './views.ts';

const DEBOUNCE_MS = 200;
/** As the service takes it. */
const MAX_Q = 64;
/** Lists that are kept in memory, the ones on the screen among them. */
const MAX_LISTINGS = 8;

/** Everybody, and searches among them, page by page. */
export class Directory {
  readonly #options: DirectoryPagesOptions;
  /** The one that was asked for last comes last. */
  readonly #listings = new Map<string, DirectoryPages>();
  readonly #searches = new Set<Search>();

  constructor(options: DirectoryPagesOptions) {
    this.#options = options;
  }

  newSearch(): DirectorySearch {
    return new Search({
      listing: (query) => this.#listing(query),
      find: (query) => this.#listings.get(keyOf(query)),
      opened: (search) => this.#searches.add(search),
      closed: (search) => this.#searches.delete(search),
    });
  }

  /** The connection is back. */
  retry(): void {
    for (const search of this.#searches) search.retry();
  }

  /** Another user. */
  clear(): void {
    this.#listings.clear();
    for (const search of this.#searches) search.restart();
  }

  #listing(query: DirectoryQueryView): DirectoryPages {
    const key = keyOf(query);
    const listing = this.#listings.get(key) ?? new DirectoryPages(query, this.#options);
    this.#listings.delete(key);
    this.#listings.set(key, listing);
    for (const oldest of this.#listings.keys()) {
      if (this.#listings.size <= MAX_LISTINGS) break;
      this.#listings.delete(oldest);
    }
    return listing;
  }
}

interface SearchOptions {
  listing(query: DirectoryQueryView): DirectoryPages;
  find(query: DirectoryQueryView): DirectoryPages | undefined;
  opened(search: Search): void;
  closed(search: Search): void;
}

const EVERYBODY: DirectoryQueryView = { q: '', isOnlineOnly: false };
const NOTHING: DirectoryView = {
  query: EVERYBODY,
  entries: [],
  hasMore: false,
  isLoading: true,
  waitsUntil: undefined,
  failure: undefined,
};

/** A list on the screen with its search field: shows what was found last until the answer to what was typed last is there. */
class Search implements DirectorySearch {
  readonly #options: SearchOptions;
  readonly #view: Derived<DirectoryView>;
  #query = EVERYBODY;
  #isOpen = false;
  #shown: DirectoryPages | undefined;
  /** What is asked for, until it can be shown. */
  #wanted: DirectoryPages | undefined;
  #end: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: SearchOptions) {
    this.#options = options;
    this.#view = new Derived(() => this.#show(), 0);
    this.getSnapshot = this.#view.getSnapshot;
    this.subscribe = this.#view.subscribe;
  }

  readonly getSnapshot: () => DirectoryView;
  readonly subscribe: (listener: () => void) => () => void;

  open(): () => void {
    this.#isOpen = true;
    this.#options.opened(this);
    this.#begin();
    return () => {
      this.#isOpen = false;
      this.#options.closed(this);
      this.#stop();
    };
  }

  setQuery({ q, isOnlineOnly }: DirectoryQueryView): void {
    const query = { q: [...q.trim()].slice(0, MAX_Q).join(''), isOnlineOnly };
    if (keyOf(query) === keyOf(this.#query)) return;
    this.#query = query;
    if (!this.#isOpen) return;
    clearTimeout(this.#timer);
    // What is known, and everybody, need not wait for the next letter.
    if (query.q === '' || this.#options.find(query)?.isKnown) this.#begin();
    else this.#timer = setTimeout(() => this.#begin(), DEBOUNCE_MS);
    this.#view.invalidate();
  }

  loadMore(): void {
    if (this.#isOpen && !this.#wanted) this.#shown?.loadMore();
  }

  refresh(): void {
    (this.#wanted ?? this.#shown)?.refresh();
  }

  retry(): void {
    (this.#wanted ?? this.#shown)?.retry();
  }

  restart(): void {
    this.#stop();
    this.#shown = undefined;
    if (this.#isOpen) this.#begin();
    this.#view.invalidate();
  }

  #begin(): void {
    this.#stop();
    const listing = this.#options.listing(this.#query);
    this.#wanted = listing;
    this.#end = listing.view.subscribe(() => this.#look());
    listing.begin();
    this.#look();
  }

  #look(): void {
    if (this.#wanted?.isKnown) {
      this.#shown = this.#wanted;
      this.#wanted = undefined;
    }
    this.#view.invalidate();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#end?.();
    this.#end = undefined;
    this.#wanted = undefined;
  }

  #show(): DirectoryView {
    const shown = this.#shown?.view.getSnapshot() ?? NOTHING;
    if (!this.#wanted && this.#timer === undefined) return shown;
    const { isLoading = true, waitsUntil, failure } = this.#wanted?.view.getSnapshot() ?? {};
    return { ...shown, isLoading: isLoading && !failure, waitsUntil, failure, hasMore: false };
  }
}

function keyOf({ q, isOnlineOnly }: DirectoryQueryView): string {
  return `${isOnlineOnly ? 'online' : 'all'} ${q}`;
}
