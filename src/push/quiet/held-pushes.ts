import type { Queries } from '../../db/db.ts';
import { newId } from '../../db/ids.ts';
import { writePushLog } from '../log/push-log.ts';
import { quietUntil } from './quiet-times.ts';
import { type QuietRow, toQuiet } from './schemas.ts';

/** At the end of quiet hours that many users have in common, their pushes are spread over this time. */
const SPREAD_MS = 60_000;

/** A pending push, with the entry of the push log if it was held before. */
interface HeldRow {
  readonly user_id: string;
  readonly peer_id: string;
  readonly quiet_log: string | null;
}

/** Until when the pushes of a user are held, always as long after the end of their quiet time; `undefined` if it is not quiet. */
export function heldUntil(userId: string, row: QuietRow, now: number): number | undefined {
  const until = quietUntil(toQuiet(row), now);
  return until === undefined ? undefined : until + spreadOf(userId);
}

/** By FNV-1a, so that ids which differ in their last digit alone are far apart. */
function spreadOf(userId: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < userId.length; i++) hash = Math.imul(hash ^ userId.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % SPREAD_MS;
}

/**
 * Keeps a pair until the quiet time of its user ends, and says so in the push log. `cooldown_until` keeps when that was computed: later
 * than now, it was before the clock was set back.
 */
export async function holdPair(
  tx: Queries,
  { user_id: userId, peer_id: peerId, quiet_log }: HeldRow,
  until: number,
  now: number,
): Promise<void> {
  const logId = quiet_log ?? newId(now);
  const entry = { userId, peerId, kind: 'message', outcome: 'waiting', reason: 'quiet' } as const;
  await Promise.all([
    tx.run`
      update push_pending set due_at = ${until}, cooldown_until = ${now}, quiet_until = ${until}, quiet_log = ${logId}
      where user_id = ${userId} and peer_id = ${peerId}`,
    writePushLog(tx, { ...entry, waitingUntil: until }, now, logId),
  ]);
}

/** Computes again until when the user's pushes are held, in the transaction that changes their quiet hours behind the lock of their log. */
export async function updateHeldPushes(
  tx: Queries,
  userId: string,
  row: QuietRow,
  now: number,
): Promise<void> {
  const until = heldUntil(userId, row, now) ?? now;
  await Promise.all([
    tx.run`
      update push_jobs set due_at = ${until} where user_id = ${userId} and leased = 0 and log_id in (
        select id from push_log where user_id = ${userId} and outcome = 'waiting' and reason = 'quiet')`,
    tx.run`
      update push_pending set due_at = ${until}, cooldown_until = ${now}, quiet_until = ${until}
      where user_id = ${userId} and count > 0 and quiet_until is not null`,
    tx.run`
      update push_log set waiting_until = ${until}
      where user_id = ${userId} and outcome = 'waiting' and reason = 'quiet'`,
  ]);
}
