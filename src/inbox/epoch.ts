import type { Db } from '../db/db.ts';
import { getOrCreateValue, replaceValue } from '../db/installation-values.ts';

const EPOCH = 'epoch';

/** The name of this state of the database, made with it: positions in logs of another are void (architecture 4). */
export async function readEpoch(db: Db): Promise<string> {
  return getOrCreateValue(db, EPOCH, makeEpoch);
}

/** After a restore, numbers that devices have seen may come again for other events. @returns the new epoch */
export async function renewEpoch(db: Db): Promise<string> {
  await readEpoch(db);
  const epoch = makeEpoch();
  await replaceValue(db, EPOCH, epoch);
  return epoch;
}

function makeEpoch(): string {
  return crypto.randomUUID().slice(0, 8);
}
