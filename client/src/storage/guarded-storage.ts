import { DoormanError } from '../errors.ts';
import { MemoryStorage } from './memory-storage.ts';
import type { DoormanStorage, KitStorage, StorageChange } from './storage.ts';

/** The result of an operation; absent if the storage failed, now or before. */
type Result<T> = { readonly value: T } | undefined;

/**
 * A storage that always answers. It passes each operation on to the storage that it guards and copies what is read and
 * written into memory. Once an operation fails, or has no result within the time limit, only the copy is used from then on.
 * No operation rejects because of the guarded storage.
 */
export class GuardedStorage implements KitStorage {
  readonly name: string | undefined;
  readonly #storage: DoormanStorage;
  readonly #limitMs: number;
  readonly #onFailure: (error: unknown) => void;
  readonly #copy = new MemoryStorage();
  #isInMemory = false;
  #error: unknown;
  /** The last operation timed out; no operation is waited for until one settles. */
  #isHanging = false;
  /** Ends the wait for each operation in flight. */
  readonly #waits = new Set<() => void>();
  /** Counts writes and removals; `#writtenAt` has the number of each key's last one. */
  #writes = 0;
  readonly #writtenAt = new Map<string, number>();
  #clearedAt = 0;

  /** @param onFailure called once, when it switches to memory; `error` is what the storage threw, absent after a timeout */
  constructor(storage: DoormanStorage, limitMs: number, onFailure: (error?: unknown) => void = () => {}) {
    this.name = storage.name;
    this.#storage = storage;
    this.#limitMs = limitMs;
    this.#onFailure = onFailure;
  }

  get isInMemory(): boolean {
    return this.#isInMemory;
  }

  /** @throws {DoormanError} `storage_failed` once it has switched to memory */
  check(): void {
    if (this.#isInMemory)
      throw new DoormanError(0, 'storage_failed', 'The storage failed', { cause: this.#error });
  }

  async get(key: string): Promise<unknown> {
    const since = this.#writes;
    const result = await this.#read(() => this.#storage.get(key));
    if (!result) return this.#copy.get(key);
    this.#copyRead(key, result.value, since);
    return result.value;
  }

  async all(prefix: string): Promise<[key: string, value: unknown][]> {
    const since = this.#writes;
    const result = await this.#read(() => this.#storage.all(prefix));
    const known = await this.#copy.all(prefix);
    if (!result) return known;
    const found = new Map(result.value);
    for (const [key] of known) if (!found.has(key)) this.#copyRead(key, undefined, since);
    for (const [key, value] of found) this.#copyRead(key, value, since);
    return result.value;
  }

  async set(key: string, value: unknown): Promise<void> {
    const at = this.#noteWrite(key);
    const copied = this.#copy.set(key, value);
    if (!this.#isInMemory) await this.#run(() => this.#setInStorage(key, value, at));
    await copied;
  }

  /** Like `clear`, also tried on a storage that failed: removed values should not be back after a restart. */
  async delete(key: string): Promise<void> {
    this.forget(key);
    await this.#run(() => this.#storage.delete(key));
  }

  /** Like `set` and `delete`, together where the guarded storage can. */
  async write(changes: readonly StorageChange[]): Promise<void> {
    const { write } = this.#storage;
    if (!write || this.#isInMemory) {
      for (const [key, value] of changes)
        await (value === undefined ? this.delete(key) : this.set(key, value));
      return;
    }
    const written = changes.map(([key]) => ({ key, at: this.#noteWrite(key) }));
    const copied = this.#copy.write(changes);
    await this.#run(async () => {
      await write.call(this.#storage, changes);
      for (const { key, at } of written) await this.#removeIfLate(key, at);
    });
    await copied;
  }

  async clear(): Promise<void> {
    this.forget();
    await this.#run(() => this.#storage.clear());
  }

  /** Removes a value from the copy only, after another tab removed it from the storage. @param key left out: everything */
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

  async #setInStorage(key: string, value: unknown, at: number): Promise<void> {
    await this.#storage.set(key, value);
    await this.#removeIfLate(key, at);
  }

  /** After a late success: a newer value, or a removal, may have replaced it meanwhile. */
  async #removeIfLate(key: string, at: number): Promise<void> {
    if (this.#isInMemory && this.#writtenAt.get(key) !== at) await this.#storage.delete(key);
  }

  #noteWrite(key: string): number {
    this.#writtenAt.set(key, ++this.#writes);
    return this.#writes;
  }

  /** Copies a value that was read, unless the key was written after the read began. */
  #copyRead(key: string, value: unknown, since: number): void {
    if ((this.#writtenAt.get(key) ?? this.#clearedAt) > since) return;
    void (value === undefined ? this.#copy.delete(key) : this.#copy.set(key, value));
  }

  async #read<T>(operation: () => Promise<T>): Promise<Result<T>> {
    return this.#isInMemory ? undefined : this.#run(operation);
  }

  #run<T>(operation: () => Promise<T>): Promise<Result<T>> {
    return new Promise((resolve) => {
      const end = (result?: Result<T>) => {
        clearTimeout(timer);
        this.#waits.delete(end);
        resolve(result);
      };
      const fail = () => {
        this.#isHanging = true;
        this.#switchToMemory();
      };
      // In two halves: a machine that sleeps or is busy skips at most the first, and the result arrives in the second.
      const half = this.#limitMs / 2;
      let timer = setTimeout(() => {
        timer = setTimeout(fail, half);
      }, half);
      this.#waits.add(end);
      start(operation).then(
        (value) => {
          this.#isHanging = false;
          end(this.#isInMemory ? undefined : { value });
        },
        (error) => {
          this.#isHanging = false;
          this.#switchToMemory(error);
          end();
        },
      );
      if (this.#isHanging) end();
    });
  }

  #switchToMemory(error?: unknown): void {
    const isFirst = !this.#isInMemory;
    this.#isInMemory = true;
    for (const end of this.#waits) end();
    if (!isFirst) return;
    this.#error = error;
    this.#onFailure(error);
  }
}

/** Turns a synchronous throw into a rejection. */
async function start<T>(operation: () => Promise<T>): Promise<T> {
  return operation();
}
