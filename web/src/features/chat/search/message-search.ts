import { type Doorman, DoormanError, type Message } from 'doorman-client';
import { Store } from '../../../data/store.ts';
import { isFound, partsOf } from './found-text.ts';

/** After the last letter. */
const DEBOUNCE_MS = 500;
/** A search goes on by itself while it shows fewer than so many, as the service reads only some messages at once. */
const ENOUGH = 20;
const MAX_BY_ITSELF = 5;
/** For a refusal that does not say how long. */
const WAIT_MS = 2_000;

/** A message that a search has found, in the conversation with `peer`. */
export interface Hit extends Message {
  readonly peer: string;
}

type FoundPage = Awaited<ReturnType<Doorman['api']['search']>>;

interface MessageSearchOptions {
  readonly search: Doorman['api']['search'];
  /** Among the messages that the device has, in the same order. */
  findOnDevice(q: string, peer: string | undefined): readonly Hit[];
  onPeople(people: FoundPage['people']): void;
}

/** What is searched for. */
interface Query {
  /** See `toMessageQuery`; empty: nothing. */
  readonly q: string;
  /** The only conversation that is searched; absent: all. */
  readonly peer?: string | undefined;
  /** Only what the device has is searched. */
  readonly isOffline: boolean;
}

const NO_QUERY: Query = { q: '', isOffline: false };

export interface MessageSearchView {
  /** What the hits were searched for. */
  readonly q: string;
  /** The conversations as in the list, in each the newest first. */
  readonly hits: readonly Hit[];
  /** Also while the user types, before the first request. */
  readonly isLoading: boolean;
  /** There are messages that were not read: `more` reads on. */
  readonly hasMore: boolean;
  /** How many messages of the user were read. */
  readonly searched: number;
  readonly isOnDevice: boolean;
  /** After too many searches: when it goes on, epoch milliseconds. */
  readonly waitsUntil: number | undefined;
  /** The error word of the last request. */
  readonly failure: string | undefined;
}

const NOTHING: MessageSearchView = {
  q: '',
  hits: [],
  isLoading: false,
  hasMore: false,
  searched: 0,
  isOnDevice: false,
  waitsUntil: undefined,
  failure: undefined,
};

/** One search in messages on the screen. What it shows stays until the first answer to another query. */
export class MessageSearch extends Store<MessageSearchView> {
  readonly #options: MessageSearchOptions;
  #query = NO_QUERY;
  #next: string | undefined;
  /** Since the request in progress began, as its page may be from before them. */
  #changes: ((hit: Hit) => Hit | undefined)[] = [];
  /** Ends the requests in progress. */
  #current: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: MessageSearchOptions) {
    super(NOTHING);
    this.#options = options;
  }

  /** @param debounceMs it takes effect so long after the last call; offline, and for an empty query, at once */
  setQuery(query: Query, debounceMs = DEBOUNCE_MS): void {
    const { q, peer, isOffline } = this.#query;
    if (q === query.q && peer === query.peer && isOffline === query.isOffline) return;
    this.close();
    this.#query = query;
    if (query.q === '') this.set(NOTHING);
    else if (query.isOffline) this.#findOnDevice();
    else {
      this.set({ ...this.getSnapshot(), isLoading: true, failure: undefined, waitsUntil: undefined });
      this.#timer = setTimeout(() => void this.#read(), debounceMs);
    }
  }

  /** Reads on, also after a failure; does nothing while it reads. */
  more(): void {
    const { q, isLoading, hasMore, failure } = this.getSnapshot();
    if (isLoading || (!hasMore && failure === undefined)) return;
    if (q !== this.#query.q) this.#next = undefined;
    void this.#read();
  }

  /** An event has changed or taken back a message. @param change absolute; returns nothing for a message that is gone */
  change(change: (hit: Hit) => Hit | undefined): void {
    if (this.#query.q === '') return;
    this.#changes.push(change);
    const { hits, ...view } = this.getSnapshot();
    const changed = withChanges(hits, [change], view.q);
    if (changed.length < hits.length || changed.some((hit, i) => hit !== hits[i]))
      this.set({ ...view, hits: changed });
  }

  /** Changes may have come without events: what was found is searched for again. */
  again(): void {
    const query = this.#query;
    if (this.getSnapshot().hits.length === 0) return;
    this.close();
    this.setQuery(query, 0);
  }

  /** Ends the requests in progress. The next query begins anew. */
  close(): void {
    clearTimeout(this.#timer);
    this.#current?.abort();
    this.#current = undefined;
    this.#next = undefined;
    this.#changes = [];
    this.#query = NO_QUERY;
  }

  #findOnDevice(): void {
    const { q, peer } = this.#query;
    this.set({ ...NOTHING, q, hits: this.#options.findOnDevice(q, peer), isOnDevice: true });
  }

  /** Reads until there is enough to show. The first page takes the place of what another query has found. */
  async #read(): Promise<void> {
    const own = new AbortController();
    this.#current = own;
    const { q, peer } = this.#query;
    let isFirst = this.#next === undefined;
    const shown = () => (isFirst ? { ...NOTHING, q } : this.getSnapshot());
    const enough = shown().hits.length + ENOUGH;
    this.set({ ...this.getSnapshot(), isLoading: true, failure: undefined });
    for (let calls = 0; calls <= MAX_BY_ITSELF; calls++) {
      const after = this.#next;
      const fields = { q, ...(peer !== undefined && { peer }), ...(after !== undefined && { after }) };
      const page = await this.#fetch(fields, shown().hits, own.signal);
      if (page === undefined) return;
      const { hits: before, ...view } = { ...shown(), isLoading: false, waitsUntil: undefined };
      if (typeof page === 'string') {
        this.set({ ...view, hits: before, failure: page });
        return;
      }
      const { items, people, next } = page;
      isFirst = false;
      this.#next = next;
      this.#options.onPeople(people);
      const hits = [...before, ...withChanges(items, this.#changes, q)];
      const searched = view.searched + page.searched;
      const hasMore = next !== undefined;
      const isLoading = hasMore && calls < MAX_BY_ITSELF && hits.length < enough;
      this.set({ ...view, hits, searched, hasMore, isLoading });
      if (!isLoading) return;
    }
  }

  /** @returns a page, or the error word of a refusal. Too many searches are repeated when they may be. Nothing: it was ended */
  async #fetch(
    fields: Parameters<Doorman['api']['search']>[0],
    known: readonly Hit[],
    signal: AbortSignal,
  ): Promise<FoundPage | string | undefined> {
    while (!signal.aborted) {
      try {
        this.#changes = [];
        const page = await this.#options.search(fields, { known, signal });
        if (!signal.aborted) return page;
      } catch (error) {
        if (signal.aborted) return undefined;
        if (!(error instanceof DoormanError)) throw error;
        if (error.code !== 429) return error.error;
        const waitMs = Math.max(error.retryAfterMs ?? WAIT_MS, 100);
        this.set({ ...this.getSnapshot(), waitsUntil: Date.now() + waitMs });
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    }
    return undefined;
  }
}

/** Without the hits that are gone, or whose text is not what was searched for any more. */
function withChanges(
  hits: readonly Hit[],
  changes: readonly ((hit: Hit) => Hit | undefined)[],
  q: string,
): readonly Hit[] {
  const parts = partsOf(q);
  return hits.flatMap((hit) => {
    const changed = changes.reduce<Hit | undefined>((one, change) => one && change(one), hit);
    return changed === undefined || (changed !== hit && !isFound(changed.body, parts)) ? [] : changed;
  });
}
