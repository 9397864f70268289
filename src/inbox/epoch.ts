import type { Db, Tx } from '../db/db.ts';
import {
  getOrCreateValue,
  getValue,
  lockValue,
  replaceValue,
  storeFirst,
} from '../db/installation-values.ts';
import { recordExternalChange } from '../events/changes.ts';

const EPOCH = 'epoch';
/** The timeline of PostgreSQL that was served last, followed by `renewed` if the epoch was renewed for it. */
const TIMELINE = 'timeline';
const RENEWED = 'renewed';

/** The epoch of this database, created at the first call. Positions of another epoch are void (architecture 4). */
export async function readEpoch(db: Db): Promise<string> {
  return getOrCreateValue(db, EPOCH, createEpoch);
}

/** For a restored backup: numbers of events that devices have seen will be used again for others. @returns the new epoch */
export async function renewEpoch(db: Db): Promise<string> {
  await readEpoch(db);
  return db.transaction(writeNewEpoch);
}

async function writeNewEpoch(tx: Tx): Promise<string> {
  const epoch = createEpoch();
  await replaceValue(tx, EPOCH, epoch);
  await recordExternalChange(tx);
  return epoch;
}

/** The state of a process that meets a timeline of PostgreSQL. */
interface Timeline {
  readonly timeline: string;
  /** The one that it used before; undefined at its start. */
  readonly before: string | undefined;
  readonly epoch: string;
  /** Whether it knows of an event that is gone. */
  readonly isLost: boolean;
}

/**
 * Stores that the database has this timeline, and renews the epoch if events were lost, or may be: when a server starts on another
 * timeline than the stored one, no one remembers. Of several processes that find it the first one renews. Where no timeline is
 * stored, as at the first start, it is stored and nothing else.
 *
 * @returns the epoch that is valid now
 */
export async function settleTimeline(tx: Tx, { timeline, before, epoch, isLost }: Timeline): Promise<string> {
  await storeFirst(tx, EPOCH, epoch);
  await storeFirst(tx, TIMELINE, before ?? timeline);
  const [settled, renewal] = (await lockValue(tx, TIMELINE))?.split(' ') ?? [];
  const stored = (await getValue(tx, EPOCH)) ?? epoch;
  const isFirst = settled !== timeline;
  // An earlier renewal can be among what was lost.
  const mayBeLost = isFirst && (before === undefined || stored !== epoch);
  const isRenewed = mayBeLost || (isLost && (isFirst || renewal !== RENEWED));
  if (!isFirst && !isRenewed) return stored;
  await replaceValue(tx, TIMELINE, isRenewed ? `${timeline} ${RENEWED}` : timeline);
  return isRenewed ? writeNewEpoch(tx) : stored;
}

export function getEpoch(tx: Tx): Promise<string | undefined> {
  return getValue(tx, EPOCH);
}

function createEpoch(): string {
  return crypto.randomUUID().slice(0, 8);
}
