import type { DoormanStorage, StorageChange } from './storage.ts';

/** Holds values while the program runs. Values are copied in and out, as with any other storage. */
export class MemoryStorage implements DoormanStorage {
  readonly #values = new Map<string, string>();

  async get(key: string): Promise<unknown> {
    const text = this.#values.get(key);
    return text === undefined ? undefined : JSON.parse(text);
  }

  async set(key: string, value: unknown): Promise<void> {
    this.#values.set(key, JSON.stringify(value));
  }

  async delete(key: string): Promise<void> {
    this.#values.delete(key);
  }

  async write(changes: readonly StorageChange[]): Promise<void> {
    for (const [key, value] of changes)
      if (value === undefined) this.#values.delete(key);
      else this.#values.set(key, JSON.stringify(value));
  }

  async all(prefix: string): Promise<[key: string, value: unknown][]> {
    const found = [...this.#values].filter(([key]) => key.startsWith(prefix));
    found.sort(([one], [other]) => (one < other ? -1 : 1));
    return found.map(([key, text]) => [key, JSON.parse(text)]);
  }

  async clear(): Promise<void> {
    this.#values.clear();
  }
}
