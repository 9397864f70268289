/** Something that can be read now and tells when it changed, as `useSyncExternalStore` wants it. */
export interface Readable<T> {
  /** The same object as long as nothing changed. */
  readonly get: () => T;
  readonly subscribe: (listener: () => void) => () => void;
}

/** Who wants to hear of changes. */
class Listeners {
  readonly #all = new Set<() => void>();

  get size(): number {
    return this.#all.size;
  }

  add(listener: () => void): () => void {
    // One of its own for each call, so that the same function given twice is two.
    const own = () => listener();
    this.#all.add(own);
    return () => {
      this.#all.delete(own);
    };
  }

  tell(): void {
    for (const listener of [...this.#all]) listener();
  }
}

/** One value that is replaced, never changed in place. */
export class Cell<T> implements Readable<T> {
  #value: T;
  readonly #listeners = new Listeners();
  readonly #onWatched: (() => void) | undefined;

  /** @param onWatched somebody began to listen, while nobody did */
  constructor(value: T, onWatched?: () => void) {
    this.#value = value;
    this.#onWatched = onWatched;
  }

  get isWatched(): boolean {
    return this.#listeners.size > 0;
  }

  readonly get = (): T => this.#value;

  readonly subscribe = (listener: () => void): (() => void) => {
    const end = this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#onWatched?.();
    return end;
  };

  /** The value that stands already tells nobody. */
  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    this.#listeners.tell();
  }
}

/** Between two tellings of a {@link Computed}: a thousand missed events are not a thousand renderings. */
const PACE_MS = 40;

/** A value made of others, when somebody reads it. */
export class Computed<T> implements Readable<T> {
  readonly #compute: (before: T | undefined) => T;
  readonly #paceMs: number;
  readonly #listeners = new Listeners();
  #value: T | undefined;
  #isStale = true;
  #toldAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param compute gets the value before, and gives back what of it did not change
   * @param paceMs 0 tells of every change at once, which those need that are made of this one
   */
  constructor(compute: (before: T | undefined) => T, paceMs = PACE_MS) {
    this.#compute = compute;
    this.#paceMs = paceMs;
  }

  readonly get = (): T => {
    if (this.#isStale) {
      this.#value = this.#compute(this.#value);
      this.#isStale = false;
    }
    return this.#value as T; // computed above
  };

  readonly subscribe = (listener: () => void): (() => void) => this.#listeners.add(listener);

  /** What it is made of has changed. It reads right from now on; listeners are told at once, or a few moments later. */
  invalidate(): void {
    this.#isStale = true;
    if (this.#timer !== undefined) return;
    const waitMs = this.#toldAt + this.#paceMs - performance.now();
    if (waitMs <= 0 || this.#toldAt === 0) this.#tell();
    else this.#timer = setTimeout(() => this.#tell(), waitMs);
  }

  #tell(): void {
    this.#timer = undefined;
    this.#toldAt = performance.now();
    this.#listeners.tell();
  }
}
