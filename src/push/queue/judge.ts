import type { Db, Queries, Tx } from '../../db/db.ts';
import { holdInbox } from '../../inbox/inbox.ts';
import { addToPushLog } from '../log/push-log.ts';
import type { PushLogOutcome } from '../schemas.ts';
import {
  deviceNameInLog,
  findLogged,
  sortDevices,
  UNCONFIRMED_INTERVAL_MS,
} from '../subscriptions/unconfirmed.ts';
import { type Job, LEASE_MS, originOf } from './jobs.ts';

/** After a decision its pair rests, so that ten messages ring once or twice. */
const REST_MS = 3_000;
/** A pair waits 5 s after a message or 3 s after a decision; what waits longer was written before the clock was set back. */
const LONGEST_WAIT_MS = 8_000;

/** A user who may have to be told of a peer's messages. */
export interface Pair {
  readonly userId: string;
  readonly peerId: string;
}

/** Pairs that are due at once although their row says later, as nobody was there to see; by {@link pairKey}. */
export type Urgent = ReadonlyMap<string, Pair>;

export interface Judgement {
  /** Devices to be told now, claimed; none if nothing was to be claimed. */
  readonly jobs: Job[];
  /** Urgent pairs that rest after the decision before, and until when. */
  readonly resting: { pair: Pair; until: number }[];
}

interface Circumstances {
  readonly claim: boolean;
  readonly now: number;
}

interface DueRow {
  user_id: string;
  peer_id: string;
  last_seq: number;
  count: number;
  due_at: number;
  rests_until: number;
}

interface DeviceRow {
  id: string;
  user_id: string;
  endpoint: string;
  user_agent: string;
  session_id: string | null;
  unusable_since: number | null;
  not_before: number;
  told_at: number;
  /** When the latest confirmed device of its user was removed. */
  removed_at: number | null;
}

interface UserRow {
  id: string;
  status: string;
  push_enabled: number;
  dnd_enabled: number;
}

export function pairKey({ userId, peerId }: Pair): string {
  return `${userId} ${peerId}`;
}

/** Pairs whose time has come, the longest due first. */
export async function findDue(db: Queries, now: number, limit: number): Promise<Pair[]> {
  return db.all<Pair>`
    select user_id as "userId", peer_id as "peerId" from push_due where due_at <= ${now} order by due_at limit ${limit}`;
}

/** Pairs that wait longer than any can. */
export async function findOverlong(db: Queries, now: number): Promise<Pair[]> {
  return db.all<Pair>`
    select user_id as "userId", peer_id as "peerId" from push_due where due_at > ${now + LONGEST_WAIT_MS}`;
}

/** Whether a wait is over: its moment is there, or too far away to have been meant by this clock. */
function isOver(until: number, now: number, longestMs: number): boolean {
  return until <= now || until > now + longestMs;
}

/** When the next pair is due, epoch milliseconds. */
export async function nextDueAt(db: Queries): Promise<number | undefined> {
  const row = await db.get<{ at: number | null }>`select min(due_at) as at from push_due`;
  return row?.at ?? undefined;
}

/**
 * Decides what becomes of messages that nobody has seen: a job for each device, or an entry in the log that says why
 * not. With `claim`, jobs are claimed with their making, which saves a write. Behind the locks of the users' inboxes, so that a block or a mark that was answered before counts (architecture 8.2).
 */
export async function judgeDue(
  db: Db,
  pairs: readonly Pair[],
  urgent: Urgent,
  { claim, now }: Circumstances,
): Promise<Judgement> {
  const userIds = [...new Set(pairs.map((pair) => pair.userId))].sort();
  return db.transaction(async (tx) => {
    await Promise.all(userIds.map((userId) => holdInbox(tx, userId)));
    const rows = await tx.all<DueRow>`
      select user_id, peer_id, last_seq, count, due_at, rests_until from push_due where user_id in ${tx.list(userIds)}`;
    const judgement: Judgement = { jobs: [], resting: [] };
    const due: DueRow[] = [];
    for (const row of rows) {
      const pair = { userId: row.user_id, peerId: row.peer_id };
      const isUrgent = urgent.has(pairKey(pair));
      const isDue =
        isOver(row.due_at, now, LONGEST_WAIT_MS) ||
        (isUrgent && row.count > 0 && isOver(row.rests_until, now, REST_MS));
      if (isDue) due.push(row);
      else if (isUrgent && row.count > 0) judgement.resting.push({ pair, until: row.rests_until });
    }
    const rested = due.filter((row) => row.count === 0);
    const unseen = due.filter((row) => row.count > 0);
    await Promise.all(
      rested.map(
        (row) => tx.run`delete from push_due where user_id = ${row.user_id} and peer_id = ${row.peer_id}`,
      ),
    );
    if (unseen.length > 0) await judgeUnseen(tx, unseen, { claim, now }, judgement.jobs);
    return judgement;
  });
}

async function judgeUnseen(
  tx: Tx,
  unseen: readonly DueRow[],
  circumstances: Circumstances,
  jobs: Job[],
): Promise<void> {
  const { now } = circumstances;
  const ids = [...new Set(unseen.map((row) => row.user_id))];
  const userIds = tx.list(ids);
  const peerIds = tx.list([...new Set(unseen.map((row) => row.peer_id))]);
  const [users, blocks, devices, known, noted] = await Promise.all([
    tx.all<UserRow>`select id, status, push_enabled, dnd_enabled from users where id in ${userIds}`,
    tx.all<{ blocker_id: string; blocked_id: string }>`
      select blocker_id, blocked_id from blocks where blocker_id in ${userIds} and blocked_id in ${peerIds}`,
    // In one statement, so that a confirmed device that is removed meanwhile is seen in one of the two tables.
    tx.all<DeviceRow>`
      select subs.id, subs.user_id, subs.endpoint, subs.user_agent, subs.session_id, subs.unusable_since, subs.not_before,
        subs.told_at, last_confirmed.removed_at
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
    const rested = now + REST_MS;
    writes.push(tx.run`
      update push_due set count = 0, due_at = ${rested}, rests_until = ${rested}
      where user_id = ${row.user_id} and peer_id = ${row.peer_id}`);
    const { notified, unconfirmed } = sortDevices(devicesOf.get(row.user_id) ?? [], now);
    const not = whyNot(userOf.get(row.user_id), blocked.has(pairKey(pair)), notified.length);
    for (const { id } of !not || not === 'no_device' ? unconfirmed : [])
      if (!noted.has(id)) {
        noted.add(id);
        const why = { ...pair, kind: 'message', subscriptionId: id, outcome: 'unconfirmed' } as const;
        writes.push(addToPushLog(tx, why, now));
      }
    if (not) {
      writes.push(addToPushLog(tx, { ...pair, kind: 'message', outcome: not }, now));
      continue;
    }
    for (const device of notified) {
      const open = () => openJob(tx, device, row, circumstances, jobs);
      writes.push(
        isKnown.has(`${device.id} ${row.peer_id}`)
          ? // It may have been sent and closed since it was read: nothing keeps whoever records that out.
            extendJob(tx, device, row, now).then((isThere) => (isThere ? undefined : open()))
          : open(),
      );
    }
  }
  await Promise.all(writes);
}

function whyNot(user: UserRow | undefined, isBlocked: boolean, devices: number): PushLogOutcome | undefined {
  if (user?.status !== 'active') return 'account_closed';
  if (isBlocked) return 'blocked';
  if (user.push_enabled === 0) return 'off';
  if (user.dnd_enabled === 1) return 'dnd';
  return devices === 0 ? 'no_device' : undefined;
}

/** Its time stays the push service's, or that of the process which has it. @returns whether there is such a job */
async function extendJob(tx: Tx, device: DeviceRow, row: DueRow, now: number): Promise<boolean> {
  const extended = await tx.run`
    update push_jobs set last_seq = ${row.last_seq}, since = ${now}
    where subscription_id = ${device.id} and peer_id = ${row.peer_id}`;
  return extended > 0;
}

async function openJob(
  tx: Tx,
  device: DeviceRow,
  row: DueRow,
  { claim, now }: Circumstances,
  jobs: Job[],
): Promise<void> {
  const { id, user_id: userId } = device;
  const { peer_id: peerId, last_seq: lastSeq } = row;
  const unconfirmedUntil = device.session_id === null ? device.told_at + UNCONFIRMED_INTERVAL_MS : 0;
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
    insert into push_jobs (subscription_id, peer_id, user_id, last_seq, due_at, leased, since, log_id)
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
