import type { Db, Queries, Tx } from '../../db/db.ts';
import { ServiceError } from '../../errors.ts';
import { type KeyedRow, keepNameKeys } from '../../users/name-keys.ts';
import { USER_COLUMNS } from '../../users/schemas.ts';
import { sessionEnded } from '../session-lookup.ts';
import { endAccess } from '../sessions.ts';
import { createTicket, MAX_TICKET_MS, removeTicketsOfUser } from './tickets.ts';

// A user who asked for the deletion of their account is `deleted` with their password hash, a state that earlier versions know, and has a
// row of `deletions`. Until the account is erased the row allows them, and no one whom an earlier version deleted, to come back.

/** Epoch milliseconds. */
interface Deletion {
  readonly askedAt: number;
  readonly dueAt: number;
}

/** The deletion that a user can still undo. */
export async function findDeletion(db: Queries, userId: string): Promise<Deletion | undefined> {
  return db.get<Deletion>`
    select asked_at as "askedAt", due_at as "dueAt" from deletions join users on id = user_id
    where user_id = ${userId} and status = 'deleted' and password_hash <> ''`;
}

/**
 * {@link findDeletion}, locked until the end of the transaction: it is neither undone nor done meanwhile. Whoever locks the user's row too
 * does so afterwards, and their tickets last.
 */
export async function lockDeletion(tx: Queries, userId: string): Promise<Deletion | undefined> {
  await tx.run`update deletions set due_at = due_at where user_id = ${userId}`;
  return findDeletion(tx, userId);
}

/**
 * Begins the deletion of an active account in a transaction that has locked their inbox. All by which the user gets in ends; everything
 * else stays for the way back.
 *
 * @returns the ids of the ended sessions
 * @throws {ServiceError} `unauthenticated` if the account was suspended meanwhile, which ended the caller's session
 */
export async function beginDeletion(tx: Tx, userId: string, deletion: Deletion): Promise<string[]> {
  const user = await tx.get<KeyedRow>`
    update users set status = 'deleted' where id = ${userId} and status = 'active' returning ${USER_COLUMNS}, keyed_names`;
  if (!user) throw sessionEnded();
  await keepNameKeys(tx, user);
  await insertDeletion(tx, userId, deletion);
  await removeTicketsOfUser(tx, userId);
  return endAccess(tx, userId);
}

/** Says when a deleted user is erased. A row may be left of a deletion that an earlier version undid. */
export async function insertDeletion(
  tx: Queries,
  userId: string,
  { askedAt, dueAt }: Deletion,
): Promise<void> {
  await tx.run`
    insert into deletions (user_id, asked_at, due_at) values (${userId}, ${askedAt}, ${dueAt})
    on conflict (user_id) do update set asked_at = excluded.asked_at, due_at = excluded.due_at`;
}

/** Ends a deletion, in the transaction that restores or erases the account and then removes its tickets. */
export async function endDeletion(tx: Queries, userId: string): Promise<void> {
  await tx.run`delete from deletions where user_id = ${userId}`;
}

/**
 * The refusal of a login with the right password, with a ticket that undoes the deletion: a login alone undoes nothing, as an app may sign in
 * unseen.
 *
 * @returns `undefined` if the account was restored or erased meanwhile
 */
export async function refuseLeaving(db: Db, userId: string, now: number): Promise<ServiceError | undefined> {
  const fields = await db.transaction(async (tx) => {
    // Locked, so that an erasing comes before this or removes the ticket too.
    const deletion = await lockDeletion(tx, userId);
    if (!deletion) return undefined;
    const ticket = await createTicket(tx, { kind: 'keep', userId, sessionId: null }, now + MAX_TICKET_MS);
    return { ticket, until: deletion.dueAt };
  });
  return fields && new ServiceError('forbidden', 'account_leaving', '账号将被删除', { userId, fields });
}
