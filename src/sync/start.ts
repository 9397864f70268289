import type { Db } from '../db/db.ts';
import { canResume, readHead } from '../inbox/inbox.ts';
import { listBlockedIds } from '../relations/blocks.ts';

/** Where a device was in the log when it last heard of it. */
export interface Position {
  readonly epoch?: string;
  readonly seq?: number;
}

/** From where a device that comes is served. */
export interface Start {
  /** The number of the user's last event. */
  readonly head: number;
  /** The device gets the events after this one. */
  readonly cursor: number;
  /** Whether it misses nothing by that; else it has to sync. */
  readonly resumed: boolean;
  /** The users whom the user blocks. */
  readonly blocked: ReadonlySet<string>;
}

/**
 * A device that names no position, or one that is void (another epoch, trimmed, ahead of the head), gets none of the past;
 * `seq` 0 without an epoch asks for all that is kept (architecture 4).
 *
 * @param epoch the one of this database
 */
export async function findStart(db: Db, userId: string, epoch: string, asked: Position): Promise<Start> {
  for (;;) {
    const head = await readHead(db, userId);
    const blocked = await listBlockedIds(db, userId);
    const resumed =
      asked.seq !== undefined && isOf(epoch, asked) && (await canResume(db, userId, asked.seq, head));
    // Every block is an event: if none came meanwhile, what was read is true at this head.
    if ((await readHead(db, userId)) !== head) continue;
    return { head, cursor: resumed ? (asked.seq ?? head) : head, resumed, blocked: new Set(blocked) };
  }
}

function isOf(epoch: string, asked: Position): boolean {
  return asked.epoch === epoch || (asked.epoch === undefined && asked.seq === 0);
}
