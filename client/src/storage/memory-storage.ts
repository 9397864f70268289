import type { DoormanStorage } from './storage.ts';

/** Keeps things as long as the program runs. What is put in and taken out are copies, as with any other storage. */
export class MemoryStorage implements DoormanStorage {
  readonly #kept = new Map<string, string>();

  async get(key: string): Promise<unknown> {
    const text = this.#kept.get(key);
    return text === undefined ? undefined : JSON.parse(text);
  }

  async set(key: string, value: unknown): Promise<void> {
    this.#kept.set(key, JSON.stringify(value));
  }

  async delete(key: string): Promise<void> {
    this.#kept.delete(key);
  }

  async all(prefix: string): Promise<[key: string, value: unknown][]> {
    const found = [...this.#kept].filter(([key]) => key.startsWith(prefix));
    found.sort(([one], [other]) => (one < other ? -1 : 1));
    return found.map(([key, text]) => [key, JSON.parse(text)]);
  }

  async clear(): Promise<void> {
    this.#kept.clear();
  }
}
