import { inBatches } from '../../db/batches.ts';
import type { Db, Queries, Tx } from '../../db/db.ts';
import { newId } from '../../db/ids.ts';
import { createInviteCode, type HashInviteCode, readInviteCode } from './invite-codes.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** An invite as operators see it, without its code, which is not stored. Times are epoch milliseconds. */
interface Invite {
  readonly id: string;
  /** Registrations in all. */
  readonly uses: number;
  readonly uses_left: number;
  readonly expires_at: number;
}

/** Stores a new invite for `uses` registrations within `days` days. @returns its code, which cannot be read again */
export async function createInvite(
  db: Db,
  hashCode: HashInviteCode,
  { uses, days }: { uses: number; days: number },
  now: number,
): Promise<Invite & { code: string }> {
  const code = createInviteCode();
  const hash = await hashCode(readInviteCode(code) ?? '');
  const invite = { id: newId(now), uses, uses_left: uses, expires_at: now + days * DAY_MS };
  await db.run`
    insert into invites (id, hash, uses, uses_left, created_at, expires_at)
    values (${invite.id}, ${hash}, ${uses}, ${uses}, ${now}, ${invite.expires_at})`;
  return { ...invite, code };
}

/** The invites that can be used, the next to expire first. */
export function listInvites(db: Queries, now: number): Promise<Invite[]> {
  return db.all<Invite>`
    select id, uses, uses_left, expires_at from invites
    where expires_at > ${now} and uses_left > 0 order by expires_at, id`;
}

/** Ends an invite. @returns whether there was one */
export async function revokeInvite(db: Db, id: string): Promise<boolean> {
  return (await db.run`delete from invites where id = ${id}`) > 0;
}

/** Whether the invite with this hash can be used at the moment. */
export async function isInviteGood(db: Queries, hash: string, now: number): Promise<boolean> {
  const found =
    await db.get`select id from invites where hash = ${hash} and uses_left > 0 and expires_at > ${now}`;
  return found !== undefined;
}

/**
 * Takes one use of an invite in the transaction of the registration. Others that use the same invite wait for its end, so all
 * together never take more than there are.
 *
 * @returns whether there was one left
 */
export async function takeInvite(tx: Tx, hash: string, now: number): Promise<boolean> {
  const taken = await tx.run`
    update invites set uses_left = uses_left - 1 where hash = ${hash} and uses_left > 0 and expires_at > ${now}`;
  return taken > 0;
}

/** Removes invites that are used up or have expired. */
export async function removeOldInvites(db: Db, now: number): Promise<void> {
  await inBatches(
    (limit) => db.run`
      delete from invites where id in (select id from invites where uses_left = 0 order by uses_left limit ${limit})`,
  );
  await inBatches(
    (limit) => db.run`
      delete from invites where id in (
        select id from invites where expires_at <= ${now} order by expires_at limit ${limit})`,
  );
}
