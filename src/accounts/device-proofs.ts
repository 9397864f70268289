import { inBatches } from '../db/batches.ts';
import type { Db, Queries, Tx } from '../db/db.ts';
import { inList } from '../db/fragments.ts';
import { lockUser } from '../users/users.ts';
import { createSecret, hashOfSecret } from './secrets.ts';

// OWASP's device cookies: a device that signed in to an account sends a proof of it with later logins. A proof exempts the
// device from the account's limit on wrong passwords (login-attempts.ts); it does not sign in.

/** A proof ends after this time without use. */
const PROOF_IDLE_MS = 180 * 24 * 60 * 60 * 1000;
const MAX_PROOFS_OF_USER = 20;
/** One device may have several users, and sends the proofs of all of them. */
const MAX_PROOFS_SENT = 20;

/** A proof as the device stores it ({@link createSecret}). */
export type Proof = string;

/**
 * Reads the header `Device-Proof`: proofs, separated by commas. Malformed entries are ignored; a client without a proof sends `none` to ask for one.
 *
 * @returns `undefined` without the header: the client does not use proofs
 */
export function readProofs(header: string | string[] | undefined): Proof[] | undefined {
  if (header === undefined) return undefined;
  const entries = String(header).split(',', MAX_PROOFS_SENT);
  return entries.map((entry) => entry.trim()).filter((entry) => /^[\w-]{43}$/.test(entry));
}

/** The proof that is valid for this user; of several, the one used last. */
export async function findProof(
  db: Queries,
  userId: string,
  proofs: readonly Proof[],
  now: number,
): Promise<Proof | undefined> {
  if (proofs.length === 0) return undefined;
  const byHash = new Map(proofs.map((proof) => [hashOfSecret(proof), proof]));
  const row = await db.get<{ hash: string }>`
    select hash from device_proofs
    where hash in ${inList([...byHash.keys()])} and user_id = ${userId} and used_at > ${now - PROOF_IDLE_MS}
    order by used_at desc, hash limit 1`;
  return row && byHash.get(row.hash);
}

/**
 * Records that a session used the valid proof that it showed, or issues one if it has shown and got none before. So a stolen token
 * yields one proof at most, and does not replace those of the user's devices.
 *
 * @param proofs what the device sent
 * @returns the proof that is valid from now on; `undefined` if the session has ended meanwhile, or has one that it did not show
 */
export async function renewProof(
  db: Db,
  { userId, sessionId }: { userId: string; sessionId: string },
  proofs: readonly Proof[],
  now: number,
): Promise<Proof | undefined> {
  return db.transaction(async (tx) => {
    // Everything that ends sessions and proofs locks the user too, so it runs entirely before or after this.
    await lockUser(tx, userId);
    const session = await tx.get<{ own: string | null }>`
      select (select hash from device_proofs where user_id = sessions.user_id and session_id = sessions.id limit 1) as own
      from sessions where id = ${sessionId}`;
    if (!session) return undefined;
    const { own } = session;
    const known = await findProof(tx, userId, proofs, now);
    if (known === undefined) return own ? undefined : issueProof(tx, userId, sessionId, now);
    await tx.run`
      update device_proofs set used_at = ${now}, session_id = coalesce(${own ? null : sessionId}, session_id)
      where hash = ${hashOfSecret(known)}`;
    return known;
  });
}

/**
 * Issues a proof, in a transaction that has locked the user. They have at most 20: a new one replaces the least recently used.
 *
 * @param sessionId null: it belongs to the session that shows it first
 */
export async function issueProof(
  tx: Tx,
  userId: string,
  sessionId: string | null,
  now: number,
): Promise<Proof> {
  const proof = createSecret();
  await tx.run`
    delete from device_proofs where hash in (
      select hash from device_proofs where user_id = ${userId}
      order by used_at desc, hash limit ${MAX_PROOFS_OF_USER} offset ${MAX_PROOFS_OF_USER - 1})`;
  await tx.run`
    insert into device_proofs (hash, user_id, used_at, session_id) values (${hashOfSecret(proof)}, ${userId}, ${now}, ${sessionId})`;
  return proof;
}

/** Ends every proof of the user but those in `kept`, in the caller's transaction. */
export async function endProofsOfUser(tx: Queries, userId: string, kept: readonly Proof[]): Promise<void> {
  await tx.run`
    delete from device_proofs where user_id = ${userId} and hash not in ${inList(kept.map(hashOfSecret))}`;
}

/** Removes proofs that were not used for {@link PROOF_IDLE_MS}. */
export async function removeIdleProofs(db: Db, now: number): Promise<void> {
  await inBatches(
    (limit) => db.run`
      delete from device_proofs where hash in (
        select hash from device_proofs where used_at <= ${now - PROOF_IDLE_MS} order by used_at limit ${limit})`,
  );
}
