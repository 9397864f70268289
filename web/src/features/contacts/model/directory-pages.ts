import { type DirectoryEntry, type Doorman, DoormanError } from 'doorman-client';
import type { RequestQueue } from '../../../data/request-queue.ts';
import { Derived } from '../../../data/store.ts';
import type { DirectoryQueryView, DirectoryView } from './views.ts';

/** The first page is what is waited for; the others are few, as a user has 60 calls a minute. */
const FIRST_PAGE = 200;
const NEXT_PAGE = 1_000;
/** How long a list is shown without asking anew; who is online changes faster than who is there. */
const GOOD_FOR_MS = 60_000;
const ONLINE_GOOD_FOR_MS = 15_000;

export interface DirectoryPagesOptions {
  readonly doorman: Doorman;
  readonly queue: RequestQueue;
  got(entries: readonly DirectoryEntry[]): void;
}

/** The directory, or what a search found of it, as far as it was loaded. */
export class DirectoryPages {
  readonly view: Derived<DirectoryView>;
  readonly #host: DirectoryPagesOptions;
  readonly #query: DirectoryQueryView;
  #entries: readonly DirectoryEntry[] = [];
  readonly #ids = new Set<string>();
  #next: string | undefined;
  /** Where the page began that was loaded last. */
  #lastAfter: string | undefined;
  #loadedAt = 0;
  #load: object | undefined;
  #waitsUntil: number | undefined;
  #failure: string | undefined;

  constructor(query: DirectoryQueryView, host: DirectoryPagesOptions) {
    this.#query = query;
    this.#host = host;
    this.view = new Derived(
      () => ({
        query,
        entries: this.#entries,
        hasMore: this.#next !== undefined,
        isLoading: this.#load !== undefined,
        waitsUntil: this.#waitsUntil,
        failure: this.#failure,
      }),
      0,
    );
  }

  /** Something of it can be shown. */
  get isKnown(): boolean {
    return this.#loadedAt > 0;
  }

  /** The first page, unless a fresh one is there. */
  begin(): void {
    const goodForMs = this.#query.isOnlineOnly ? ONLINE_GOOD_FOR_MS : GOOD_FOR_MS;
    if (!this.#load && this.#loadedAt < Date.now() - goodForMs) this.#ask(undefined);
  }

  refresh(): void {
    this.#ask(undefined);
  }

  loadMore(): void {
    if (this.#load) return;
    if (this.#next !== undefined) this.#ask(this.#next);
    else if (!this.isKnown) this.#ask(undefined);
  }

  /** The connection is back. */
  retry(): void {
    if (this.#failure === undefined) return;
    this.#failure = undefined;
    if (this.isKnown) this.loadMore();
    else this.begin();
  }

  #ask(after: string | undefined): void {
    const own = {};
    this.#load = own;
    this.#failure = undefined;
    void this.#fetch(after, own).finally(() => {
      if (this.#load !== own) return;
      this.#load = undefined;
      this.#waitsUntil = undefined;
      this.view.invalidate();
    });
    this.view.invalidate();
  }

  async #fetch(after: string | undefined, own: object): Promise<void> {
    const { doorman, queue, got } = this.#host;
    const { q, isOnlineOnly } = this.#query;
    const limit = after === undefined ? FIRST_PAGE : NEXT_PAGE;
    try {
      const { users, next } = await queue.run(
        () =>
          doorman.api.users({
            limit,
            ...(q && { q }),
            ...(isOnlineOnly && { online: true }),
            ...(after !== undefined && { after }),
          }),
        { onWait: (until) => this.#wait(until, own) },
      );
      if (this.#load !== own) return;
      got(users);
      if (after === undefined) this.#begin(users, next);
      else {
        this.#add(users);
        this.#next = next;
        this.#lastAfter = after;
      }
    } catch (error) {
      if (!(error instanceof DoormanError)) throw error;
      if (this.#load === own) this.#failure = error.error;
    }
  }

  /**
   * The first page, once more if others follow it: they stay, so that the place in a long list is kept.
   * Its end is asked for again, for whoever came meanwhile. Who is online changes too fast for that.
   */
  #begin(users: readonly DirectoryEntry[], next: string | undefined): void {
    const end = users.at(-1)?.id;
    const at =
      next === undefined || this.#query.isOnlineOnly ? -1 : this.#entries.findIndex(({ id }) => id === end);
    const others = at < 0 ? [] : this.#entries.slice(at + 1);
    this.#entries = [];
    this.#ids.clear();
    this.#add(users);
    this.#add(others);
    this.#next = others.length > 0 ? (this.#next ?? this.#lastAfter) : next;
    this.#loadedAt = Date.now();
  }

  /** Who was renamed between two pages may be on both. */
  #add(users: readonly DirectoryEntry[]): void {
    const added = users.filter(({ id }) => !this.#ids.has(id));
    for (const { id } of added) this.#ids.add(id);
    this.#entries = [...this.#entries, ...added];
  }

  #wait(until: number, own: object): void {
    if (this.#load !== own) return;
    this.#waitsUntil = until;
    this.view.invalidate();
  }
}
