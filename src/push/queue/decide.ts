import type { Db, Tx } from '../../db/db.ts';
import { inList } from '../../db/fragments.ts';
import { lockFreeInboxes } from '../../inbox/locked-inboxes.ts';
import { addToPushLog } from '../log/push-log.ts';
import type { PushLogOutcome } from '../schemas.ts';
import {
  deviceNameInLog,
  findLogged,
  sortDevices,
  UNCONFIRMED_INTERVAL_MS,
} from '../subscriptions/unconfirmed.ts';
import { originOf } from '../webpush/origin.ts';
import { type Job, LEASE_MS } from './jobs.ts';
import { CLOCK_TOLERANCE_MS, LONGEST_PENDING_MS, type Pair, pairKey } from './pending.ts';

/** Time between two decisions about a pair, so that ten messages in a row ring once or twice. */
const COOLDOWN_MS = 3_000;

/** Pairs to decide at once, before the time in their row, as no attentive device was connected; by {@link pairKey}. */
type Immediate = ReadonlyMap<string, Pair>;

interface Decisions {
  /** Jobs to send now, claimed by this process; empty without `claim`. */
  readonly jobs: Job[];
  /** Pairs that were decided now, and the end of their cooldown. */
  readonly decided: { pair: Pair; until: number }[];
  /** Immediate pairs that are in the cooldown of the decision before, and its end. */
  readonly coolingDown: { pair: Pair; until: number }[];
  /** Pairs whose inbox another transaction has locked: nothing was decided about them. */
  readonly held: Pair[];
}

interface DecideOptions {
  readonly claim: boolean;
  readonly now: number;
}

interface PendingRow {
  user_id: string;
  peer_id: string;
  last_seq: number;
  count: number;
  due_at: number;
  cooldown_until: number;
}

interface DeviceRow {
  id: string;
  user_id: string;
  endpoint: string;
  user_agent: string;
  session_id: string | null;
  unusable_since: number | null;
  not_before: number;
  last_notified_at: number;
  /** When the latest confirmed device of its user was removed. */
  removed_at: number | null;
}

interface UserRow {
  id: string;
  status: string;
  push_enabled: number;
  dnd_enabled: number;
}

/** Whether a wait is over: its end has passed, or lies so far ahead that the clock must have been set back. */
function isOver(until: number, now: number, longestMs: number): boolean {
  return until <= now || until > now + longestMs;
}

/**
 * Decides about the pending pushes of `pairs`: it makes a job for each device, or an entry in the push log with the
 * reason for not sending. With `claim` it also claims the jobs, which saves a write. It locks the users' inboxes first,
 * so blocks and marks that were answered before are respected (architecture 8.2). It waits for no inbox, so that two nodes that
 * decide about the same pairs do not delay each other.
 */
export async function decideDue(
  db: Db,
  pairs: readonly Pair[],
  immediate: Immediate,
  { claim, now }: DecideOptions,
): Promise<Decisions> {
  const userIds = [...new Set(pairs.map((pair) => pair.userId))].sort();
  return db.transaction(async (tx) => {
    const [heads, rows] = await Promise.all([
      lockFreeInboxes(tx, userIds),
      tx.all<PendingRow>`
        select user_id, peer_id, last_seq, count, due_at, cooldown_until from push_pending
        where user_id in ${inList(userIds)}`,
    ]);
    const decisions: Decisions = { jobs: [], decided: [], coolingDown: [], held: [] };
    const due: PendingRow[] = [];
    for (const row of rows) {
      const pair = { userId: row.user_id, peerId: row.peer_id };
      const isImmediate = immediate.has(pairKey(pair)) && row.count > 0;
      const isDue =
        isOver(row.due_at, now, LONGEST_PENDING_MS) ||
        (isImmediate && isOver(row.cooldown_until, now, COOLDOWN_MS + CLOCK_TOLERANCE_MS));
      if (!heads.has(row.user_id)) {
        if (isDue || isImmediate) decisions.held.push(pair);
      } else if (isDue) {
        due.push(row);
        if (row.count > 0) decisions.decided.push({ pair, until: now + COOLDOWN_MS });
      } else if (isImmediate) decisions.coolingDown.push({ pair, until: row.cooldown_until });
    }
    const cooledDown = due.filter((row) => row.count === 0);
    const unseen = due.filter((row) => row.count > 0);
    await Promise.all(
      cooledDown.map(
        (row) => tx.run`delete from push_pending where user_id = ${row.user_id} and peer_id = ${row.peer_id}`,
      ),
    );
    if (unseen.length > 0) await decideUnseen(tx, unseen, { claim, now }, decisions.jobs);
    return decisions;
  });
}

async function decideUnseen(
  tx: Tx,
  unseen: readonly PendingRow[],
  options: DecideOptions,
  jobs: Job[],
): Promise<void> {
  const { now } = options;
  const ids = [...new Set(unseen.map((row) => row.user_id))];
  const userIds = inList(ids);
  const peerIds = inList([...new Set(unseen.map((row) => row.peer_id))]);
  const [users, blocks, devices, known, logged] = await Promise.all([
    tx.all<UserRow>`select id, status, push_enabled, dnd_enabled from users where id in ${userIds}`,
    tx.all<{ blocker_id: string; blocked_id: string }>`
      select blocker_id, blocked_id from blocks where blocker_id in ${userIds} and blocked_id in ${peerIds}`,
    // One statement, so that a confirmed device that is removed meanwhile appears in one of the two tables.
    tx.all<DeviceRow>`
      select subs.id, subs.user_id, subs.endpoint, subs.user_agent, subs.session_id, subs.unusable_since, subs.not_before,
        subs.last_notified_at, last_confirmed.removed_at
      from push_subscriptions subs left join push_last_confirmed last_confirmed on last_confirmed.user_id = subs.user_id
      where subs.user_id in ${userIds}`,
    tx.all<{ subscription_id: string; peer_id: string }>`
      select subscription_id, peer_id from push_jobs where user_id in ${userIds} and peer_id in ${peerIds}`,
    findLogged(tx, ids, now),
  ]);
  const userOf = new Map(users.map((user) => [user.id, user]));
  const blocked = new Set(blocks.map((row) => `${row.blocker_id} ${row.blocked_id}`));
  const devicesOf = Map.groupBy(devices, (device) => device.user_id);
  const isKnown = new Set(known.map((row) => `${row.subscription_id} ${row.peer_id}`));

  const writes: Promise<unknown>[] = [];
  for (const row of unseen) {
    const pair = { userId: row.user_id, peerId: row.peer_id };
    const cooldownUntil = now + COOLDOWN_MS;
    writes.push(tx.run`
      update push_pending set count = 0, due_at = ${cooldownUntil}, cooldown_until = ${cooldownUntil}
      where user_id = ${row.user_id} and peer_id = ${row.peer_id}`);
    const { notified, unconfirmed } = sortDevices(devicesOf.get(row.user_id) ?? [], now);
    const reason = reasonNotToSend(userOf.get(row.user_id), blocked.has(pairKey(pair)), notified.length);
    for (const { id } of !reason || reason === 'no_device' ? unconfirmed : [])
      if (!logged.has(id)) {
        logged.add(id);
        const entry = { ...pair, kind: 'message', subscriptionId: id, outcome: 'unconfirmed' } as const;
        writes.push(addToPushLog(tx, entry, now));
      }
    if (reason) {
      writes.push(addToPushLog(tx, { ...pair, kind: 'message', outcome: reason }, now));
      continue;
    }
    for (const device of notified) {
      const open = () => openJob(tx, device, row, options, jobs);
      writes.push(
        isKnown.has(`${device.id} ${row.peer_id}`)
          ? // The job may have been finished since it was read, as recording a result takes no inbox lock.
            extendJob(tx, device, row, now).then((isThere) => (isThere ? undefined : open()))
          : open(),
      );
    }
  }
  await Promise.all(writes);
}

function reasonNotToSend(
  user: UserRow | undefined,
  isBlocked: boolean,
  devices: number,
): PushLogOutcome | undefined {
  if (user?.status !== 'active') return 'account_closed';
  if (isBlocked) return 'blocked';
  if (user.push_enabled === 0) return 'off';
  if (user.dnd_enabled === 1) return 'dnd';
  return devices === 0 ? 'no_device' : undefined;
}

/** Adds messages to a job, without changing when it is due or who holds its lease. @returns whether the job exists */
async function extendJob(tx: Tx, device: DeviceRow, row: PendingRow, now: number): Promise<boolean> {
  const extended = await tx.run`
    update push_jobs set last_seq = ${row.last_seq}, decided_at = ${now}
    where subscription_id = ${device.id} and peer_id = ${row.peer_id}`;
  return extended > 0;
}

async function openJob(
  tx: Tx,
  device: DeviceRow,
  row: PendingRow,
  { claim, now }: DecideOptions,
  jobs: Job[],
): Promise<void> {
  const { id, user_id: userId } = device;
  const { peer_id: peerId, last_seq: lastSeq } = row;
  const unconfirmedUntil = device.session_id === null ? device.last_notified_at + UNCONFIRMED_INTERVAL_MS : 0;
  const waitingUntil = Math.max(device.not_before, unconfirmedUntil);
  let logId = '';
  if (waitingUntil > now) {
    const reason = waitingUntil === unconfirmedUntil ? 'unconfirmed_rate' : 'push_service_paused';
    logId = await addToPushLog(
      tx,
      {
        userId,
        peerId,
        kind: 'message',
        subscriptionId: id,
        deviceName: deviceNameInLog(device),
        outcome: 'waiting',
        reason,
        waitingUntil,
      },
      now,
    );
  }
  const leased = claim && waitingUntil <= now ? 1 : 0;
  const dueAt = leased ? now + LEASE_MS : Math.max(waitingUntil, now);
  await tx.run`
    insert into push_jobs (subscription_id, peer_id, user_id, last_seq, due_at, leased, decided_at, log_id)
    values (${id}, ${peerId}, ${userId}, ${lastSeq}, ${dueAt}, ${leased}, ${now}, ${logId})`;
  if (leased)
    jobs.push({
      subscriptionId: id,
      peerId,
      userId,
      lastSeq,
      origin: originOf(device.endpoint),
      leaseUntil: dueAt,
    });
}
