import { Cell, type Readable } from './store.ts';

/** What nobody listens to is forgotten beyond so many: it is made again when it is asked for. */
const MAX_CELLS = 3_000;

interface Options<T> {
  /** What is true now; asked again whenever it may have changed. */
  view: (key: string) => T;
  /** Somebody began to listen to what nobody listened to. */
  onWatched?: (key: string) => void;
}

/** One readable for each key, such as a user's id. Views that are equal field by field stay the same object. */
export class Keyed<T> {
  readonly #options: Options<T>;
  /** The one that was asked for last comes last. */
  readonly #cells = new Map<string, Cell<T>>();

  constructor(options: Options<T>) {
    this.#options = options;
  }

  of(key: string): Readable<T> {
    const known = this.#cells.get(key);
    this.#cells.delete(key);
    const { view, onWatched } = this.#options;
    const cell = known ?? new Cell(view(key), () => onWatched?.(key));
    this.#cells.set(key, cell);
    // Of what nobody listened to nobody had to say that it changed.
    if (known && !known.isWatched) this.refresh(key);
    if (!known && this.#cells.size > MAX_CELLS) this.#forgetSome();
    return cell;
  }

  /** What is true of this key may have changed. */
  refresh(key: string): void {
    const cell = this.#cells.get(key);
    if (!cell) return;
    const value = this.#options.view(key);
    if (!isSame(value, cell.get())) cell.set(value);
  }

  refreshAll(): void {
    for (const key of [...this.#cells.keys()]) this.refresh(key);
  }

  /** Those that somebody listens to. */
  watched(): string[] {
    return [...this.#cells].filter(([, cell]) => cell.isWatched).map(([key]) => key);
  }

  /** Never the latest: what was asked for a moment ago may be about to be listened to. */
  #forgetSome(): void {
    for (const [key, cell] of [...this.#cells].slice(0, MAX_CELLS / 2))
      if (!cell.isWatched) this.#cells.delete(key);
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
