import { type DirectoryEntry, type Doorman, DoormanError } from 'doorman-client';
import { Fetched, type OnWait } from '../../../data/fetched.ts';
import type { RequestQueue } from '../../../data/request-queue.ts';
import { Derived } from '../../../data/store.ts';
import type { DirectoryQueryView, DirectoryView } from './views.ts';

/** The user waits for the first page; the next ones are large and so few, as a user has 60 calls a minute. */
const FIRST_PAGE = 200;
const NEXT_PAGE = 1_000;
/** Who is online changes faster than who has an account. */
const FRESH_MS = 60_000;
const ONLINE_FRESH_MS = 15_000;

export interface DirectoryPagesOptions {
  readonly doorman: Doorman;
  readonly queue: RequestQueue;
  onEntries(entries: readonly DirectoryEntry[]): void;
}

type Page = Awaited<ReturnType<Doorman['api']['users']>>;

interface LoadedPages {
  readonly entries: readonly DirectoryEntry[];
  readonly next: string | undefined;
  /** Where the last page that was loaded starts. */
  readonly lastAfter: string | undefined;
}

const NOTHING: LoadedPages = { entries: [], next: undefined, lastAfter: undefined };

/** The directory, or the results of one search, as far as they are loaded. */
export class DirectoryPages {
  readonly view: Derived<DirectoryView>;
  readonly #options: DirectoryPagesOptions;
  readonly #query: DirectoryQueryView;
  readonly #fetched: Fetched<LoadedPages>;
  /** The ids of these entries, so that a page costs the same in a long list as in a short one. */
  #known = { entries: NOTHING.entries, ids: new Set<string>() };

  constructor(query: DirectoryQueryView, options: DirectoryPagesOptions) {
    this.#query = query;
    this.#options = options;
    this.#fetched = new Fetched(
      async (onWait) => this.#withFirstPage(await this.#fetchPage(undefined, onWait)),
      query.isOnlineOnly ? ONLINE_FRESH_MS : FRESH_MS,
    );
    this.#fetched.subscribe(() => this.view.invalidate());
    this.view = new Derived(() => {
      const { isLoading, waitsUntil } = this.#fetched.getSnapshot();
      const { entries, next } = this.#loaded;
      const { failure } = this.#fetched;
      return { query, entries, hasMore: next !== undefined, isLoading, waitsUntil, failure };
    }, 0);
  }

  /** There are entries to show, or it is known that there are none. */
  get isKnown(): boolean {
    return this.#fetched.getSnapshot().value !== undefined;
  }

  /** Loads the first page, unless it is fresh. */
  begin(): void {
    this.#fetched.ensure();
  }

  refresh(): void {
    this.#fetched.refresh();
  }

  loadMore(): void {
    if (this.#fetched.getSnapshot().isLoading) return;
    const { entries, next } = this.#loaded;
    if (next !== undefined)
      this.#fetched.extend(async (onWait) => {
        const page = await this.#fetchPage(next, onWait);
        return { entries: this.#append(entries, page.users), next: page.next, lastAfter: next };
      });
    else if (!this.isKnown) this.refresh();
  }

  /**
   * Loads the first page again, unseen: what is shown stays until the answer, and also if that is an error. A list of who is online
   * that has several pages would start again, so it stays.
   */
  update(): void {
    const wouldStartAgain = this.#query.isOnlineOnly && this.#loaded.lastAfter !== undefined;
    if (this.isKnown && !this.#fetched.getSnapshot().isLoading && !wouldStartAgain) this.#fetched.update();
  }

  /** The connection is back. */
  retry(): void {
    if (this.#fetched.failure !== undefined) this.#fetched.retry();
    else this.update();
  }

  get #loaded(): LoadedPages {
    return this.#fetched.getSnapshot().value ?? NOTHING;
  }

  async #fetchPage(after: string | undefined, onWait: OnWait): Promise<Page> {
    const { doorman, queue, onEntries } = this.#options;
    const { q, isOnlineOnly } = this.#query;
    const query = {
      limit: after === undefined ? FIRST_PAGE : NEXT_PAGE,
      ...(q && { q }),
      ...(isOnlineOnly && { online: true }),
      ...(after !== undefined && { after }),
    };
    const page = await queue.run(() => doorman.api.users(query).catch(toNone), { onWait });
    onEntries(page.users);
    return page;
  }

  /**
   * A first page that is loaded again leaves the later pages, so that a long list keeps its scroll position. Its last page is
   * then loaded again, for users who registered meanwhile. A list of online users changes too fast for that, and starts again.
   */
  #withFirstPage({ users, next }: Page): LoadedPages {
    const before = this.#loaded;
    const end = users.at(-1)?.id;
    const isLonger = next !== undefined && !this.#query.isOnlineOnly;
    const index = isLonger ? before.entries.findIndex(({ id }) => id === end) : -1;
    const later = index < 0 ? [] : before.entries.slice(index + 1);
    return {
      entries: this.#append(this.#append([], users), later),
      next: later.length > 0 ? (before.next ?? before.lastAfter) : next,
      lastAfter: later.length > 0 ? before.lastAfter : undefined,
    };
  }

  /** With those of `more` that are not in it: a user who was renamed between two pages may be on both. */
  #append(entries: readonly DirectoryEntry[], more: readonly DirectoryEntry[]): readonly DirectoryEntry[] {
    // A page that was appended may have been dropped since.
    const isKnown = this.#known.entries === entries;
    const ids = isKnown ? this.#known.ids : new Set(entries.map(({ id }) => id));
    const added = more.filter(({ id }) => !ids.has(id) && ids.add(id));
    this.#known = { entries: entries.concat(added), ids };
    return this.#known.entries;
  }
}

/** A query without a letter or digit finds no one. */
function toNone(error: unknown): Page {
  if (error instanceof DoormanError && error.error === 'bad_query') return { users: [] };
  throw error;
}
