/** A value that can be read and observed, in the words of React's `useSyncExternalStore`. */
export interface Readable<T> {
  /** The same object until the value changes. */
  readonly getSnapshot: () => T;
  /** @returns ends the subscription */
  readonly subscribe: (listener: () => void) => () => void;
}

class Subscribers {
  readonly #listeners = new Set<() => void>();

  get count(): number {
    return this.#listeners.size;
  }

  add(listener: () => void): () => void {
    // A function of its own for each call, so that the same listener can subscribe twice.
    const own = () => listener();
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

/** One value that is replaced, never changed in place. */
export class Store<T> implements Readable<T> {
  #value: T;
  readonly #subscribers = new Subscribers();
  readonly #onFirstSubscriber: (() => void) | undefined;

  /** @param onFirstSubscriber called each time a subscriber comes while there is none */
  constructor(value: T, onFirstSubscriber?: () => void) {
    this.#value = value;
    this.#onFirstSubscriber = onFirstSubscriber;
  }

  get hasSubscribers(): boolean {
    return this.#subscribers.count > 0;
  }

  readonly getSnapshot = (): T => this.#value;

  readonly subscribe = (listener: () => void): (() => void) => {
    const unsubscribe = this.#subscribers.add(listener);
    if (this.#subscribers.count === 1) this.#onFirstSubscriber?.();
    return unsubscribe;
  };

  /** Notifies the subscribers, unless it is the value that the store has. */
  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    this.#subscribers.notify();
  }
}

/** The least time between two notifications of a {@link Derived}: a thousand missed events are not a thousand renderings. */
const THROTTLE_MS = 40;

/** A value computed from others, when it is read. */
export class Derived<T> implements Readable<T> {
  readonly #compute: (previous: T | undefined) => T;
  readonly #throttleMs: number;
  readonly #subscribers = new Subscribers();
  #value: T | undefined;
  #isStale = true;
  #notifiedAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param compute gets the previous value, and returns those parts of it that did not change
   * @param throttleMs 0 notifies of every change at once, as a source of another `Derived` must
   */
  constructor(compute: (previous: T | undefined) => T, throttleMs = THROTTLE_MS) {
    this.#compute = compute;
    this.#throttleMs = throttleMs;
  }

  readonly getSnapshot = (): T => {
    if (this.#isStale) {
      this.#value = this.#compute(this.#value);
      this.#isStale = false;
    }
    return this.#value as T; // computed above
  };

  readonly subscribe = (listener: () => void): (() => void) => this.#subscribers.add(listener);

  /** A source has changed: the next read computes again; subscribers are notified now, or after the throttle time. */
  invalidate(): void {
    this.#isStale = true;
    if (this.#timer !== undefined) return;
    const waitMs = this.#notifiedAt + this.#throttleMs - performance.now();
    if (waitMs <= 0 || this.#notifiedAt === 0) this.#notify();
    else this.#timer = setTimeout(() => this.#notify(), waitMs);
  }

  #notify(): void {
    this.#timer = undefined;
    this.#notifiedAt = performance.now();
    this.#subscribers.notify();
  }
}
