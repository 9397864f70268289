import { inBatches } from '../db/batches.ts';
import type { Db, Queries, Tx } from '../db/db.ts';
import { inList, skipLocked } from '../db/fragments.ts';
import { newId } from '../db/ids.ts';

/** What a mail is about. The account room builds each of them; `test` is that of the operator's command. */
export type MailKind =
  | 'verify'
  | 'forgot'
  | 'new_sign_in'
  | 'password_changed'
  | 'address_changed'
  | 'suspended'
  | 'deletion_asked'
  | 'deletion_undone'
  | 'export_made'
  | 'test';

export type MailLanguage = 'zh' | 'en';

interface NewMail {
  readonly kind: MailKind;
  /** While a job with this text waits, another one is not stored. */
  readonly dedup: string;
  /** The user whom the mail concerns; null where the worker looks them up by `account`. */
  readonly userId?: string | null;
  /** The name or address as it was typed. */
  readonly account?: string;
  /** Where it goes; '' where the worker looks it up. */
  readonly address?: string;
  readonly language: MailLanguage;
  /** What the builder needs beside it, never a secret. */
  readonly data?: Readonly<Record<string, string | number>>;
  /** When it may be sent, epoch milliseconds; at once if it is left out. */
  readonly dueAt?: number;
}

/**
 * Stores a mail to be sent, in one statement, and in the transaction of the act that it reports. Publish the event `mail-queued` after the
 * commit, so that the worker of this process sends it at once.
 */
export async function queueMail(db: Queries, mail: NewMail, now: number): Promise<void> {
  const { kind, dedup, userId = null, account = '', address = '', language, data = {}, dueAt = now } = mail;
  await db.run`
    insert into mail_jobs (id, kind, dedup, user_id, account, address, language, data, created_at, due_at)
    values (${newId(now)}, ${kind}, ${dedup}, ${userId}, ${account}, ${address}, ${language},
      ${JSON.stringify(data)}, ${now}, ${dueAt})
    on conflict (dedup) do nothing`;
}

/** Removes what waits to be mailed to a user, in the transaction that deletes the account. */
export async function removeMailsOfUser(tx: Queries, userId: string): Promise<void> {
  await tx.run`delete from mail_jobs where user_id = ${userId}`;
}

/** How long a process holds a claimed job before another may claim it. */
const LEASE_MS = 60_000;
/** By how much the clocks of two nodes may differ. */
const CLOCK_TOLERANCE_MS = 3_000;
/** No job waits longer for its next attempt. */
export const LONGEST_WAIT_MS = 60 * 60 * 1000;
/** No job is older: a worker has ended it before. */
const OLDEST_MS = 25 * 60 * 60 * 1000;
/** Where counting stops: no more mails are taken then. */
export const MOST_WAITING = 10_000;

/** A job that this process has claimed. */
export interface QueuedMail {
  readonly id: string;
  readonly kind: MailKind;
  readonly userId: string | null;
  readonly account: string;
  readonly address: string;
  readonly language: MailLanguage;
  readonly data: Readonly<Record<string, string | number>>;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** The attempts before this one: 0 at the first. */
  readonly tries: number;
  /** Epoch milliseconds; this process holds the job as long as its row has the same value. */
  readonly leaseUntil: number;
}

/** Claims up to `limit` jobs that were due at `dueAt`, the longest due first. */
export async function claimMails(
  db: Db,
  { now, dueAt, limit }: { now: number; dueAt: number; limit: number },
): Promise<QueuedMail[]> {
  const leaseUntil = now + LEASE_MS;
  const rows = await db.transaction(
    (tx) => tx.all<Omit<QueuedMail, 'data' | 'leaseUntil'> & { readonly data: string }>`
      with due as materialized (
        select id from mail_jobs where due_at <= ${dueAt} order by due_at limit ${limit} ${skipLocked})
      update mail_jobs set due_at = ${leaseUntil}, leased = 1
      where id in (select id from due)
      returning id, kind, user_id as "userId", account, address, language, data, created_at as "createdAt", tries`,
  );
  return rows.map((row) => ({ ...row, data: JSON.parse(row.data), leaseUntil }));
}

/** Counts an attempt, and holds the job until the end of the transaction. @returns false if this process has lost it */
export async function beginAttempt(tx: Tx, { id, leaseUntil }: QueuedMail): Promise<boolean> {
  return (
    (await tx.run`update mail_jobs set tries = tries + 1 where id = ${id} and due_at = ${leaseUntil}`) > 0
  );
}

/** Replaces the `data` of a job for its next attempt, in the transaction that builds the mail. */
export async function setMailData(tx: Tx, id: string, data: QueuedMail['data']): Promise<void> {
  await tx.run`update mail_jobs set data = ${JSON.stringify(data)} where id = ${id}`;
}

/** Ends a job, unless this process has lost it. */
export async function endMail(db: Queries, { id, leaseUntil }: QueuedMail): Promise<void> {
  await db.run`delete from mail_jobs where id = ${id} and due_at = ${leaseUntil}`;
}

/** Returns a job to the queue, unless this process has lost it. */
export async function returnMail(db: Queries, { id, leaseUntil }: QueuedMail, dueAt: number): Promise<void> {
  await db.run`update mail_jobs set due_at = ${dueAt}, leased = 0 where id = ${id} and due_at = ${leaseUntil}`;
}

/** When the next job is due or the next lease ends, epoch milliseconds; `Infinity` if there is none. */
export async function nextMailAt(db: Queries): Promise<number> {
  const row = await db.get<{ at: number | null }>`select min(due_at) as at from mail_jobs`;
  return row?.at ?? Number.POSITIVE_INFINITY;
}

/** How many mails wait or are being sent, up to {@link MOST_WAITING}. */
export async function countMails(db: Queries): Promise<number> {
  const row = await db.get<{ count: number }>`
    select count(*) as count from (select due_at from mail_jobs where due_at > 0 limit ${MOST_WAITING}) as queue`;
  return row?.count ?? 0;
}

/** Releases all leases; only for a process that is alone on the database, after the one before has ended. */
export async function releaseMails(db: Queries, now: number): Promise<void> {
  await db.run`update mail_jobs set due_at = ${now}, leased = 0 where due_at > ${now} and leased = 1`;
}

/**
 * Makes due what waits longer than any wait can be: it was stored or claimed before the wall clock was set back.
 *
 * @param running the jobs that this process is sending: they stay claimed
 */
export async function endOverlongMailWaits(
  db: Queries,
  now: number,
  running: readonly string[],
): Promise<void> {
  await db.run`
    update mail_jobs set due_at = ${now}, leased = 0,
      created_at = case when created_at > ${now} then ${now} else created_at end
    where due_at > ${now} and id not in ${inList(running)} and ((leased = 0 and created_at > ${now}) or due_at > ${now + LONGEST_WAIT_MS + CLOCK_TOLERANCE_MS}
      or (leased = 1 and due_at > ${now + LEASE_MS + CLOCK_TOLERANCE_MS}))`;
}

/** Removes jobs that no worker ends, as no mail is sent any more. */
export async function removeOldMails(db: Db, now: number): Promise<void> {
  await inBatches(
    (limit) => db.run`
      delete from mail_jobs where id in (
        select id from mail_jobs where due_at <= ${now} and created_at < ${now - OLDEST_MS} order by due_at limit ${limit})`,
  );
}
