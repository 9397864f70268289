import { type Readable, Store } from './store.ts';

/** Beyond this number, stores without subscribers are dropped; they are created again when they are read. */
const MAX_STORES = 3_000;

interface Options<T> {
  /** The current value; called again whenever it may have changed. */
  view: (key: string) => T;
  /** Called each time a subscriber comes to a key that has none. */
  onFirstSubscriber?: (key: string) => void;
}

/** One store for each key, such as a user's id. A view that is equal to the previous one, field by field, does not replace it. */
export class KeyedStore<T> {
  readonly #options: Options<T>;
  /** The one that was read last is the last. */
  readonly #stores = new Map<string, Store<T>>();

  constructor(options: Options<T>) {
    this.#options = options;
  }

  of(key: string): Readable<T> {
    const known = this.#stores.get(key);
    this.#stores.delete(key);
    const { view, onFirstSubscriber } = this.#options;
    const store = known ?? new Store(view(key), () => onFirstSubscriber?.(key));
    this.#stores.set(key, store);
    // `refresh` is not called for changes that no subscriber needs.
    if (known && !known.hasSubscribers) this.refresh(key);
    if (!known && this.#stores.size > MAX_STORES) this.#dropUnused();
    return store;
  }

  /** The view of this key may have changed. */
  refresh(key: string): void {
    const store = this.#stores.get(key);
    if (!store) return;
    const view = this.#options.view(key);
    if (!isSame(view, store.getSnapshot())) store.set(view);
  }

  refreshAll(): void {
    for (const key of [...this.#stores.keys()]) this.refresh(key);
  }

  subscribedKeys(): string[] {
    return [...this.#stores].filter(([, store]) => store.hasSubscribers).map(([key]) => key);
  }

  /** Only among the half read least recently: a component may be about to subscribe to what it has just read. */
  #dropUnused(): void {
    for (const [key, store] of [...this.#stores].slice(0, MAX_STORES / 2))
      if (!store.hasSubscribers) this.#stores.delete(key);
  }
}

/** Equal, or objects with equal fields. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  const fields = Object.entries(one);
  return (
    fields.length === Object.keys(other).length &&
    fields.every(([name, value]) => Object.is(value, Reflect.get(other, name)))
  );
}
