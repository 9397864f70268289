import type { BoundedQueue } from '../../collections/bounded-queue.ts';
import { inBatches } from '../../db/batches.ts';
import type { Db, Queries } from '../../db/db.ts';
import { newId } from '../../db/ids.ts';
import { createInviteCode, hashInviteCode } from './invite-codes.ts';

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
  queue: BoundedQueue,
  { uses, days }: { uses: number; days: number },
  now: number,
): Promise<Invite & { code: string }> {
  const code = createInviteCode();
  const hash = (await hashInviteCode(db, queue, code)) ?? null; // each new code has one
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
