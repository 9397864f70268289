import type { Db, Tx } from '../../db/db.ts';
import { inList } from '../../db/fragments.ts';
import { lockFreeInboxes } from '../../inbox/locked-inboxes.ts';
import type { UserRow } from '../../users/schemas.ts';
import { endEntries, findEntries, writePushLog } from '../log/push-log.ts';
import { heldUntil, holdPair, updateHeldPushes } from '../quiet/held-pushes.ts';
import { type QuietRow, toQuiet } from '../quiet/schemas.ts';
import type { PushLogOutcome, SubscriptionRow } from '../schemas.ts';
import { sortDevices } from '../subscriptions/unconfirmed.ts';
import { originOf } from '../webpush/endpoint-guard.ts';
import { type Job, jobKey, LEASE_MS } from './jobs.ts';
import { type Pair, pairKey } from './pending.ts';

/** Time between two decisions about a pair, so that ten messages in a row ring once or twice. */
export const COOLDOWN_MS = 3_000;
/** The log says at most this often that a device is not notified, so that a stranger's subscriptions do not fill it. */
const UNCONFIRMED_LOG_INTERVAL_MS = 60 * 60 * 1000;
/** How many conversations ring at the end of quiet hours, the newest. */
const RINGING_AT_END = 3;

/** A row of `push_pending`; with a `count` of 0 it is only the cooldown after a decision. */
interface PendingRow {
  readonly user_id: string;
  readonly peer_id: string;
  readonly last_seq: number;
  readonly count: number;
  /** Until when it is or was held in quiet hours, and the entry of the push log that says so; else null. */
  readonly quiet_until: number | null;
  readonly quiet_log: string | null;
}

interface DeviceRow extends Pick<SubscriptionRow, 'endpoint' | 'id' | 'session_id' | 'unusable_since'> {
  user_id: string;
  /** When the latest confirmed device of its user was removed. */
  removed_at: number | null;
}

/** What stands between a recipient and the sender: a block, or a message request that is not accepted. */
interface Barrier {
  readonly is_blocked: number;
  readonly is_request: number;
}

type Recipient = Pick<UserRow, 'status' | 'push_enabled' | 'dnd_enabled'>;

/**
 * Decides about the pending pushes of `pairs`: it makes a job for each device, or an entry in the push log with the
 * reason for not sending. It also claims the new jobs, which saves a write. It locks the users' inboxes first,
 * so blocks and marks that were answered before are respected (architecture 8.2). It waits for no inbox, so that two nodes that
 * decide about the same pairs do not delay each other.
 *
 * @returns the jobs to send now, and whether pairs were left as another transaction had locked their inbox
 */
export async function decideDue(
  db: Db,
  pairs: readonly Pair[],
  now: number,
): Promise<{ jobs: Job[]; isHeld: boolean }> {
  const userIds = [...new Set(pairs.map((pair) => pair.userId))].sort();
  return db.transaction(async (tx) => {
    const [heads, due] = await Promise.all([
      lockFreeInboxes(tx, userIds),
      tx.all<PendingRow>`
        select user_id, peer_id, last_seq, count, quiet_until, quiet_log from push_pending
        where user_id in ${inList(userIds)} and due_at <= ${now}`,
    ]);
    const locked = due.filter((row) => heads.has(row.user_id));
    const unseen = locked.filter((row) => row.count > 0);
    const [jobs] = await Promise.all([
      decideUnseen(tx, unseen, now),
      unseen.length < locked.length &&
        tx.run`
          delete from push_pending
          where user_id in ${inList([...heads.keys()])} and count = 0 and due_at <= ${now}`,
    ]);
    return { jobs, isHeld: locked.length < due.length };
  });
}

async function decideUnseen(tx: Tx, unseen: readonly PendingRow[], now: number): Promise<Job[]> {
  if (unseen.length === 0) return [];
  const ids = [...new Set(unseen.map((row) => row.user_id))];
  const userIds = inList(ids);
  const peerIds = inList([...new Set(unseen.map((row) => row.peer_id))]);
  const [users, barriers, muted, devices, known, entries] = await Promise.all([
    tx.all<
      Recipient & QuietRow & Pick<UserRow, 'id'>
    >`select id, status, push_enabled, dnd_enabled, quiet.until, quiet.time_zone, quiet.windows
      from users left join quiet on quiet.user_id = users.id where id in ${userIds}`,
    tx.all<Barrier & Pair>`
      select blocker_id as "userId", blocked_id as "peerId", 1 as is_blocked, 0 as is_request
      from blocks where blocker_id in ${userIds} and blocked_id in ${peerIds}
      union all select user_id, peer_id, 0, 1 from message_requests
      where user_id in ${userIds} and peer_id in ${peerIds}
      order by 3`,
    tx.all<Pair>`
      select user_id as "userId", peer_id as "peerId" from conversation_settings
      where user_id in ${userIds} and peer_id in ${peerIds} and muted_until > ${now}`,
    // One statement, so that a confirmed device that is removed meanwhile appears in one of the two tables.
    tx.all<DeviceRow>`
      select subs.id, subs.user_id, subs.endpoint, subs.session_id, subs.unusable_since, last_confirmed.removed_at
      from push_subscriptions subs left join push_last_confirmed last_confirmed on last_confirmed.user_id = subs.user_id
      where subs.user_id in ${userIds}`,
    tx.all<{ subscription_id: string; peer_id: string }>`
      select subscription_id, peer_id from push_jobs where user_id in ${userIds} and peer_id in ${peerIds}`,
    findEntries(tx, 'unconfirmed', ids, now - UNCONFIRMED_LOG_INTERVAL_MS),
  ]);
  const userOf = new Map(users.map((user) => [user.id, user]));
  const reachable = users.filter((user) => reasonNotToSend(user, undefined) === undefined);
  const quietEndOf = new Map(reachable.map((user) => [user.id, heldUntil(user.id, toQuiet(user), now)]));
  // A block comes last, and so replaces a request of the same pair.
  const barrierOf = new Map(barriers.map((row) => [pairKey(row), row]));
  const devicesOf = Map.groupBy(devices, (device) => device.user_id);
  const isMuted = new Set(muted.map(pairKey));
  const isKnown = new Set(
    known.map((row) => jobKey({ subscriptionId: row.subscription_id, peerId: row.peer_id })),
  );

  const logged = new Set(entries.map((entry) => entry.subscription_id));
  /** How many of a user's conversations ring whose quiet hours are over. */
  const ringing = new Map<string, number>();
  const jobs: Job[] = [];
  const writes: Promise<unknown>[] = [];
  // Thousands of a user's pairs may be due when quiet hours end, so they are written together.
  const heldAgain = new Set<string>();
  const decided: Pair[] = [];
  const endedHeld: { reason: PushLogOutcome; logId: string }[] = [];
  // The newest first.
  for (const row of unseen.toSorted((a, b) => b.last_seq - a.last_seq)) {
    const pair = { userId: row.user_id, peerId: row.peer_id };
    const quietEnd = quietEndOf.get(row.user_id);
    const refusal = reasonNotToSend(userOf.get(row.user_id), barrierOf.get(pairKey(pair)));
    if (!refusal && quietEnd !== undefined) {
      if (row.quiet_log) heldAgain.add(row.user_id);
      else writes.push(holdPair(tx, pair, quietEnd, now));
      continue;
    }
    decided.push(pair);
    const { notified, unconfirmed } = sortDevices(devicesOf.get(row.user_id) ?? [], now);
    const before = ringing.get(row.user_id) ?? 0;
    const isSurplus = row.quiet_until !== null && before >= RINGING_AT_END;
    const silence = refusal ?? (isSurplus ? 'quiet' : isMuted.has(pairKey(pair)) ? 'muted' : undefined);
    const reason = silence ?? (notified.length === 0 ? 'no_device' : undefined);
    for (const { id } of silence ? [] : unconfirmed)
      if (!logged.has(id)) {
        logged.add(id);
        const entry = { ...pair, kind: 'message', subscriptionId: id, outcome: 'unconfirmed' } as const;
        writes.push(writePushLog(tx, entry, now));
      }
    if (reason) {
      if (row.quiet_log) endedHeld.push({ reason, logId: row.quiet_log });
      else writes.push(writePushLog(tx, { ...pair, kind: 'message', outcome: reason }, now));
      continue;
    }
    if (row.quiet_until !== null) ringing.set(row.user_id, before + 1);
    let quietLog = row.quiet_log;
    for (const device of notified) {
      const job = { subscriptionId: device.id, ...pair, lastSeq: row.last_seq };
      const isNew = !isKnown.has(jobKey(job));
      const leaseUntil = now + LEASE_MS;
      // The entry of a pair that was held gets the result of its first new job.
      const logId = (isNew && quietLog) || '';
      if (logId !== '') {
        writes.push(tx.run`update push_log set subscription_id = ${device.id} where id = ${logId}`);
        quietLog = null;
      }
      // A job that is known keeps when it is due and who holds its lease. Recording a result takes no inbox lock, so it may have been
      // finished meanwhile: then it is made again, due now.
      writes.push(tx.run`
        insert into push_jobs (subscription_id, peer_id, user_id, last_seq, due_at, leased, decided_at, log_id)
        values (${device.id}, ${row.peer_id}, ${row.user_id}, ${row.last_seq}, ${isNew ? leaseUntil : now}, ${isNew ? 1 : 0}, ${now}, ${logId})
        on conflict (subscription_id, peer_id) do update set last_seq = excluded.last_seq, decided_at = excluded.decided_at`);
      if (isNew) jobs.push({ ...job, origin: originOf(device.endpoint), leaseUntil });
    }
    // Its devices have a job that waits, which has an entry.
    if (quietLog) writes.push(tx.run`delete from push_log where id = ${quietLog}`);
  }
  const cooldownUntil = now + COOLDOWN_MS;
  for (const [userId, pairs] of Map.groupBy(decided, (pair) => pair.userId))
    writes.push(tx.run`
      update push_pending set count = 0, due_at = ${cooldownUntil}, cooldown_until = ${cooldownUntil},
        quiet_until = null, quiet_log = null
      where user_id = ${userId} and peer_id in ${inList(pairs.map(({ peerId }) => peerId))}`);
  for (const user of users)
    if (heldAgain.has(user.id)) writes.push(updateHeldPushes(tx, user.id, toQuiet(user), now));
  for (const [reason, ended] of Map.groupBy(endedHeld, (entry) => entry.reason)) {
    const logIds = ended.map(({ logId }) => logId);
    writes.push(endEntries(tx, logIds, { outcome: reason }, now));
  }
  await Promise.all(writes);
  return jobs;
}

/** Why no device of a recipient gets a push, apart from quiet hours; checked in the decision, and directly before sending. */
export function reasonNotToSend(
  user: Recipient | undefined,
  barrier: Barrier | undefined,
): PushLogOutcome | undefined {
  if (user?.status !== 'active') return 'account_closed';
  if (barrier?.is_blocked) return 'blocked';
  if (barrier?.is_request) return 'request';
  if (user.push_enabled === 0) return 'off';
  if (user.dnd_enabled === 1) return 'dnd';
  return undefined;
}
