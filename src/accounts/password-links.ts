import { inBatches } from '../db/batches.ts';
import type { Db, Queries, Tx } from '../db/db.ts';
import { lockUser } from '../users/users.ts';
import { createSecret, hashOfSecret } from './secrets.ts';

// A link by which a user sets a new password without the old one. The operator makes it and sends it to them, or a mail brings it.

const LINK_MS = 60 * 60 * 1000;

/**
 * Makes a link that is valid once, within an hour. It replaces an earlier one of the user.
 *
 * @param now epoch milliseconds
 * @returns the token of the link, of which only a hash is stored; `undefined` if the account is not active
 */
export async function createPasswordLink(
  tx: Tx,
  userId: string,
  now: number,
): Promise<{ token: string; expiresAt: number } | undefined> {
  if ((await lockUser(tx, userId))?.status !== 'active') return undefined;
  const token = createSecret();
  const expiresAt = now + LINK_MS;
  await tx.run`
    insert into password_links (user_id, hash, expires_at) values (${userId}, ${hashOfSecret(token)}, ${expiresAt})
    on conflict (user_id) do update set hash = excluded.hash, expires_at = excluded.expires_at`;
  return { token, expiresAt };
}

/** The id of the user whose valid link has this token. */
export async function findUserOfLink(db: Queries, token: string, now: number): Promise<string | undefined> {
  const link = await db.get<{ user_id: string }>`
    select user_id from password_links where hash = ${hashOfSecret(token)} and expires_at > ${now}`;
  return link?.user_id;
}

/** The link of the user: the hash of its token, and when it was made; `undefined` if they have none. */
export async function findLink(
  db: Queries,
  userId: string,
): Promise<{ hash: string; madeAt: number } | undefined> {
  return db.get<{ hash: string; madeAt: number }>`
    select hash, expires_at - ${LINK_MS} as "madeAt" from password_links where user_id = ${userId}`;
}

/**
 * Uses a link up, in the transaction that sets the password.
 *
 * @returns whether it was still valid: of several calls with one token, one is answered true
 */
export async function consumeLink(tx: Tx, userId: string, token: string, now: number): Promise<boolean> {
  // The row of the user is locked before that of their link, as by everything else that ends links.
  if ((await lockUser(tx, userId))?.status !== 'active') return false;
  const consumed = await tx.run`
    delete from password_links where user_id = ${userId} and hash = ${hashOfSecret(token)} and expires_at > ${now}`;
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
