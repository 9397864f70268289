import type { Db } from '../db/db.ts';
import { getOrCreateValue, replaceValue } from '../db/installation-values.ts';

const EPOCH = 'epoch';

/** The epoch of this database, created at the first call. Positions of another epoch are void (architecture 4). */
export async function readEpoch(db: Db): Promise<string> {
  return getOrCreateValue(db, EPOCH, createEpoch);
}

/** For a restored backup: numbers of events that devices have seen will be used again for others. @returns the new epoch */
export async function renewEpoch(db: Db): Promise<string> {
  await readEpoch(db);
  const epoch = createEpoch();
  await replaceValue(db, EPOCH, epoch);
  return epoch;
}

function createEpoch(): string {
  return crypto.randomUUID().slice(0, 8);
}
