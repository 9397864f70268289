import type { Db } from '../db/db.ts';
import { readHead } from '../inbox/inbox.ts';
import { canResume } from '../inbox/stored-events.ts';
import { listBlockedIds } from '../relations/blocks.ts';

/** How far a device is in the event log, as it says in `hello`. */
interface Position {
  readonly epoch?: string;
  readonly seq?: number;
}

/** Where the delivery to a device that connects begins. */
export interface Start {
  readonly epoch: string;
  readonly head: number;
  /** The device gets the events after this one. */
  readonly cursor: number;
  /** Whether these are all events that the device does not have; if false, it has to sync. */
  readonly resumed: boolean;
  /** The users that the user blocks. */
  readonly blocked: ReadonlySet<string>;
}

/**
 * Decides from which event on a device is served. Without a position, or with a void one (of another epoch, trimmed, or ahead of the
 * head), it gets no past events. `seq` 0 without an epoch asks for all events that are kept (architecture 4).
 *
 * @param epochNow the epoch of this database, which may be renewed meanwhile
 */
export async function findStart(
  db: Db,
  userId: string,
  epochNow: () => string,
  position: Position,
): Promise<Start> {
  for (;;) {
    const epoch = epochNow();
    const head = await readHead(db, userId);
    const blocked = await listBlockedIds(db, userId);
    const resumed =
      position.seq !== undefined &&
      isOfEpoch(position, epoch) &&
      (await canResume(db, userId, position.seq, head));
    // A block is an event too: without a new event, the blocks that were read are those at this head.
    if ((await readHead(db, userId)) !== head) continue;
    return {
      epoch,
      head,
      cursor: resumed ? (position.seq ?? head) : head,
      resumed,
      blocked: new Set(blocked),
    };
  }
}

function isOfEpoch(position: Position, epoch: string): boolean {
  return position.epoch === epoch || (position.epoch === undefined && position.seq === 0);
}
