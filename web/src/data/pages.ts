import { Fetched } from './fetched.ts';
import type { RequestQueue } from './request-queue.ts';
import { Derived } from './store.ts';
import type { PagesView } from './views.ts';

interface Options<Page> {
  readonly queue: RequestQueue;
  fetchPage(after: string): Promise<Page>;
  onPage(page: Page): void;
  /** All pages are loaded one after the other, in the background. */
  readonly isEager?: boolean;
}

/** What a list needs of its pages, whatever they have. */
export type MorePages = Pick<Pages<{ next?: string }>, 'view' | 'loadMore'>;

/** The pages of a list after the first one, which is part of the snapshot. */
export class Pages<Page extends { readonly next?: string }> {
  readonly view: Derived<PagesView>;
  readonly #options: Options<Page>;
  readonly #fetched: Fetched<Page>;
  #next: string | undefined;
  #latest: Page | undefined;

  constructor(options: Options<Page>) {
    this.#options = options;
    const { queue, fetchPage, isEager = false } = options;
    this.#fetched = new Fetched((onWait) => {
      const after = this.#next ?? '';
      return queue.run(() => fetchPage(after), { isBackground: isEager, onWait });
    });
    this.#fetched.subscribe(() => this.#onChange());
    this.view = new Derived(() => {
      const { isLoading, waitsUntil } = this.#fetched.getSnapshot();
      return { hasMore: this.hasMore, isLoading, waitsUntil, failure: this.#fetched.failure };
    }, 0);
  }

  get hasMore(): boolean {
    return this.#next !== undefined;
  }

  /** For a new first page; a page that is being loaded is dropped. @param next where the second page starts */
  begin(next: string | undefined): void {
    this.#next = next;
    this.#fetched.clear();
    if (this.#options.isEager) this.loadMore();
  }

  /** Does nothing while a page is loading. */
  loadMore(): void {
    if (this.hasMore && !this.#fetched.getSnapshot().isLoading) this.#fetched.refresh();
  }

  /** The connection is back. */
  retry(): void {
    if (this.#fetched.failure !== undefined) this.loadMore();
  }

  #onChange(): void {
    const { value: page } = this.#fetched.getSnapshot();
    const isNew = page !== undefined && page !== this.#latest;
    this.#latest = page;
    if (isNew) {
      this.#next = page.next;
      this.#options.onPage(page);
      if (this.#options.isEager) this.loadMore();
    }
    this.view.invalidate();
  }
}
