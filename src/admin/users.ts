import { insertUser } from '../accounts/accounts.ts';
import { findAddress } from '../accounts/address/addresses.ts';
import { EMAIL_INVALID } from '../accounts/address/schemas.ts';
import { dropAddress, storeAddress } from '../accounts/address/verification.ts';
import { refuseCommonPassword } from '../accounts/common-passwords.ts';
import { NO_PASSWORD } from '../accounts/hashes/hash-formats.ts';
import { findNameHolder } from '../accounts/held-names.ts';
import { logAct } from '../accounts/log/account-log.ts';
import type { Passwords } from '../accounts/passwords.ts';
import type { Mac } from '../accounts/secrets.ts';
import type { Queries, Tx } from '../db/db.ts';
import { isUserId } from '../db/ids.ts';
import { ServiceError } from '../errors.ts';
import { badCursor } from '../http/pages.ts';
import { type Append, type Checked, checkThenLock, type Inboxes, withInboxes } from '../inbox/inbox.ts';
import { parseAddress } from '../mail/address.ts';
import type { MailLanguage } from '../mail/mail-jobs.ts';
import type { MailServices } from '../mail/mail-services.ts';
import { changeProfile } from '../profiles/profiles.ts';
import { USER_COLUMNS, USERNAME_TAKEN, type UserRow } from '../users/schemas.ts';
import { lockUser, userNotFound } from '../users/users.ts';
import { MAX_LISTED, type PutUserBody } from './schemas.ts';

interface PutUserContext extends Inboxes {
  readonly mac: Mac;
  readonly passwords: Passwords;
  /** The new passwords that are refused. */
  readonly commonPasswords: ReadonlySet<string>;
  /** Null: no mail is sent. */
  readonly mail: MailServices | null;
  /** The name of the API key. */
  readonly key: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** That of mails to a first verified address. */
  readonly language: MailLanguage;
  /** Aborts when the backend disconnects. */
  readonly signal: AbortSignal;
}

/** The user with this id, also a suspended or deleted one. @throws {ServiceError} `not-found` */
export async function getAnyUser(db: Queries, id: string): Promise<UserRow> {
  const user = await findAnyUser(db, id);
  if (!user) throw userNotFound();
  return user;
}

function findAnyUser(db: Queries, id: string): Promise<UserRow | undefined> {
  return db.get<UserRow>`select ${USER_COLUMNS} from users where id = ${id}`;
}

/**
 * A page of all users by id, also of suspended and deleted ones.
 *
 * @param page.after the last id of the page before
 * @throws {ServiceError} `invalid`, word `bad_cursor`
 */
export async function listAnyUsers(
  db: Queries,
  { after, limit = MAX_LISTED }: { after?: string; limit?: number },
): Promise<{ users: UserRow[]; next?: string }> {
  if (after !== undefined && !isUserId(after)) throw badCursor();
  const rows = await db.all<UserRow>`
    select ${USER_COLUMNS} from users where id > ${after ?? ''} order by id limit ${limit + 1}`;
  const users = rows.slice(0, limit);
  const next = rows.length > limit ? users.at(-1)?.id : undefined;
  return { users, ...(next !== undefined && { next }) };
}

/**
 * Creates a user with the id that the product chose, or changes what is sent of theirs: their devices get a `profile` event. The password
 * counts at creation alone. The same call again changes nothing, and of several at once one creates.
 *
 * @throws {ServiceError} `invalid`: `username_taken`, `username_fixed` for another name of an existing id, `user_deleted`,
 *   `email_invalid`, `email_taken`, and for a common password ({@link refuseCommonPassword}); what {@link Passwords.hash} throws
 */
export async function putUser(
  context: PutUserContext,
  body: PutUserBody,
): Promise<{ created: boolean; user: UserRow }> {
  const address = readAddress(body.verified_email);
  const created = (await findAnyUser(context.db, body.id))
    ? undefined
    : await createUser(context, body, address);
  if (created) return { created: true, user: created };
  return { created: false, user: await changeUser(context, body, address) };
}

/** @returns `undefined` if the id is taken meanwhile */
async function createUser(
  context: PutUserContext,
  { id, username, password, verified_email: _, ...profile }: PutUserBody,
  address: string | undefined,
): Promise<UserRow | undefined> {
  const { db, mac, passwords, commonPasswords, key, at, signal } = context;
  if (password !== undefined) refuseCommonPassword(commonPasswords, password);
  const named = await findNameHolder(db, mac, username);
  if (named) return isOther(named, id);
  const password_hash = password === undefined ? NO_PASSWORD : await passwords.hash(password, signal);
  return withInboxes(context, [], at, async (tx, append) => {
    const row = await insertUser(tx, { ...profile, id, username, password_hash, created_at: at });
    if (!row) return isOther(await findAnyUser(tx, id), id);
    await logAct(tx, { userId: id, what: 'signed_up', at, key });
    if (address) await writeAddress(tx, append, context, id, address, context.language);
    append.publish({ type: 'user-changed', userId: id });
    return row;
  });
}

/** @throws {ServiceError} `username_taken`, unless the user who was found has the id */
function isOther(found: UserRow | undefined, id: string): undefined {
  if (found?.id !== id) throw new ServiceError('invalid', ...USERNAME_TAKEN);
}

interface Change {
  readonly user: UserRow;
  readonly profile: Omit<PutUserBody, 'id' | 'username' | 'password' | 'verified_email'>;
  /** With the language of the one that it replaces; `undefined`: it stays. */
  readonly address: { readonly email: string; readonly language: MailLanguage } | undefined;
}

async function changeUser(
  context: PutUserContext,
  body: PutUserBody,
  email: string | undefined,
): Promise<UserRow> {
  const { id } = body;
  const check = (db: Queries) => findChange(db, body, email, context.language);
  return checkThenLock(context, [id], context.at, check, async (tx, append, { user, profile, address }) => {
    if (address) {
      await lockUser(tx, id);
      await writeAddress(tx, append, context, id, address.email, address.language);
    }
    return changeProfile(tx, append, user, profile);
  });
}

async function findChange(
  db: Queries,
  { id, username, password: _, verified_email: __, ...sent }: PutUserBody,
  email: string | undefined,
  language: MailLanguage,
): Promise<Checked<UserRow, Change>> {
  const [user, old] = await Promise.all([getAnyUser(db, id), findAddress(db, id)]);
  if (user.status === 'deleted') throw new ServiceError('invalid', 'user_deleted', '该用户已删除');
  if (user.username !== username) throw new ServiceError('invalid', 'username_fixed', '用户名不能更改');
  const wanted = { ...sent, ...(sent.nickname === '' && { nickname: username }) };
  const changed = Object.entries(wanted).filter(([name, value]) => user[name as keyof UserRow] !== value);
  const isAddressChanged = email !== undefined && email !== (old?.address ?? '');
  if (changed.length === 0 && !isAddressChanged) return { answer: user };
  const address = isAddressChanged ? { email, language: old?.language ?? language } : undefined;
  return { change: { user, profile: Object.fromEntries(changed), address } };
}

/** @returns the address as it is stored; '' for none @throws {ServiceError} `invalid`, word `email_invalid` */
function readAddress(email: string | undefined): string | undefined {
  if (email === undefined || email === '') return email;
  const address = parseAddress(email);
  if (address === undefined) throw new ServiceError('invalid', ...EMAIL_INVALID);
  return address;
}

/** @param address '' removes the user's */
async function writeAddress(
  tx: Tx,
  append: Append,
  { mail, key, at }: PutUserContext,
  userId: string,
  address: string,
  language: MailLanguage,
): Promise<void> {
  const context = { mail, client: { key } };
  if (address === '') await dropAddress(tx, append, context, userId, at);
  else await storeAddress(tx, append, context, { user_id: userId, address, language }, at);
}
