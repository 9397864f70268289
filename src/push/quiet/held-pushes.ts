import type { Queries } from '../../db/db.ts';
import { newId } from '../../db/ids.ts';
import type { Quiet } from '../../events/log-events.ts';
import { writePushLog } from '../log/push-log.ts';
import { TTL_SECONDS } from '../webpush/client.ts';
import { quietUntil } from './quiet-times.ts';

/** At the end of quiet hours that many users have in common, their pushes are spread over this time. */
const SPREAD_MS = 60_000;

/** A recipient and the sender of the messages. */
interface HeldPair {
  readonly userId: string;
  readonly peerId: string;
}

/** Until when the pushes of a user are held, always as long after the end of their quiet time; `undefined` if it is not quiet. */
export function heldUntil(userId: string, quiet: Quiet, now: number): number | undefined {
  const until = quietUntil(quiet, now);
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
  { userId, peerId }: HeldPair,
  until: number,
  now: number,
): Promise<void> {
  const logId = newId(now);
  const entry = { userId, peerId, kind: 'message', outcome: 'waiting', reason: 'quiet' } as const;
  await Promise.all([
    tx.run`
      update push_pending set due_at = ${until}, cooldown_until = ${now}, quiet_until = ${until}, quiet_log = ${logId}
      where user_id = ${userId} and peer_id = ${peerId}`,
    writePushLog(tx, { ...entry, waitingUntil: until }, now, logId),
  ]);
}

/**
 * Computes again until when the user's pushes are held, behind the lock of their log. A job that would wait longer than 24 hours is
 * due, and ends.
 */
export async function updateHeldPushes(
  tx: Queries,
  userId: string,
  quiet: Quiet,
  now: number,
): Promise<void> {
  const until = heldUntil(userId, quiet, now) ?? now;
  await Promise.all([
    tx.run`
      update push_jobs set due_at = case when decided_at > ${until - TTL_SECONDS * 1000} then ${until} else decided_at end
      where user_id = ${userId} and leased = 0 and log_id in (
        select id from push_log where user_id = ${userId} and outcome = 'waiting' and reason = 'quiet')`,
    tx.run`
      update push_pending set due_at = ${until}, cooldown_until = ${now}, quiet_until = ${until}
      where user_id = ${userId} and count > 0 and quiet_until is not null`,
    tx.run`
      update push_log set waiting_until = ${until}
      where user_id = ${userId} and outcome = 'waiting' and reason = 'quiet'`,
  ]);
}
