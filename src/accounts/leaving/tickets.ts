import { inBatches } from '../../db/batches.ts';
import type { Db, Queries } from '../../db/db.ts';
import { createSecret, hashOfSecret } from '../secrets.ts';

// A secret that lets whoever has it do one thing once, until a time, without a session: the right was checked when it was made.

/** No ticket is good for longer, also where the clock was set back since. */
export const MAX_TICKET_MS = 5 * 60_000;

interface Ticket {
  /** What it is for. */
  readonly kind: 'keep' | 'export';
  readonly userId: string;
  /** The session that asked for it, for what is logged. */
  readonly sessionId: string | null;
}

/** @param expiresAt epoch milliseconds, {@link MAX_TICKET_MS} ahead at most @returns the secret, of which only a hash is stored */
export async function createTicket(
  tx: Queries,
  { kind, userId, sessionId }: Ticket,
  expiresAt: number,
): Promise<string> {
  const secret = createSecret();
  await tx.run`
    insert into tickets (hash, kind, user_id, session_id, expires_at)
    values (${hashOfSecret(secret)}, ${kind}, ${userId}, ${sessionId}, ${expiresAt})`;
  return secret;
}

/** Whose ticket it is, which stays as it is; `undefined` as for {@link takeTicket}. */
export async function findTicketUser(
  db: Queries,
  kind: Ticket['kind'],
  secret: string,
  now: number,
): Promise<string | undefined> {
  const row = await db.get<{ user_id: string }>`
    select user_id from tickets where hash = ${hashOfSecret(secret)} and kind = ${kind} and expires_at > ${now}`;
  return row?.user_id;
}

/** Uses a ticket up. @returns whose it was; `undefined` for one that is unknown, used, expired or of another kind */
export async function takeTicket(
  tx: Queries,
  kind: Ticket['kind'],
  secret: string,
  now: number,
): Promise<Ticket | undefined> {
  return tx.get<Ticket>`
    delete from tickets where hash = ${hashOfSecret(secret)} and kind = ${kind}
      and expires_at > ${now} and expires_at <= ${now + MAX_TICKET_MS}
    returning kind, user_id as "userId", session_id as "sessionId"`;
}

/** Ends what a user could do by tickets, in the caller's transaction. */
export async function removeTicketsOfUser(tx: Queries, userId: string): Promise<void> {
  await tx.run`delete from tickets where user_id = ${userId}`;
}

/** Removes tickets that were not used in time. */
export async function removeExpiredTickets(db: Db, now: number): Promise<void> {
  await inBatches(
    (limit) => db.run`
      delete from tickets where hash in (
        select hash from tickets where expires_at <= ${now} order by expires_at limit ${limit})`,
  );
}
