import type { Db, Queries } from '../db/db.ts';
import { newId } from '../db/ids.ts';
import { ServiceError } from '../errors.ts';
import { recordChange } from '../events/changes.ts';
import { createInbox, type Inboxes, withInboxes } from '../inbox/inbox.ts';
import { isPossibleName, nameKey, refuseUnsafeAvatar, searchKey } from '../users/names.ts';
import { USER_COLUMNS, USERNAME_TAKEN, type UserRow } from '../users/schemas.ts';
import { findUserByKey, getUser } from '../users/users.ts';
import { refuseCommonPassword } from './common-passwords.ts';
import { endProofsOfUser, type Proof } from './device-proofs.ts';
import { endLinkOfUser } from './password-links.ts';
import type { Passwords } from './passwords.ts';
import type { Admission } from './registration/admission.ts';
import type { RegisterBody } from './schemas.ts';
import { assertSessionActive } from './session-lookup.ts';
import { endSessionsOfUser, insertSession, openSession } from './sessions.ts';

/** What registering, logging in and changing a password need. */
interface HashingContext {
  readonly db: Db;
  readonly passwords: Passwords;
  /** The new passwords that are refused; null or left out: none. */
  readonly commonPasswords?: ReadonlySet<string> | null;
  readonly now: number;
  /** Aborts when the client disconnects: a hash that is still queued is dropped. */
  readonly signal: AbortSignal;
  /** The client's network address, which a new session stores; left out if unknown. */
  readonly address?: string;
}

interface SignInResult {
  readonly user: UserRow;
  readonly sessionId: string;
}

/**
 * Registers a user and signs them in (interface 4.3). An invite is used up in the transaction that stores the user, so a refused
 * registration uses none.
 *
 * @param context.admission asked before anything is read of the name, so that its refusal does not show which names exist
 * @param device how the client names itself (User-Agent)
 * @throws {ServiceError} `invalid` for an unsafe avatar; what `admission` throws; `invalid` for a common password ({@link refuseCommonPassword}), for a taken name with the text of interface 7
 */
export async function register(
  {
    db,
    events,
    passwords,
    commonPasswords = null,
    admission,
    now,
    signal,
    address = '',
  }: HashingContext & Inboxes & { readonly admission: Admission },
  body: RegisterBody,
  device: string,
): Promise<SignInResult> {
  refuseUnsafeAvatar(body.avatar ?? '');
  const admitted = await admission.judge(body.invite, now, signal);
  refuseCommonPassword(commonPasswords, body.password);
  const key = nameKey(body.username);
  if (await findUserByKey(db, key)) throw usernameTaken();
  const passwordHash = await passwords.hash(body.password, signal);
  const { username, nickname, email, avatar } = body;
  const id = newId(now);
  const sessionId = newId(now);
  const registered = { type: 'user-changed', userId: id } as const;
  const { user, change } = await db.transaction(async (tx) => {
    await admitted.take(tx);
    const row = await insertUser(tx, {
      id,
      username,
      password_hash: passwordHash,
      nickname,
      email,
      avatar,
      created_at: now,
    });
    if (!row) throw usernameTaken();
    await insertSession(tx, { id: sessionId, userId: id, device, address }, now);
    return { user: row, change: await recordChange(tx, registered) };
  });
  await events.publishChange(registered, change);
  return { user, sessionId };
}

/** A user to be stored. Missing fields get the defaults of interface 2.1; an empty nickname becomes the username. */
export type NewUser = Pick<UserRow, 'id' | 'username' | 'password_hash' | 'created_at'> &
  Partial<Omit<UserRow, 'username_key'>>;

/** Stores a user whose fields are already validated. @returns `undefined` if the name is taken */
export async function insertUser(tx: Queries, user: NewUser): Promise<UserRow | undefined> {
  const {
    id,
    username,
    password_hash,
    created_at,
    email = '',
    avatar = '',
    gender = '',
    bio = '',
    phone = '',
  } = user;
  const { push_enabled = 1, dnd_enabled = 0, push_preview = 'sender', status = 'active' } = user;
  const nickname = user.nickname || username;
  const key = nameKey(username);
  const row = await tx.get<UserRow>`
    insert into users (id, username, username_key, password_hash, nickname, nickname_key, email, avatar, gender, bio, phone,
      push_enabled, dnd_enabled, push_preview, status, created_at)
    values (${id}, ${username}, ${key}, ${password_hash}, ${nickname}, ${searchKey(nickname, key)}, ${email}, ${avatar}, ${gender},
      ${bio}, ${phone}, ${push_enabled}, ${dnd_enabled}, ${push_preview}, ${status}, ${created_at})
    on conflict (username_key) do nothing returning ${USER_COLUMNS}`;
  if (row) await createInbox(tx, id);
  return row;
}

/** Runs the verification of a password for this user, or refuses it because of too many wrong ones. */
export type LimitLogins = <Verified extends { ok: boolean }>(
  userId: string,
  verify: () => Promise<Verified>,
) => Promise<Verified>;

/**
 * Signs a user in by name and password (interface 4.4). A hash in an older format is replaced, unless
 * the password was changed meanwhile; the session is opened only if the verified hash is still the current one.
 *
 * @throws {ServiceError} `invalid` with the texts of interface 7; `forbidden` for a suspended account; what `limit` throws
 */
export async function logIn(
  { db, passwords, now, signal, address = '' }: HashingContext,
  username: string,
  password: string,
  device: string,
  limit: LimitLogins = (_userId, verify) => verify(),
): Promise<SignInResult> {
  if (!isPossibleName(username)) throw unknownUser();
  const key = nameKey(username);
  for (let attempt = 0; attempt < 5; attempt++) {
    const user = await findUserByKey(db, key);
    if (!user || user.status === 'deleted') throw unknownUser();
    const verified = await limit(user.id, () => passwords.verify(password, user.password_hash, signal));
    const account = { userId: user.id };
    if (!verified.ok) throw new ServiceError('invalid', 'wrong_password', '密码错误', account);
    if (user.status === 'suspended')
      throw new ServiceError('forbidden', 'account_suspended', '账号已停用', account);
    let current = user.password_hash;
    if (verified.replacement) {
      current = await passwords.hash(password, signal);
      await db.run`update users set password_hash = ${current} where id = ${user.id} and password_hash = ${user.password_hash}`;
    }
    const sessionId = await openSession(db, user.id, current, device, now, address);
    if (sessionId) return { user, sessionId };
  }
  throw conflict();
}

/**
 * Changes the caller's password and ends all other sessions of theirs (interface 4.5), and their password link. The caller's own
 * session gets a `sessions` event.
 *
 * @param proofs the proofs of the caller's device, which stay valid; all other proofs of the user end
 * @returns the sessions that ended
 * @throws {ServiceError} `invalid`, word `wrong_old_password`, and for a common password ({@link refuseCommonPassword}); `unauthenticated` if the session ended meanwhile
 */
export async function changePassword(
  { db, events, passwords, commonPasswords = null, now, signal }: HashingContext & Inboxes,
  caller: { userId: string; sessionId: string },
  oldPassword: string,
  newPassword: string,
  proofs: readonly Proof[] = [],
): Promise<string[]> {
  refuseCommonPassword(commonPasswords, newPassword);
  for (let attempt = 0; attempt < 5; attempt++) {
    const { password_hash: oldHash } = await getUser(db, caller.userId);
    const verified = await passwords.verify(oldPassword, oldHash, signal);
    if (!verified.ok) throw new ServiceError('invalid', 'wrong_old_password', '旧密码错误');
    const newHash = await passwords.hash(newPassword, signal);
    const ended = await withInboxes({ db, events }, [caller.userId], now, async (tx, append) => {
      const changed = await tx.run`
        update users set password_hash = ${newHash} where id = ${caller.userId} and password_hash = ${oldHash}`;
      await assertSessionActive(tx, caller.sessionId);
      if (changed === 0) return undefined;
      const sessionIds = await endSessionsOfUser(tx, caller.userId, caller.sessionId);
      await endProofsOfUser(tx, caller.userId, proofs);
      await endLinkOfUser(tx, caller.userId);
      append.commitWithoutEvents();
      if (sessionIds.length > 0) {
        await append(caller.userId, 'sessions', { ended: sessionIds });
        append.publish({ type: 'sessions-ended', sessionIds });
      }
      return sessionIds;
    });
    if (ended) return ended;
  }
  throw conflict();
}

function unknownUser(): ServiceError {
  return new ServiceError('invalid', 'unknown_user', '用户不存在');
}

function usernameTaken(): ServiceError {
  return new ServiceError('invalid', ...USERNAME_TAKEN);
}

/** The stored hash was replaced between reading and writing it in every attempt. */
function conflict(): ServiceError {
  return new ServiceError('rate-limited', 'overloaded', '服务繁忙，请稍后再试', { retryAfterSeconds: 1 });
}
