import { createHash, randomBytes } from 'node:crypto';
import { inBatches } from '../db/batches.ts';
import type { Db, Queries, Tx } from '../db/db.ts';

// A link by which a user sets a new password without the old one. The operator makes it and sends it to them.

const LINK_MS = 60 * 60 * 1000;

/**
 * Makes a link that is valid once, within an hour. It replaces an earlier one of the user.
 *
 * @param now epoch milliseconds
 * @returns the token of the link, 32 random bytes in base64url, of which only a hash is stored; `undefined` if the account is not active
 */
export async function createPasswordLink(
  tx: Tx,
  userId: string,
  now: number,
): Promise<{ token: string; expiresAt: number } | undefined> {
  if (!(await lockActiveUser(tx, userId))) return undefined;
  const token = randomBytes(32).toString('base64url');
  const expiresAt = now + LINK_MS;
  await tx.run`
    insert into password_links (user_id, hash, expires_at) values (${userId}, ${hashOf(token)}, ${expiresAt})
    on conflict (user_id) do update set hash = excluded.hash, expires_at = excluded.expires_at`;
  return { token, expiresAt };
}

/** The id of the user whose valid link has this token. */
export async function findUserOfLink(db: Queries, token: string, now: number): Promise<string | undefined> {
  const link = await db.get<{ user_id: string }>`
    select user_id from password_links where hash = ${hashOf(token)} and expires_at > ${now}`;
  return link?.user_id;
}

/**
 * Uses a link up, in the transaction that sets the password.
 *
 * @returns whether it was still valid: of several calls with one token, one is answered true
 */
export async function consumeLink(tx: Tx, userId: string, token: string, now: number): Promise<boolean> {
  // The row of the user is locked before that of their link, as by everything else that ends links.
  if (!(await lockActiveUser(tx, userId))) return false;
  const consumed = await tx.run`
    delete from password_links where user_id = ${userId} and hash = ${hashOf(token)} and expires_at > ${now}`;
  return consumed > 0;
}

/** Ends the link of a user, if there is one, in the caller's transaction. */
export async function endLinkOfUser(tx: Queries, userId: string): Promise<void> {
  await tx.run`delete from password_links where user_id = ${userId}`;
}

/** Removes links that were not used in time. */
export async function removeExpiredLinks(db: Db, now: number): Promise<void> {
  await inBatches(
    (limit) => db.run`
      delete from password_links where user_id in (
        select user_id from password_links where expires_at <= ${now} order by expires_at limit ${limit})
      and expires_at <= ${now}`, // again: a link that replaced one meanwhile stays
  );
}

async function lockActiveUser(tx: Tx, userId: string): Promise<boolean> {
  return (await tx.run`update users set status = status where id = ${userId} and status = 'active'`) > 0;
}

/** A plain hash is enough: 2^256 tokens cannot be tried. */
function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
