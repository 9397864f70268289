/** Something that can be read now and tells when it changed, as `useSyncExternalStore` wants it. */
export interface Readable<T> {
  /** The same object as long as nothing changed. */
  get(): T;
  subscribe(listener: () => void): () => void;
}

/** One value that is replaced, never changed in place. */
export class Cell<T> implements Readable<T> {
  #value: T;
  readonly #listeners = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get = (): T => this.#value;

  /** The value that stands already tells nobody. */
  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) listener();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  };
}
