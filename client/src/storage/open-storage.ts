import { IndexedDbStorage } from './indexed-db-storage.ts';
import { MemoryStorage } from './memory-storage.ts';
import type { DoormanStorage } from './storage.ts';

/**
 * Opens IndexedDB in browsers and their workers, else memory. Pages and workers of one origin share what has the same name;
 * `createDoorman` without a storage takes the default one.
 */
export function openStorage(name = 'doorman'): DoormanStorage {
  return typeof indexedDB === 'undefined' ? new MemoryStorage() : new IndexedDbStorage(name);
}
