import type { Db } from '../../db/db.ts';
import type { ApiKey } from '../../http/authenticate.ts';
import { findKey, hashOfKey, hourOf, touchKeys } from './api-keys.ts';

/** Bounds the memory of the cache: an operator has a few keys. */
const MAX_CACHED_KEYS = 1_000;

/**
 * Finds API keys by what callers send. A key that was found is cached until a command of the operator wrote to the database; one that
 * was not is looked for each time.
 *
 * @param isCurrent whether cached keys may be believed
 */
export function openKeyLookup(db: Db, now: () => number, isCurrent: () => boolean) {
  const cached = new Map<string, { readonly key: ApiKey; usedAt: number }>();
  /** The hour in which each key was used, where it is not stored yet. */
  const used = new Map<string, number>();
  /** Rises with each invalidation, so that what was read before one is not cached. */
  let invalidations = 0;

  async function load(hash: string) {
    for (;;) {
      const before = invalidations;
      const found = await findKey(db, hash);
      if (before !== invalidations) continue;
      if (!found) return undefined;
      const entry = { key: found, usedAt: found.usedAt };
      if (cached.size >= MAX_CACHED_KEYS) cached.clear();
      cached.set(hash, entry);
      return entry;
    }
  }

  return {
    /** The key that was sent; `undefined` if it is none, unknown or revoked. */
    async find(sent: string): Promise<ApiKey | undefined> {
      const hash = hashOfKey(sent);
      if (hash === undefined) return undefined;
      const entry = (isCurrent() ? cached.get(hash) : undefined) ?? (await load(hash));
      if (!entry) return undefined;
      const hour = hourOf(now());
      if (entry.usedAt < hour) {
        entry.usedAt = hour;
        used.set(entry.key.id, hour);
      }
      return entry.key;
    },

    invalidateAll(): void {
      invalidations++;
      cached.clear();
    },

    /** Stores the hours in which keys were used since the last call, and what a call that failed did not store. */
    async flushUse(): Promise<void> {
      const hours = [...used];
      await touchKeys(db, hours);
      for (const [id, hour] of hours) if (used.get(id) === hour) used.delete(id);
    },
  };
}
