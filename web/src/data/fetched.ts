import { DoormanError } from 'doorman-client';
import { Store } from './store.ts';

/** For a call that waits after a 429. @param until when it goes on, epoch milliseconds */
export type OnWait = (until: number) => void;
type Fetch<T> = (onWait: OnWait) => Promise<T>;

export interface FetchState<T> {
  /** The value that was fetched last; it stays after an error. */
  readonly value?: T | undefined;
  /** What the latest finished fetch failed with. */
  readonly error?: unknown;
  readonly isLoading: boolean;
  readonly waitsUntil?: number;
}

/** A value of the service, and how fetching it goes. Only the latest fetch counts: the result of an earlier one is dropped. */
export class Fetched<T> extends Store<FetchState<T>> {
  readonly #fetch: Fetch<T>;
  readonly #freshMs: number;
  #fetchedAt = 0;
  /** Identifies the fetch that is in progress. */
  #current: object | undefined;
  #repeatLatest = () => this.refresh();

  /** @param freshMs for how long `ensure` is content with a fetched value */
  constructor(fetch: Fetch<T>, freshMs = 0) {
    super({ isLoading: false });
    this.#fetch = fetch;
    this.#freshMs = freshMs;
  }

  /** The error word, such as `unreachable`; `undefined` while a fetch is in progress. */
  get failure(): string | undefined {
    const { error, isLoading } = this.getSnapshot();
    return !isLoading && error instanceof DoormanError ? error.error : undefined;
  }

  /** Fetches the value, unless it is fresh or a fetch is in progress. */
  ensure(): void {
    if (!this.#current && this.#fetchedAt < Date.now() - this.#freshMs) this.refresh();
  }

  refresh(): void {
    this.#repeatLatest = () => this.refresh();
    void this.#run(this.#fetch, true);
  }

  /** Like `refresh`, unseen: it does not show as loading, and if it fails the value stays without an error. */
  update(): void {
    void this.#run(this.#fetch, true, true);
  }

  /** Fetches a longer value, such as one with another page; the value gets no fresher by it. */
  extend(fetch: Fetch<T>): void {
    this.#repeatLatest = () => this.extend(fetch);
    void this.#run(fetch, false);
  }

  /** Repeats the latest fetch if it failed; for the moment at which the connection is back. */
  retry(): void {
    if (this.getSnapshot().error !== undefined) this.#repeatLatest();
  }

  /** Takes a value that came in another way, as fresh. */
  setValue(value: T): void {
    this.#fetchedAt = Date.now();
    this.set({ ...this.getSnapshot(), value, error: undefined });
  }

  /** Forgets the value, and drops the result of a fetch in progress. */
  clear(): void {
    this.#current = undefined;
    this.#fetchedAt = 0;
    this.set({ isLoading: false });
  }

  /** @throws anything but a {@link DoormanError}, after it was stored: nothing awaits this, so the browser reports it */
  async #run(fetch: Fetch<T>, isWhole: boolean, isUnseen = false): Promise<void> {
    const own = {};
    this.#current = own;
    const { value, error } = this.getSnapshot();
    if (!isUnseen) this.set({ value, error, isLoading: true });
    const settle = (state: Omit<FetchState<T>, 'isLoading'>) => {
      this.#current = undefined;
      this.set({ ...state, isLoading: false });
    };
    try {
      const next = await fetch((waitsUntil) => {
        if (this.#current === own) this.set({ ...this.getSnapshot(), waitsUntil });
      });
      if (this.#current !== own) return;
      if (isWhole) this.#fetchedAt = Date.now();
      settle({ value: next });
    } catch (caught) {
      if (this.#current !== own) return;
      const latest = this.getSnapshot();
      // An unseen fetch also ends the one that it has overtaken.
      settle({ value: latest.value, error: latest.isLoading ? caught : latest.error });
      if (!(caught instanceof DoormanError)) throw caught;
    }
  }
}
