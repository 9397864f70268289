import type { DoormanStorage } from 'doorman-client';
import { Store } from '../data/store.ts';

/** With the 2 s of the kit that follow, 10 s in all. */
const LIMIT_MS = 8_000;

/**
 * Waits until the storage answers, rejects, or `limitMs` have passed. On a slow disk a browser may take seconds to create or
 * open its database. The kit waits 2 s for an operation and then goes on in memory, so without this wait a user with a
 * session would be asked to sign in.
 */
export async function waitForStorage(storage: DoormanStorage, limitMs = LIMIT_MS): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([firstAnswer(storage), limit]);
  clearTimeout(timer);
}

/** The kit reads the value again, and meets the same error. */
async function firstAnswer(storage: DoormanStorage): Promise<void> {
  try {
    await storage.get('session');
  } catch {}
}

/** What the browser's storage has failed with; `undefined` while it works, or after the user read it. */
export const storageFailure = new Store<'full' | 'other' | undefined>(undefined);

/** @param error what the kit reports: what the storage threw, absent after a timeout */
export function onStorageFailure(error: unknown): void {
  console.warn(
    'Nothing more is stored in this browser; the page keeps its data in memory:',
    error ?? 'no answer in time',
  );
  storageFailure.set(error instanceof Error && error.name === 'QuotaExceededError' ? 'full' : 'other');
}
