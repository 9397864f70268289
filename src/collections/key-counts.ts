/** A count for each key, never below 0. A key whose count is 0 takes no memory. */
export class KeyCounts {
  readonly #counts = new Map<string, number>();

  /** @returns the new count */
  add(key: string, change: number): number {
    const count = Math.max(0, this.get(key) + change);
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
    return count;
  }

  get(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  /** The keys whose count is above 0, in the order in which they rose above it. */
  keys(): Iterable<string> {
    return this.#counts.keys();
  }
}
