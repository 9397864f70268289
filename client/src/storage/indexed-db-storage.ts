import type { DoormanStorage, StorageChange } from './storage.ts';

const STORE = 'kept';

/**
 * One object store of an IndexedDB, opened at the first use; pages and workers of an origin share it by its name. An
 * operation settles when its transaction is complete. It rejects where the browser refuses a database, as some do in
 * private windows. Chromium sometimes never answers after a page was left while it opened the same database.
 */
export class IndexedDbStorage implements DoormanStorage {
  readonly name: string;
  #database: Promise<IDBDatabase> | undefined;

  constructor(name: string) {
    this.name = name;
  }

  get(key: string): Promise<unknown> {
    return this.#do('readonly', async (store) => done(store.get(key)));
  }

  set(key: string, value: unknown): Promise<void> {
    return this.#do('readwrite', async (store) => void store.put(value, key));
  }

  delete(key: string): Promise<void> {
    return this.#do('readwrite', async (store) => void store.delete(key));
  }

  write(changes: readonly StorageChange[]): Promise<void> {
    return this.#do('readwrite', async (store) => {
      for (const [key, value] of changes)
        if (value === undefined) store.delete(key);
        else store.put(value, key);
    });
  }

  all(prefix: string): Promise<[key: string, value: unknown][]> {
    return this.#do('readonly', async (store) => {
      const range = IDBKeyRange.bound(prefix, `${prefix}\uffff\uffff`);
      const [keys, values] = await Promise.all([done(store.getAllKeys(range)), done(store.getAll(range))]);
      return keys.map((key, i): [string, unknown] => [String(key), values[i]]);
    });
  }

  clear(): Promise<void> {
    return this.#do('readwrite', async (store) => void store.clear());
  }

  async #do<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => Promise<T>): Promise<T> {
    let transaction: IDBTransaction;
    try {
      transaction = (await this.#open()).transaction(STORE, mode);
    } catch (error) {
      // The browser closed the database, as when the user clears site data: open it again, once.
      if (!(error instanceof DOMException && error.name === 'InvalidStateError')) throw error;
      this.#database = undefined;
      transaction = (await this.#open()).transaction(STORE, mode);
    }
    const complete = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? new DOMException('aborted', 'AbortError'));
    });
    const [result] = await Promise.all([act(transaction.objectStore(STORE)), complete]);
    return result;
  }

  #open(): Promise<IDBDatabase> {
    if (this.#database) return this.#database;
    const forget = () => {
      if (this.#database === opening) this.#database = undefined;
    };
    const opening = openDatabase(this.name, forget);
    this.#database = opening;
    opening.catch(forget); // so that the next operation opens it again
    return opening;
  }
}

/** @param onClosed called when the database can no longer be used */
function openDatabase(name: string, onClosed: () => void): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const database = request.result;
      database.onclose = onClosed;
      // Another page wants to delete the database, or a later kit to upgrade it: close it at once, so that they do not wait.
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
