/** A map with several values for each key: each value once, in the order in which they were added. */
export class Multimap<K, V> {
  readonly #sets = new Map<K, Set<V>>();

  add(key: K, value: V): void {
    const values = this.#sets.get(key);
    if (values) values.add(value);
    else this.#sets.set(key, new Set([value]));
  }

  delete(key: K, value: V): void {
    const values = this.#sets.get(key);
    values?.delete(value);
    if (values?.size === 0) this.#sets.delete(key);
  }

  deleteAll(key: K): void {
    this.#sets.delete(key);
  }

  clear(): void {
    this.#sets.clear();
  }

  /** The values of `key` themselves, not a copy of them. */
  get(key: K): Iterable<V> {
    return this.#sets.get(key) ?? [];
  }

  get size(): number {
    return this.#sets.size;
  }

  keys(): Iterable<K> {
    return this.#sets.keys();
  }
}
