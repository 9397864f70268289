import type { Config } from '../config/config.ts';
import type { Queries } from '../db/db.ts';
import { asTable } from '../db/fragments.ts';
import { newId } from '../db/ids.ts';
import { overloaded, ServiceError } from '../errors.ts';
import { recordChange } from '../events/changes.ts';
import { createInboxes, type Inboxes } from '../inbox/inbox.ts';
import { namesOf, replaceNameKeys } from '../users/name-keys.ts';
import { isPossibleName, nameKey, searchKey } from '../users/names.ts';
import { OPEN_TO_EVERYONE } from '../users/privacy.ts';
import { EMPTY_PROFILE } from '../users/profile-fields.ts';
import { STORED_USER_TABLE, USERNAME_TAKEN, type UserRow } from '../users/schemas.ts';
import { findUserByKey } from '../users/users.ts';
import { accountSuspended } from './account-status.ts';
import { findUserByAddress } from './address/addresses.ts';
import { refuseCommonPassword } from './common-passwords.ts';
import type { Proof } from './device-proofs.ts';
import { findNameHolder } from './held-names.ts';
import { findDeletion, refuseLeaving } from './leaving/deletions.ts';
import type { LoginAccount } from './login-attempts.ts';
import type { Passwords } from './passwords.ts';
import { admit, takeInvite } from './registration/admission.ts';
import type { RegisterBody } from './schemas.ts';
import type { Mac } from './secrets.ts';
import { insertSession, openSession } from './sessions.ts';

/** The dependencies of registration, login and setting a password. */
export interface AccountContext extends Inboxes {
  readonly mac: Mac;
  readonly passwords: Passwords;
  /** The new passwords that are refused. */
  readonly commonPasswords: ReadonlySet<string>;
  readonly registration: Config['registration'];
  readonly now: () => number;
  /** Aborts when the client disconnects: a hash that is still queued is dropped. */
  readonly signal: AbortSignal;
  /** The client's network address, which a new session and the account's log store; '' if unknown. */
  readonly address: string;
  /** How the client names itself (User-Agent), stored so that a user can recognize each session. */
  readonly device: string;
  /** The proofs that the device sent. */
  readonly proofs?: readonly Proof[] | undefined;
  /** Whether the server sends mails. */
  readonly hasMail: boolean;
}

type Verification = ReturnType<Passwords['verify']>;

/**
 * Registers a user and signs them in (interface 4.3). An invite is used up in the transaction that stores the user, so a refused
 * registration uses none.
 *
 * @param context.registration checked before anything is read of the name, so that its refusal does not show which names exist
 * @throws {ServiceError} what {@link admit} throws; `invalid` for a common password ({@link refuseCommonPassword}), for a taken name with the text of interface 7
 */
export async function register(
  { db, events, mac, passwords, commonPasswords, registration, now, signal, address, device }: AccountContext,
  body: RegisterBody,
) {
  const inviteHash = await admit(db, registration, passwords.queue, body.invite, now(), signal);
  refuseCommonPassword(commonPasswords, body.password);
  if (await findNameHolder(db, mac, body.username)) throw usernameTaken();
  const passwordHash = await passwords.hash(body.password, signal);
  const { password: _password, invite: _invite, ...fields } = body;
  const at = now();
  const id = newId(at);
  const sessionId = newId(at);
  const registered = { type: 'user-changed', userId: id } as const;
  const { user, change } = await db.transaction(async (tx) => {
    if (inviteHash !== undefined) await takeInvite(tx, inviteHash, at);
    const row = await insertUser(tx, { ...fields, id, password_hash: passwordHash, created_at: at });
    if (!row) throw usernameTaken();
    await insertSession(tx, { id: sessionId, userId: id, device, address }, 'signed_up', at);
    return { user: row, change: await recordChange(tx, registered) };
  });
  await events.publishChange(registered, change);
  return { user, sessionId };
}

/** A user to be stored. Missing fields get the defaults of interface 2.1; an empty nickname becomes the username. */
export type NewUser = Pick<UserRow, 'id' | 'username' | 'password_hash' | 'created_at'> &
  Partial<Omit<UserRow, 'username_key'>>;

const NEW_USER = {
  ...EMPTY_PROFILE,
  push_enabled: 1,
  dnd_enabled: 0,
  push_preview: 'sender',
  ...OPEN_TO_EVERYONE,
  status: 'active',
} as const satisfies Partial<UserRow>;

/** Stores a user whose fields are already validated. @returns `undefined` if the name or the id is taken */
export async function insertUser(tx: Queries, user: NewUser): Promise<UserRow | undefined> {
  return (await insertUsers(tx, [user]))[0];
}

/** The same for many users at once. @returns the stored ones */
export async function insertUsers(tx: Queries, users: readonly NewUser[]): Promise<UserRow[]> {
  const added = users.map((user) => {
    const username_key = nameKey(user.username);
    const nickname = user.nickname || user.username;
    const row = { ...NEW_USER, ...user, nickname, username_key };
    return { ...row, nickname_key: searchKey(nickname, username_key), keyed_names: namesOf(row) };
  });
  const rows = await tx.all<{ id: string }>`
    insert into users ${asTable(STORED_USER_TABLE, added)} on conflict do nothing returning id`;
  const ids = new Set(rows.map(({ id }) => id));
  const stored = added.filter(({ id }) => ids.has(id));
  await createInboxes(tx, [...ids]);
  await replaceNameKeys(
    tx,
    stored.map(({ id, keyed_names: to }) => ({ id, from: '', to })),
  );
  return stored.map(({ nickname_key: _, keyed_names: __, ...row }) => row);
}

/**
 * Signs a user in by name and password (interface 4.4), or by their verified address if no user has that name. A hash in an older format
 * is replaced, unless the password was changed meanwhile; the session is opened only if the verified hash is still the current one.
 *
 * Names are public and addresses are not: so a wrong password and an unknown address have the same answer, after the same work.
 *
 * @param limit runs the verification of a user's password, or refuses it because of too many wrong ones
 * @throws {ServiceError} `invalid` with the texts of interface 7; `forbidden` for a suspended account, and as {@link refuseLeaving}; what
 *   `limit` throws
 */
export async function logIn(
  { db, events, passwords, now, signal, address, device, proofs = [], hasMail }: AccountContext,
  username: string,
  password: string,
  limit: (account: LoginAccount, verify: () => Verification) => Verification = (_account, verify) => verify(),
) {
  if (!isPossibleName(username)) throw unknownUser();
  const key = nameKey(username);
  for (let attempt = 0; attempt < 5; attempt++) {
    const named = await findUserByKey(db, key);
    const isLeaving = named?.status === 'deleted' && (await findDeletion(db, named.id)) !== undefined;
    const isName = named !== undefined && (named.status !== 'deleted' || isLeaving);
    if (!isName && !username.includes('@')) throw unknownUser();
    const user = isName ? named : await findUserByAddress(db, username);
    const account = user && { userId: user.id };
    const verified = isName
      ? await limit({ userId: named.id }, () => passwords.verify(password, named.password_hash, signal))
      : await limit({ typedAddress: username }, () =>
          passwords.verifyAlike(password, user?.password_hash, signal),
        );
    if (!user || !verified.ok)
      throw isName && !isLeaving
        ? new ServiceError('invalid', 'wrong_password', '密码错误', account)
        : unknownUser(account);
    if (user.status === 'suspended') throw await accountSuspended(db, user.id);
    if (user.status === 'deleted') {
      const refusal = await refuseLeaving(db, user.id, now());
      if (refusal) throw refusal;
      continue;
    }
    let current = user.password_hash;
    if (verified.replacement) {
      current = await passwords.hash(password, signal);
      await db.run`update users set password_hash = ${current} where id = ${user.id} and password_hash = ${user.password_hash}`;
    }
    const notices = { events, proofs, hasMail };
    const sessionId = await openSession(db, user.id, current, device, now(), address, notices);
    if (sessionId) return { user, sessionId };
  }
  // In every attempt the hash was replaced, or the account deleted or restored, between reading and writing it.
  throw overloaded();
}

function unknownUser(account?: { userId: string }): ServiceError {
  return new ServiceError('invalid', 'unknown_user', '用户不存在', account);
}

function usernameTaken(): ServiceError {
  return new ServiceError('invalid', ...USERNAME_TAKEN);
}
