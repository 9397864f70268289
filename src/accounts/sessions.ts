import { inBatches } from '../db/batches.ts';
import type { Db, Queries, Tx } from '../db/db.ts';
import { asTable, inList } from '../db/fragments.ts';
import { newId } from '../db/ids.ts';
import { ServiceError } from '../errors.ts';
import { recordChange } from '../events/changes.ts';
import { type Append, type Inboxes, withInboxes } from '../inbox/inbox.ts';
import { lockUser } from '../users/users.ts';
import { endPendingAddress } from './address/addresses.ts';
import { endProofsOfUser, type Proof } from './device-proofs.ts';
import { type ActingClient, logAct, logActs } from './log/account-log.ts';
import { endLinkOfUser } from './password-links.ts';
import {
  type NewSession,
  NOTICE,
  needsNotice,
  notifyOfSignIn,
  type SignInNotices,
} from './recovery/new-sign-ins.ts';
import type { SessionEntry } from './schemas.ts';
import { assertSessionActive, SESSION_IDLE_MS } from './session-lookup.ts';

/** The precision of `used_at`: it is written only when it is older than this. */
export const SESSION_TOUCH_MS = 60 * 60 * 1000;

/** Beyond this many sessions of a user, those unused for a day end; beyond {@link MAX_SESSIONS_IN_USE}, others too. */
const MAX_SESSIONS = 100;
const MAX_SESSIONS_IN_USE = 1_000;
const SURPLUS_IDLE_MS = 24 * 60 * 60 * 1000;

const USED = { id: 'text', address: 'text' } as const;

/**
 * Opens a session of a user whose password was just verified against `passwordHash`.
 *
 * @param address the client's network address; '' if unknown
 * @param notices notifies the user if the device and its network are new; without it no one is notified
 * @returns the session's id, or `undefined` if the hash is no longer the user's, or the account no longer active
 */
export async function openSession(
  db: Db,
  userId: string,
  passwordHash: string,
  device: string,
  now: number,
  address = '',
  notices?: SignInNotices,
): Promise<string | undefined> {
  const session = { id: newId(now), userId, device, address };
  let isNew = false;
  const open = async (tx: Tx, append?: Append) => {
    // The user's row is locked, so that ending all sessions runs entirely before or after this.
    const user = await lockUser(tx, userId);
    if (user?.status !== 'active' || user.password_hash !== passwordHash) return undefined;
    isNew = notices !== undefined && (await needsNotice(tx, session, notices.proofs, now));
    if (isNew && !append) return undefined;
    await insertSession(tx, session, 'signed_in', now, isNew ? NOTICE : {});
    if (isNew && append) await notifyOfSignIn(tx, append, session, notices?.hasMail === true, now);
    return session.id;
  };
  const id = await db.transaction((tx) => open(tx));
  if (!isNew || !notices) return id;
  // The notice is an event, and the lock of the log comes before that of the user: only such a sign-in needs both.
  return withInboxes({ db, events: notices.events }, [userId], now, open);
}

/**
 * Stores a new session and the sign-in that opened it, in the transaction that read or made its user.
 *
 * @param byKey the API key whose owner says who the user is; else they have just given their password
 */
export async function insertSession(
  tx: Tx,
  { id, userId, device, address }: NewSession,
  what: 'signed_up' | 'signed_in',
  now: number,
  detail: Readonly<Record<string, string>> = {},
  byKey?: { readonly name: string; readonly isConfirmed: boolean },
): Promise<void> {
  const confirmedAt = byKey?.isConfirmed === false ? 0 : now;
  const act = { userId, what, at: now, sessionId: id, device, address, detail };
  await Promise.all([
    tx.run`
      insert into sessions (id, user_id, device, address, created_at, used_at, confirmed_at)
      values (${id}, ${userId}, ${device}, ${address}, ${now}, ${now}, ${confirmedAt})`,
    logAct(tx, byKey ? { ...act, key: byKey.name } : act),
  ]);
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
  const rows = await db.all<Omit<SessionEntry, 'current' | 'active'>>`
    select id, device, created_at as create_time, used_at as last_used, address from sessions
    where user_id = ${userId} and used_at > ${now - SESSION_IDLE_MS} order by id desc`;
  return rows.map((row) => ({
    ...row,
    current: row.id === currentId ? 1 : 0,
    active: isActive(row.id) ? 1 : 0,
  }));
}

/**
 * Ends one session of the user with its push subscriptions; its tokens become invalid. The user's other devices get a
 * `sessions` event.
 *
 * @param now epoch milliseconds
 * @param client who ends it: their own session, or another one
 * @throws {ServiceError} `not-found` if the user has no such session
 */
export async function endSession(
  inboxes: Inboxes,
  userId: string,
  sessionId: string,
  now: number,
  client: ActingClient = {},
): Promise<void> {
  await withInboxes(inboxes, [userId], now, async (tx, append) => {
    const ended = await tx.get<{ device: string }>`
      delete from sessions where id = ${sessionId} and user_id = ${userId} returning device`;
    if (!ended) throw new ServiceError('not-found', 'session_not_found', '登录会话不存在');
    await append(userId, 'sessions', { ended: [sessionId] });
    append.publish({ type: 'sessions-ended', sessionIds: [sessionId] });
    const act = { ...client, userId, at: now, sessionId };
    if (sessionId === client.sessionId) await logAct(tx, { ...act, what: 'signed_out' });
    else await logAct(tx, { ...act, what: 'session_ended', detail: { device: ended.device } });
  });
}

/**
 * Ends all sessions of the user but the caller's, if it has one, as {@link endSession} ends one. Without others it changes nothing.
 *
 * @returns how many ended
 * @throws {ServiceError} `unauthenticated` if the caller's session ended meanwhile
 */
export async function endOtherSessions(
  inboxes: Inboxes,
  userId: string,
  client: ActingClient,
  now: number,
): Promise<number> {
  const { sessionId } = client;
  return withInboxes(inboxes, [userId], now, async (tx, append) => {
    if (sessionId !== undefined) await assertSessionActive(tx, sessionId);
    const rows = await tx.all<{ id: string }>`
      delete from sessions where user_id = ${userId} and id <> ${sessionId ?? ''} returning id`;
    if (rows.length === 0) return 0;
    const ended = rows.map(({ id }) => id);
    await append(userId, 'sessions', { ended });
    append.publish({ type: 'sessions-ended', sessionIds: ended });
    await logAct(tx, { ...client, userId, at: now, what: 'sessions_ended', detail: { n: ended.length } });
    return ended.length;
  });
}

/**
 * Ends all by which devices of the user get in, but what is kept, in the caller's transaction: sessions, device proofs, the password link,
 * and an address that waits to be verified, which may be a thief's. The push subscriptions of the sessions and the jobs of those go by
 * foreign keys.
 *
 * @returns the ids of the ended sessions
 */
export async function endAccess(
  tx: Queries,
  userId: string,
  { sessionId = '', proofs = [] }: { sessionId?: string; proofs?: readonly Proof[] | 'all' } = {},
): Promise<string[]> {
  const ended = await tx.all<{ id: string }>`
    delete from sessions where user_id = ${userId} and id <> ${sessionId} returning id`;
  if (proofs !== 'all') await endProofsOfUser(tx, userId, proofs);
  await endLinkOfUser(tx, userId);
  await endPendingAddress(tx, userId);
  return ended.map(({ id }) => id);
}

/**
 * After a login: ends the surplus sessions, the least recently used first, with their push subscriptions, tokens and
 * sockets. The user's devices get no event, since these sessions are of devices no longer in use.
 *
 * @param newId the session that was just opened and stays
 * @returns how many ended
 */
export async function endSurplusSessions(
  inboxes: Inboxes,
  userId: string,
  newId: string,
  now: number,
): Promise<number> {
  const others = await inboxes.db.all<{ id: string; used_at: number }>`
    select id, used_at from sessions where user_id = ${userId} and id <> ${newId} order by used_at desc, id desc`;
  const sessionIds = others
    .slice(MAX_SESSIONS - 1)
    .filter(({ used_at }, i) => used_at <= now - SURPLUS_IDLE_MS || i >= MAX_SESSIONS_IN_USE - MAX_SESSIONS)
    .map(({ id }) => id);
  if (sessionIds.length > 0)
    await withInboxes(inboxes, [userId], now, async (tx, append) => {
      await tx.run`delete from sessions where id in ${inList(sessionIds)}`;
      append.publish({ type: 'sessions-ended', sessionIds });
      const detail = { by: 'surplus', n: sessionIds.length };
      await logAct(tx, { userId, at: now, what: 'sessions_ended', detail });
    });
  return sessionIds.length;
}

/** Ends the sessions that were not used for {@link SESSION_IDLE_MS}. @param onEnded called with the user of each */
export async function endIdleSessions(
  { db, events }: Inboxes,
  now: number,
  onEnded: (userId: string) => void = () => {},
): Promise<void> {
  await inBatches(async (limit) => {
    const ended = await db.transaction(async (tx) => {
      const rows = await tx.all<{ id: string; user_id: string; device: string }>`
        delete from sessions where id in (
          select id from sessions where used_at <= ${now - SESSION_IDLE_MS} order by used_at limit ${limit})
        returning id, user_id, device`;
      if (rows.length === 0) return undefined;
      const toAct = ({ id, user_id, device }: (typeof rows)[number]) =>
        ({
          userId: user_id,
          at: now,
          what: 'session_ended',
          sessionId: id,
          detail: { by: 'idle', device },
        }) as const;
      await logActs(tx, rows.map(toAct));
      const event = { type: 'sessions-ended', sessionIds: rows.map((row) => row.id) } as const;
      return { rows, event, change: await recordChange(tx, event) };
    });
    if (!ended) return 0;
    await events.publishChange(ended.event, ended.change);
    for (const row of ended.rows) onEnded(row.user_id);
    return ended.rows.length;
  });
}

/**
 * Stores that sessions were used.
 *
 * @param used the address of each session's client, by the session's id; '' if unknown: the stored one stays
 */
export async function touchSessions(db: Db, used: ReadonlyMap<string, string>, now: number): Promise<void> {
  const rows = [...used].map(([id, address]) => ({ id, address: address || null }));
  await inBatches(async (limit) => {
    const batch = rows.splice(0, limit);
    await db.run`
      update sessions set used_at = ${now}, address = coalesce(used.address, sessions.address)
      from ${asTable(USED, batch)} as used where sessions.id = used.id`;
    return batch.length;
  });
}
