import { DoormanError } from '../errors.ts';
import { MemoryStorage } from './memory-storage.ts';
import type { DoormanStorage } from './storage.ts';

/** What the storage answered; absent where it failed, now or before. */
type Answer<T> = { readonly value: T } | undefined;

/**
 * A storage that always answers. It passes everything on to the storage it guards and keeps a copy in memory of what was
 * read and written. When an operation fails, or has no answer within the time limit, it goes on with the copy alone for
 * good. No operation rejects for what the guarded storage does.
 */
export class GuardedStorage implements DoormanStorage {
  readonly name: string | undefined;
  readonly #storage: DoormanStorage;
  readonly #limitMs: number;
  readonly #failed: (error: unknown) => void;
  readonly #copy = new MemoryStorage();
  #isInMemory = false;
  #error: unknown;
  /** Its last operation had no answer in time; it is not waited for until it answers again. */
  #isHanging = false;
  /** Ends the wait for each operation that is under way. */
  readonly #waits = new Set<() => void>();
  /** Counts what was written and removed; by key, the number of the last time. */
  #writes = 0;
  readonly #writtenAt = new Map<string, number>();
  #clearedAt = 0;

  /** @param failed called once, when it goes on in memory, with what the storage threw; without if it did not answer */
  constructor(storage: DoormanStorage, limitMs: number, failed: (error?: unknown) => void = () => {}) {
    this.name = storage.name;
    this.#storage = storage;
    this.#limitMs = limitMs;
    this.#failed = failed;
  }

  get isInMemory(): boolean {
    return this.#isInMemory;
  }

  /** @throws {DoormanError} `storage_failed` if it is in memory */
  check(): void {
    if (this.#isInMemory)
      throw new DoormanError(0, 'storage_failed', 'The storage failed', { cause: this.#error });
  }

  async get(key: string): Promise<unknown> {
    const since = this.#writes;
    const answer = await this.#read(() => this.#storage.get(key));
    if (!answer) return this.#copy.get(key);
    this.#note(key, answer.value, since);
    return answer.value;
  }

  async all(prefix: string): Promise<[key: string, value: unknown][]> {
    const since = this.#writes;
    const answer = await this.#read(() => this.#storage.all(prefix));
    const known = await this.#copy.all(prefix);
    if (!answer) return known;
    const found = new Map(answer.value);
    for (const [key] of known) if (!found.has(key)) this.#note(key, undefined, since);
    for (const [key, value] of found) this.#note(key, value, since);
    return answer.value;
  }

  async set(key: string, value: unknown): Promise<void> {
    const at = this.#noteWrite(key);
    const copied = this.#copy.set(key, value);
    if (!this.#isInMemory) await this.#ask(() => this.#setThere(key, value, at));
    await copied;
  }

  /** In memory too, it and `clear` reach the storage if it still works: what is removed is not to be there after a restart. */
  async delete(key: string): Promise<void> {
    this.forget(key);
    await this.#ask(() => this.#storage.delete(key));
  }

  async clear(): Promise<void> {
    this.forget();
    await this.#ask(() => this.#storage.clear());
  }

  /** Removes it from the copy alone, because another tab removed it from the storage. @param key left out: everything */
  forget(key?: string): void {
    if (key !== undefined) {
      this.#noteWrite(key);
      void this.#copy.delete(key);
      return;
    }
    this.#writtenAt.clear();
    this.#clearedAt = ++this.#writes;
    void this.#copy.clear();
  }

  async #setThere(key: string, value: unknown, at: number): Promise<void> {
    await this.#storage.set(key, value);
    // A late success: by now another value counts, or none.
    if (this.#isInMemory && this.#writtenAt.get(key) !== at) await this.#storage.delete(key);
  }

  #noteWrite(key: string): number {
    this.#writtenAt.set(key, ++this.#writes);
    return this.#writes;
  }

  /** Copies what was read, unless it was written after the reading began. */
  #note(key: string, value: unknown, since: number): void {
    if ((this.#writtenAt.get(key) ?? this.#clearedAt) > since) return;
    void (value === undefined ? this.#copy.delete(key) : this.#copy.set(key, value));
  }

  async #read<T>(act: () => Promise<T>): Promise<Answer<T>> {
    return this.#isInMemory ? undefined : this.#ask(act);
  }

  #ask<T>(act: () => Promise<T>): Promise<Answer<T>> {
    return new Promise((resolve) => {
      const end = (answer?: Answer<T>) => {
        clearTimeout(timer);
        this.#waits.delete(end);
        resolve(answer);
      };
      const fail = () => {
        this.#isHanging = true;
        this.#goOnInMemory();
      };
      // In two halves: a machine that sleeps, or is busy, passes at most the first, and the answer comes in the second.
      const half = this.#limitMs / 2;
      let timer = setTimeout(() => {
        timer = setTimeout(fail, half);
      }, half);
      this.#waits.add(end);
      begin(act).then(
        (value) => {
          this.#isHanging = false;
          end(this.#isInMemory ? undefined : { value });
        },
        (error) => {
          this.#isHanging = false;
          this.#goOnInMemory(error);
          end();
        },
      );
      if (this.#isHanging) end();
    });
  }

  #goOnInMemory(error?: unknown): void {
    const isFirst = !this.#isInMemory;
    this.#isInMemory = true;
    for (const end of this.#waits) end();
    if (!isFirst) return;
    this.#error = error;
    this.#failed(error);
  }
}

/** Also what is thrown at once rejects. */
async function begin<T>(act: () => Promise<T>): Promise<T> {
  return act();
}
