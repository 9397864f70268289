import { DoormanError } from 'doorman-client';
import type { RequestQueue } from './request-queue.ts';
import { Derived } from './store.ts';
import type { MorePages } from './stores.ts';
import type { PagesView } from './views.ts';

interface PagesHost<Page> {
  readonly queue: RequestQueue;
  ask(after: string): Promise<Page>;
  got(page: Page): void;
  /** All pages are loaded one after the other, before anything asks for them. */
  readonly isEager?: boolean;
}

/** The pages of a list after the first one, which the snapshot has. */
export class Pages<Page extends { readonly next?: string }> implements MorePages {
  readonly view: Derived<PagesView>;
  readonly #host: PagesHost<Page>;
  #next: string | undefined;
  #load: object | undefined;
  #waitsUntil: number | undefined;
  #failure: string | undefined;

  constructor(host: PagesHost<Page>) {
    this.#host = host;
    this.view = new Derived(
      () => ({
        hasMore: this.hasMore,
        isLoading: this.#load !== undefined,
        waitsUntil: this.#waitsUntil,
        failure: this.#failure,
      }),
      0,
    );
  }

  get hasMore(): boolean {
    return this.#next !== undefined;
  }

  /** The list begins again: what is under way counts no more. @param next where its second page starts */
  begin(next: string | undefined): void {
    this.#next = next;
    this.#load = undefined;
    this.#waitsUntil = undefined;
    this.#failure = undefined;
    if (this.#host.isEager) this.loadMore();
    this.view.invalidate();
  }

  loadMore(): void {
    if (this.#load || this.#next === undefined) return;
    const own = {};
    this.#load = own;
    this.#failure = undefined;
    void this.#fetch(this.#next, own);
    this.view.invalidate();
  }

  /** The connection is back. */
  retry(): void {
    if (this.#failure !== undefined) this.loadMore();
  }

  async #fetch(after: string, own: object): Promise<void> {
    const { queue, ask, got, isEager = false } = this.#host;
    const onWait = (until: number) => {
      if (this.#load !== own) return;
      this.#waitsUntil = until;
      this.view.invalidate();
    };
    try {
      const page = await queue.run(() => ask(after), { isBackground: isEager, onWait });
      if (this.#load !== own) return;
      this.#next = page.next;
      got(page);
    } catch (error) {
      if (!(error instanceof DoormanError)) throw error;
      if (this.#load !== own) return;
      this.#failure = error.error;
    }
    this.#load = undefined;
    this.#waitsUntil = undefined;
    if (isEager && this.#failure === undefined) this.loadMore();
    this.view.invalidate();
  }
}
