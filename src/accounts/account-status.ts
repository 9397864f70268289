import { inBatches } from '../db/batches.ts';
import type { Queries, Tx } from '../db/db.ts';
import { ServiceError } from '../errors.ts';
import { recordChange } from '../events/changes.ts';
import type { Inboxes } from '../inbox/inbox.ts';
import { removeMailsOfUser } from '../mail/mail-jobs.ts';
import { OPEN_TO_EVERYONE } from '../users/privacy.ts';
import { EMPTY_PROFILE } from '../users/profile-fields.ts';
import { USER_COLUMNS, type UserRow } from '../users/schemas.ts';
import { lockUser, userNotFound, writePrivacy, writeProfile } from '../users/users.ts';
import { deleteAddress } from './address/addresses.ts';
import { findNameHolder } from './held-names.ts';
import { endDeletion, findDeletion, lockDeletion } from './leaving/deletions.ts';
import { removeTicketsOfUser } from './leaving/tickets.ts';
import { logAct } from './log/account-log.ts';
import { queueNotice } from './recovery/notices.ts';
import { openMac } from './secrets.ts';
import { endAccess } from './sessions.ts';

/**
 * The user with this id, and the one with this name, compared by its key; also suspended or deleted ones. They are two if a user's id is
 * another's name.
 *
 * @param by only the one with this id, or with this name
 */
export async function findUsersByNameOrId(
  db: Queries,
  nameOrId: string,
  by?: 'id' | 'name',
): Promise<UserRow[]> {
  const byId =
    by === 'name'
      ? undefined
      : await db.get<UserRow>`select ${USER_COLUMNS} from users where id = ${nameOrId}`;
  const byName = by === 'id' ? undefined : await findNameHolder(db, await openMac(db), nameOrId);
  const found = [byId, byName].filter((user) => user !== undefined);
  return byId?.id === byName?.id ? found.slice(0, 1) : found;
}

/** What the operator said of a suspension. */
interface Suspension {
  /** Shown to the user; '' if none was given. */
  readonly reason: string;
  /** Epoch milliseconds; null: until the operator restores the account. */
  readonly until: number | null;
  /** Since when. */
  readonly at: number;
}

/** @returns `undefined` if the account is not suspended, or nothing was said */
export function findSuspension(db: Queries, id: string): Promise<Suspension | undefined> {
  return db.get<Suspension>`select reason, until, at from suspensions where user_id = ${id}`;
}

/** The refusal of a suspended user who gave the right password. */
export async function accountSuspended(db: Queries, id: string): Promise<ServiceError> {
  const { reason = '', until } = (await findSuspension(db, id)) ?? {};
  const fields = { reason, until: until ?? 0 };
  return new ServiceError('forbidden', 'account_suspended', '账号已停用', { userId: id, fields });
}

/**
 * Suspends a user until they are restored, and ends their password link. A repeat replaces reason and end. A deleted user stays deleted, but
 * one who can undo their deletion cannot as long as they are suspended.
 *
 * @returns the ids of the ended sessions
 * @throws {ServiceError} `not-found`
 */
export async function suspendUser(tx: Tx, id: string, suspension?: Suspension): Promise<string[]> {
  const change = () => tx.run`update users set status = 'suspended' where id = ${id} and status <> 'deleted'`;
  // Once more where the deletion was undone between the two statements.
  if ((await change()) === 0 && !(await lockDeletion(tx, id)) && (await change()) === 0) throw userNotFound();
  await endSuspension(tx, id);
  if (suspension) {
    const { reason, until, at } = suspension;
    await tx.run`insert into suspensions (user_id, reason, until, at) values (${id}, ${reason}, ${until}, ${at})`;
  }
  return endAccess(tx, id, { proofs: 'all' });
}

/**
 * Suspends a user as the operator does it: with an entry of the account's log, one of the servers' logs, which a server that does it by an
 * API key writes itself, and a mail to the verified address.
 *
 * @param suspension as of {@link suspendUser}
 * @param hasMail whether mails are sent
 * @param key the name of the API key that does it for the operator
 * @returns the ids of the ended sessions
 * @throws {ServiceError} `not-found`
 */
export async function suspendByOperator(
  tx: Tx,
  userId: string,
  suspension: Suspension,
  hasMail: boolean,
  key?: string,
): Promise<string[]> {
  const { reason, until, at } = suspension;
  const ended = await suspendUser(tx, userId, suspension);
  if (ended.length > 0 && key === undefined)
    await recordChange(tx, { type: 'operator-act', act: 'session_ended', userId, count: ended.length });
  const said = { ...(reason !== '' && { reason }), ...(until !== null && { until }) };
  const by = key === undefined ? { detail: { by: 'operator' } } : { key };
  const detail = { ...by.detail, ...said, ended: ended.length };
  await logAct(tx, { userId, what: 'suspended', at, ...by, detail });
  if (hasMail) await queueNotice(tx, 'suspended', userId, {}, at);
  return ended;
}

/**
 * Removes the stored data of a user, in the transaction that erases the account: all fields but the name, and all sessions, device proofs
 * and their password link, addresses, tickets and waiting mails. A repeat changes nothing. {@link holdName} does the rest.
 *
 * @returns the ids of the ended sessions
 * @throws {ServiceError} `not-found`
 */
export async function eraseUser(tx: Tx, id: string): Promise<string[]> {
  // Both locked before the user, as by the worker that builds a mail.
  await removeMailsOfUser(tx, id);
  await endDeletion(tx, id);
  const user = await tx.get<UserRow>`
    update users set status = 'deleted', password_hash = '', push_enabled = 1, dnd_enabled = 0, push_preview = 'sender'
    where id = ${id} returning ${USER_COLUMNS}`;
  if (!user) throw userNotFound();
  await writeProfile(tx, { ...user, ...EMPTY_PROFILE });
  await writePrivacy(tx, id, OPEN_TO_EVERYONE);
  await deleteAddress(tx, id);
  await endSuspension(tx, id);
  await removeTicketsOfUser(tx, id);
  return endAccess(tx, id);
}

/** Whether a deleted user's data is removed, so that they cannot be restored. Earlier versions deleted without removing it. */
export function isErased({ status, password_hash }: UserRow): boolean {
  return status === 'deleted' && password_hash === '';
}

/**
 * Makes a suspended user active again, with the same password; also one whose deletion can be undone, or whom an earlier version deleted.
 *
 * @throws {ServiceError} `not-found`, also for an erased user ({@link isErased})
 */
export async function restoreUser(tx: Tx, id: string): Promise<UserRow> {
  await endDeletion(tx, id);
  const restored = await tx.get<UserRow>`
    update users set status = 'active' where id = ${id} and password_hash <> '' returning ${USER_COLUMNS}`;
  if (!restored) throw userNotFound();
  await endSuspension(tx, id);
  await removeTicketsOfUser(tx, id);
  return writeProfile(tx, restored); // with the keys of the names, which a deleted user has not
}

/** Restores a user as {@link suspendByOperator} suspends one. A deletion that is undone is what the logs and the mail name. */
export async function restoreByOperator(
  tx: Tx,
  userId: string,
  at: number,
  hasMail: boolean,
  key?: string,
): Promise<void> {
  const isLeaving = (await findDeletion(tx, userId)) !== undefined;
  await restoreUser(tx, userId);
  const by = key === undefined ? { detail: { by: 'operator' } } : { key };
  await logAct(tx, { userId, what: isLeaving ? 'deletion_undone' : 'restored', at, ...by });
  if (!isLeaving) return;
  await recordChange(tx, { type: 'operator-act', act: 'deletion_undone', userId, count: 1 });
  if (hasMail) await queueNotice(tx, 'deletion_undone', userId, {}, at);
}

/** @returns how many there were */
function endSuspension(tx: Tx, id: string): Promise<number> {
  return tx.run`delete from suspensions where user_id = ${id}`;
}

/** Restores the accounts whose suspension has ended by the time that the operator gave. Several processes may do it at once. */
export async function restoreDueUsers({ db, events }: Inboxes, now: number): Promise<void> {
  await inBatches(async (limit) => {
    const due = await db.all<{ user_id: string }>`
      select user_id from suspensions where until <= ${now} order by until limit ${limit}`;
    for (const { user_id: userId } of due) {
      const event = { type: 'user-changed', userId } as const;
      const change = await db.transaction(async (tx) => {
        // The row of the user is locked before that of the suspension, as by the operator's commands.
        await lockUser(tx, userId);
        const ended = await tx.run`delete from suspensions where user_id = ${userId} and until <= ${now}`;
        if (ended === 0) return undefined; // another process restored them, or the operator gave another time
        await tx.run`update users set status = 'active' where id = ${userId} and status = 'suspended'`;
        await logAct(tx, { userId, at: now, what: 'restored', detail: { by: 'time' } });
        return recordChange(tx, event);
      });
      if (change !== undefined) await events.publishChange(event, change);
    }
    return due.length;
  });
}
