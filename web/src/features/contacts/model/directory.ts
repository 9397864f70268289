import { Derived } from '../../../data/store.ts';
import { DirectoryPages, type DirectoryPagesOptions } from './directory-pages.ts';
import type { DirectoryQueryView, DirectoryView } from './views.ts';

const DEBOUNCE_MS = 200;
/** The longest query that the service accepts. */
const MAX_Q = 64;
/** In memory, including those on the screen. */
const MAX_LISTS = 8;

/** The list of all users, and searches in it, page by page. */
export class Directory {
  readonly #options: DirectoryPagesOptions;
  /** By query; the one that was used last is the last. */
  readonly #lists = new Map<string, DirectoryPages>();
  readonly #searches = new Set<DirectorySearch>();
  /** Users of events whose names were not known, of whom each causes one request. */
  readonly #strangers = new Set<string>();

  constructor(options: DirectoryPagesOptions) {
    this.#options = options;
  }

  newSearch(): DirectorySearch {
    return new DirectorySearch({
      list: (query) => this.#list(query),
      find: (query) => this.#lists.get(keyOf(query)),
      opened: (search) => this.#searches.add(search),
      closed: (search) => this.#searches.delete(search),
    });
  }

  /** An event came of a user whose name is not known: they may have registered since the lists on the screen were loaded. */
  noteStranger(userId: string): void {
    if (this.#strangers.has(userId)) return;
    this.#strangers.add(userId);
    for (const search of this.#searches) search.update();
  }

  /** The connection is back. */
  retry(): void {
    for (const search of this.#searches) search.retry();
  }

  /** Another user has signed in. */
  clear(): void {
    this.#lists.clear();
    this.#strangers.clear();
    for (const search of this.#searches) search.restart();
  }

  #list(query: DirectoryQueryView): DirectoryPages {
    const key = keyOf(query);
    const list = this.#lists.get(key) ?? new DirectoryPages(query, this.#options);
    this.#lists.delete(key);
    this.#lists.set(key, list);
    for (const oldest of this.#lists.keys()) {
      if (this.#lists.size <= MAX_LISTS) break;
      this.#lists.delete(oldest);
    }
    return list;
  }
}

interface SearchOptions {
  list(query: DirectoryQueryView): DirectoryPages;
  find(query: DirectoryQueryView): DirectoryPages | undefined;
  opened(search: DirectorySearch): void;
  closed(search: DirectorySearch): void;
}

const ALL_USERS: DirectoryQueryView = { q: '', isOnlineOnly: false };
const NOTHING: DirectoryView = {
  query: ALL_USERS,
  entries: [],
  hasMore: false,
  isLoading: true,
  waitsUntil: undefined,
  failure: undefined,
};

/** A list on the screen with its search field. Shows the previous results until those of the current query are loaded. */
export class DirectorySearch {
  readonly #options: SearchOptions;
  readonly #view: Derived<DirectoryView>;
  #query = ALL_USERS;
  #isOpen = false;
  #shown: DirectoryPages | undefined;
  /** The list that is being loaded, until it can be shown. */
  #next: DirectoryPages | undefined;
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

  /** The list is on the screen, so it loads, and loads again if it was loaded before. @returns closes it */
  open(): () => void {
    this.#isOpen = true;
    this.#options.opened(this);
    this.#begin();
    this.update();
    return () => {
      this.#isOpen = false;
      this.#options.closed(this);
      this.#stop();
    };
  }

  /** Takes effect 200 ms after the last call, at once if the results are loaded already. */
  setQuery({ q, isOnlineOnly }: DirectoryQueryView): void {
    const query = { q: [...q.trim()].slice(0, MAX_Q).join(''), isOnlineOnly };
    if (keyOf(query) === keyOf(this.#query)) return;
    this.#query = query;
    if (!this.#isOpen) return;
    clearTimeout(this.#timer);
    // Loaded results and the list of all users show without waiting for the next letter.
    if (query.q === '' || this.#options.find(query)?.isKnown) this.#begin();
    else this.#timer = setTimeout(() => this.#begin(), DEBOUNCE_MS);
    this.#view.invalidate();
  }

  loadMore(): void {
    if (this.#isOpen && !this.#next) this.#shown?.loadMore();
  }

  /** Loads the list again; the loaded entries stay until then. */
  refresh(): void {
    (this.#next ?? this.#shown)?.refresh();
  }

  /** The same, without showing that it loads or fails. */
  update(): void {
    (this.#next ?? this.#shown)?.update();
  }

  retry(): void {
    (this.#next ?? this.#shown)?.retry();
  }

  restart(): void {
    this.#stop();
    this.#shown = undefined;
    if (this.#isOpen) this.#begin();
    this.#view.invalidate();
  }

  #begin(): void {
    this.#stop();
    const list = this.#options.list(this.#query);
    this.#next = list;
    this.#end = list.view.subscribe(() => this.#onListChange());
    list.begin();
    this.#onListChange();
  }

  #onListChange(): void {
    if (this.#next?.isKnown) {
      this.#shown = this.#next;
      this.#next = undefined;
    }
    this.#view.invalidate();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#end?.();
    this.#end = undefined;
    this.#next = undefined;
  }

  #show(): DirectoryView {
    const shown = this.#shown?.view.getSnapshot() ?? NOTHING;
    if (!this.#next && this.#timer === undefined) return shown;
    const { isLoading = true, waitsUntil, failure } = this.#next?.view.getSnapshot() ?? {};
    return { ...shown, isLoading: isLoading && !failure, waitsUntil, failure, hasMore: false };
  }
}

function keyOf({ q, isOnlineOnly }: DirectoryQueryView): string {
  return `${isOnlineOnly ? 'online' : 'all'} ${q}`;
}
