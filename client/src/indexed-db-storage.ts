import { MemoryStorage } from './memory-storage.ts';
import type { DoormanStorage } from './storage.ts';

const STORE = 'kept';
/** Chromium now and then never answers when the page before was left while it opened the same database. */
const OPEN_MS = 10_000;

/**
 * One object store of an IndexedDB, opened at the first use; pages and workers of an origin share it by its name. An
 * operation is done when its transaction is complete. Where the browser refuses a database, as some do when they shall
 * keep nothing, or does not answer for 10 s, things are kept as long as the page is open.
 */
export class IndexedDbStorage implements DoormanStorage {
  readonly name: string;
  #database: Promise<IDBDatabase | undefined> | undefined;
  readonly #instead = new MemoryStorage();

  constructor(name: string) {
    this.name = name;
  }

  get(key: string): Promise<unknown> {
    return this.#do(
      'readonly',
      async (store) => done(store.get(key)),
      () => this.#instead.get(key),
    );
  }

  set(key: string, value: unknown): Promise<void> {
    return this.#do(
      'readwrite',
      async (store) => void store.put(value, key),
      () => this.#instead.set(key, value),
    );
  }

  delete(key: string): Promise<void> {
    return this.#do(
      'readwrite',
      async (store) => store.delete(key) && undefined,
      () => this.#instead.delete(key),
    );
  }

  all(prefix: string): Promise<[key: string, value: unknown][]> {
    return this.#do(
      'readonly',
      async (store) => {
        const range = IDBKeyRange.bound(prefix, `${prefix}\uffff\uffff`);
        const [keys, values] = await Promise.all([done(store.getAllKeys(range)), done(store.getAll(range))]);
        return keys.map((key, i): [string, unknown] => [String(key), values[i]]);
      },
      () => this.#instead.all(prefix),
    );
  }

  clear(): Promise<void> {
    return this.#do(
      'readwrite',
      async (store) => store.clear() && undefined,
      () => this.#instead.clear(),
    );
  }

  async #do<T>(
    mode: IDBTransactionMode,
    act: (store: IDBObjectStore) => Promise<T>,
    instead: () => Promise<T>,
  ): Promise<T> {
    const database = await this.#open();
    if (!database) return instead();
    let transaction: IDBTransaction;
    try {
      transaction = database.transaction(STORE, mode);
    } catch (error) {
      // The browser closed it, as when the user cleared what sites keep: it is opened anew, once.
      if (!(error instanceof DOMException && error.name === 'InvalidStateError')) throw error;
      this.#database = undefined;
      const again = await this.#open();
      if (!again) return instead();
      transaction = again.transaction(STORE, mode);
    }
    const complete = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? new DOMException('aborted', 'AbortError'));
    });
    const [result] = await Promise.all([act(transaction.objectStore(STORE)), complete]);
    return result;
  }

  #open(): Promise<IDBDatabase | undefined> {
    this.#database ??= openDatabase(this.name, () => {
      this.#database = undefined;
    });
    return this.#database;
  }
}

/** @param onClosed called when it can be used no more */
function openDatabase(name: string, onClosed: () => void): Promise<IDBDatabase | undefined> {
  return new Promise((resolve) => {
    let request: IDBOpenDBRequest;
    try {
      request = indexedDB.open(name, 1);
    } catch {
      resolve(undefined);
      return;
    }
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      resolve(undefined);
    }, OPEN_MS);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onerror = () => {
      clearTimeout(timer);
      resolve(undefined);
    };
    request.onsuccess = () => {
      clearTimeout(timer);
      const database = request.result;
      // Half of what is kept here and half in memory would be worse than either.
      if (isLate) return database.close();
      database.onclose = onClosed;
      // Somebody wants to delete it, or a later kit to change it: it must not be held up.
      database.onversionchange = () => {
        database.close();
        onClosed();
      };
      resolve(database);
    };
  });
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
