import { inBatches } from '../db/batches.ts';
import type { Db, Queries, Tx } from '../db/db.ts';
import { inList } from '../db/fragments.ts';
import { newId } from '../db/ids.ts';
import { ServiceError } from '../errors.ts';
import { recordChange } from '../events/changes.ts';
import { type Inboxes, lockInbox, withInboxes } from '../inbox/inbox.ts';
import type { SessionEntry } from './schemas.ts';
import { SESSION_IDLE_MS } from './session-lookup.ts';

/** The precision of `used_at`: it is written only when it is older than this. */
export const SESSION_TOUCH_MS = 60 * 60 * 1000;

/** Beyond this many sessions of a user, those unused for a day end; beyond {@link MAX_SESSIONS_IN_USE}, others too. */
const MAX_SESSIONS = 100;
const MAX_SESSIONS_IN_USE = 1_000;
const SURPLUS_IDLE_MS = 24 * 60 * 60 * 1000;

interface SessionRow {
  id: string;
  device: string;
  created_at: number;
  used_at: number;
  /** The client's network address, at the sign-in or the last use; '' if unknown. */
  address: string;
}

/**
 * Opens a session of a user whose password was just verified against `passwordHash`.
 *
 * @param address the client's network address; '' if unknown
 * @returns the session's id, or `undefined` if the hash is no longer the user's, or the account no longer active
 */
export async function openSession(
  db: Db,
  userId: string,
  passwordHash: string,
  device: string,
  now: number,
  address = '',
): Promise<string | undefined> {
  const id = newId(now);
  return db.transaction(async (tx) => {
    // The user's row is locked, so that ending all sessions runs entirely before or after this.
    const current = await tx.run`
      update users set status = status where id = ${userId} and password_hash = ${passwordHash} and status = 'active'`;
    if (current === 0) return undefined;
    await insertSession(tx, { id, userId, device, address }, now);
    return id;
  });
}

/** Stores a new session, in the transaction that read or made its user. */
export async function insertSession(
  tx: Tx,
  { id, userId, device, address }: { id: string; userId: string; device: string; address: string },
  now: number,
): Promise<void> {
  await tx.run`
    insert into sessions (id, user_id, device, address, created_at, used_at)
    values (${id}, ${userId}, ${device}, ${address}, ${now}, ${now})`;
}

/**
 * The caller's own sessions, newest first. They contain network addresses, so never show them to others.
 *
 * @param isActive whether a session has an open socket
 */
export async function listSessions(
  db: Queries,
  userId: string,
  currentId: string,
  now: number,
  isActive: (sessionId: string) => boolean = () => false,
): Promise<SessionEntry[]> {
  const rows = await db.all<SessionRow>`
    select id, device, created_at, used_at, address from sessions
    where user_id = ${userId} and used_at > ${now - SESSION_IDLE_MS} order by id desc`;
  return rows.map((row) => ({
    id: row.id,
    device: row.device,
    create_time: row.created_at,
    last_used: row.used_at,
    current: row.id === currentId ? 1 : 0,
    active: isActive(row.id) ? 1 : 0,
    address: row.address,
  }));
}

/**
 * Ends one session of the user with its push subscriptions; its tokens become invalid. The user's other devices get a
 * `sessions` event.
 *
 * @param now epoch milliseconds
 * @throws {ServiceError} `not-found` if the user has no such session
 */
export async function endSession(
  inboxes: Inboxes,
  userId: string,
  sessionId: string,
  now: number,
): Promise<void> {
  await withInboxes(inboxes, [userId], now, async (tx, append) => {
    const ended = await tx.run`delete from sessions where id = ${sessionId} and user_id = ${userId}`;
    if (ended === 0) throw new ServiceError('not-found', 'session_not_found', '登录会话不存在');
    await append(userId, 'sessions', { ended: [sessionId] });
    append.publish({ type: 'sessions-ended', sessionIds: [sessionId] });
  });
}

/**
 * Ends every session of the user but `keptId`, in the caller's transaction. Their push subscriptions and the jobs of those go by
 * foreign keys.
 *
 * @returns the ids of the ended sessions
 */
export async function endSessionsOfUser(
  tx: Queries,
  userId: string,
  keptId: string | null,
): Promise<string[]> {
  const rows = await tx.all<{ id: string }>`
    delete from sessions where user_id = ${userId} and id <> ${keptId ?? ''} returning id`;
  return rows.map((row) => row.id);
}

/**
 * After a login: ends the surplus sessions, the least recently used first, with their push subscriptions, tokens and
 * sockets. The user's devices get no event, since these sessions are of devices no longer in use.
 *
 * @param newId the session that was just opened and stays
 * @returns how many ended
 */
export async function endSurplusSessions(
  { db, events }: Inboxes,
  userId: string,
  newId: string,
  now: number,
): Promise<number> {
  const others = await db.all<{ id: string; used_at: number }>`
    select id, used_at from sessions where user_id = ${userId} and id <> ${newId} order by used_at desc, id desc`;
  const surplus = others
    .slice(MAX_SESSIONS - 1)
    .filter(({ used_at }, i) => used_at <= now - SURPLUS_IDLE_MS || i >= MAX_SESSIONS_IN_USE - MAX_SESSIONS)
    .map(({ id }) => id);
  if (surplus.length === 0) return 0;
  const ended = { type: 'sessions-ended', sessionIds: surplus } as const;
  const change = await db.transaction(async (tx) => {
    await lockInbox(tx, userId);
    await tx.run`delete from sessions where id in ${inList(surplus)}`;
    return recordChange(tx, ended);
  });
  await events.publishChange(ended, change);
  return surplus.length;
}

/** Ends the sessions that were not used for {@link SESSION_IDLE_MS}. @param onEnded called with the user of each */
export async function endIdleSessions(
  { db, events }: Inboxes,
  now: number,
  onEnded: (userId: string) => void = () => {},
): Promise<void> {
  await inBatches(async (limit) => {
    const ended = await db.transaction(async (tx) => {
      const rows = await tx.all<{ id: string; user_id: string }>`
        delete from sessions where id in (
          select id from sessions where used_at <= ${now - SESSION_IDLE_MS} order by used_at limit ${limit})
        returning id, user_id`;
      const event = { type: 'sessions-ended', sessionIds: rows.map((row) => row.id) } as const;
      return rows.length > 0 ? { rows, event, change: await recordChange(tx, event) } : undefined;
    });
    if (!ended) return 0;
    await events.publishChange(ended.event, ended.change);
    for (const row of ended.rows) onEnded(row.user_id);
    return ended.rows.length;
  });
}

/**
 * Stores that sessions were used. Sessions with the same address are written by one statement.
 *
 * @param used the address of each session's client, by the session's id; '' if unknown: the stored one stays
 */
export async function touchSessions(db: Db, used: ReadonlyMap<string, string>, now: number): Promise<void> {
  const groups = [...Map.groupBy(used.keys(), (id) => used.get(id) ?? '')];
  await inBatches(async (limit) => {
    const batch = groups.splice(0, limit);
    await db.transaction((tx) =>
      Promise.all(
        batch.map(([address, ids]) =>
          address === ''
            ? tx.run`update sessions set used_at = ${now} where id in ${inList(ids)}`
            : tx.run`update sessions set used_at = ${now}, address = ${address} where id in ${inList(ids)}`,
        ),
      ),
    );
    return batch.length;
  });
}
