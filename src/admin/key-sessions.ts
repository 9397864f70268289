import { accountSuspended } from '../accounts/account-status.ts';
import { deviceOfKey } from '../accounts/log/account-log.ts';
import { insertSession } from '../accounts/sessions.ts';
import type { Db, Queries, Tx } from '../db/db.ts';
import { inList } from '../db/fragments.ts';
import { newId } from '../db/ids.ts';
import type { ApiKey } from '../http/authenticate.ts';
import { refusal } from '../http/errors.ts';
import { lockUser, userNotFound } from '../users/users.ts';
import type { SignInBody } from './schemas.ts';

type Key = Pick<ApiKey, 'id' | 'name'>;

/** How much of a device's name is stored, as of a User-Agent. */
const MAX_DEVICE = 200;

/**
 * Signs a user in whom the key's owner knows, without a second factor and without a notice of it.
 *
 * @returns the id of the session, which is confirmed only if the body says so
 * @throws {ServiceError} `not-found`; `forbidden` for a suspended account
 */
export async function signInByKey(
  db: Db,
  key: Key,
  { userId, device = '', confirmed = false }: SignInBody,
  now: number,
): Promise<string> {
  const name = device.slice(0, MAX_DEVICE).toWellFormed() || deviceOfKey(key.name);
  return db.transaction(async (tx) => {
    await lockActiveUser(tx, userId);
    return insertKeySession(tx, key, { userId, device: name, isConfirmed: confirmed }, now);
  });
}

interface SenderSession {
  readonly userId: string;
  readonly id: string;
  readonly usedAt: number;
}

/** The sessions by which the key sends as these users, of those for whom it has one. */
export function findSenderSessions(
  db: Queries,
  keyId: string,
  userIds: readonly string[],
): Promise<SenderSession[]> {
  return db.all<SenderSession>`
    select sessions.user_id as "userId", sessions.id, sessions.used_at as "usedAt"
    from api_key_sessions own join sessions on sessions.id = own.session_id
    where own.key_id = ${keyId} and own.user_id in ${inList(userIds)}`;
}

/**
 * The session by which the key sends as this user, made where there is none. It has no token; the user sees it in their list, and may end it.
 *
 * @throws {ServiceError} `not-found`; `forbidden` for a suspended account; `unauthenticated`, word `key_required`, if the key was revoked
 */
export async function openSenderSession(db: Db, key: Key, userId: string, now: number): Promise<string> {
  return db.transaction(async (tx) => {
    // Of two calls at once, the second one finds the session of the first.
    await lockActiveUser(tx, userId);
    const [own] = await findSenderSessions(tx, key.id, [userId]);
    if (own) return own.id;
    const session = { userId, device: deviceOfKey(key.name), isConfirmed: false };
    const id = await insertKeySession(tx, key, session, now);
    const added = await tx.run`
      insert into api_key_sessions (key_id, user_id, session_id)
      select id, ${userId}, ${id} from api_keys where id = ${key.id} and hash is not null`;
    if (added === 0) throw refusal('unauthenticated', 'key_required');
    return id;
  });
}

async function lockActiveUser(tx: Tx, userId: string): Promise<void> {
  const user = await lockUser(tx, userId);
  if (!user) throw userNotFound();
  if (user.status !== 'active') throw await accountSuspended(tx, userId);
}

async function insertKeySession(
  tx: Tx,
  { name }: Key,
  { userId, device, isConfirmed }: { userId: string; device: string; isConfirmed: boolean },
  now: number,
): Promise<string> {
  const session = { id: newId(now), userId, device, address: '' };
  await insertSession(tx, session, 'signed_in', now, {}, { name, isConfirmed });
  return session.id;
}
