import { randomInt } from 'node:crypto';
import type { Queries, Tx } from '../../db/db.ts';
import { ServiceError } from '../../errors.ts';
import { type Append, type Inboxes, withInboxes } from '../../inbox/inbox.ts';
import type { Limits } from '../../limits/limits.ts';
import { refuseAbove } from '../../limits/local-limits.ts';
import { addressKey, parseAddress } from '../../mail/address.ts';
import { type MailLanguage, type QueuedMail, queueMail } from '../../mail/mail-jobs.ts';
import type { Mail } from '../../mail/mail-message.ts';
import { type MailServices, requireMail } from '../../mail/mail-services.ts';
import { lockUser } from '../../users/users.ts';
import { type ActingClient, logAct } from '../log/account-log.ts';
import { VERIFY } from '../mail-texts.ts';
import { createSecret, hashOfSecret, type Mac } from '../secrets.ts';
import { assertSessionActive } from '../session-lookup.ts';
import { requireConfirmed } from '../step-up/step-up.ts';
import { type AddressRow, deleteAddress, endPendingAddress, findAddress, MAX_TRIES } from './addresses.ts';
import { CODE_INVALID, EMAIL_INVALID } from './schemas.ts';

// A user verifies an address by a code, or a link, that only its mailbox gets. Both are made when the mail is built.

const CODE_MS = 15 * 60_000;
const HOUR_MS = 60 * 60_000;
/** Mails with a code that an account may ask for, and that an address may get, whoever asks. */
const OF_ACCOUNT = { limit: 5, windowMs: HOUR_MS, maxKeys: 100_000 };
const OF_ADDRESS = { limit: 3, windowMs: 24 * HOUR_MS, maxKeys: 100_000 };

/** The dependencies of the rules below. */
export interface AddressContext extends Inboxes {
  /** Null: no mail is sent. */
  readonly mail: MailServices | null;
  readonly mac: Mac;
  readonly limitCodeMails: ReturnType<typeof openCodeMailLimit>;
  readonly client: ActingClient;
  readonly now: () => number;
}

interface Caller {
  readonly userId: string;
  readonly sessionId: string;
}

/** @returns a function that counts a mail, and throws `rate-limited`, word `too_many_mails`, if it is one too many */
export function openCodeMailLimit(limits: Limits, mac: Mac) {
  const ofAccount = limits.open('mails-account', OF_ACCOUNT, 'exact');
  const ofAddress = limits.open('mails-address', OF_ADDRESS, 'exact');
  const refusal = ['too_many_mails', '验证邮件发送过多，请稍后再试'] as const;
  return async (userId: string, address: string): Promise<void> => {
    // The account first: a call that it may not make uses up nothing of an address, which may be a stranger's.
    refuseAbove(await ofAccount.take(userId), refusal);
    refuseAbove(await ofAddress.take(mac('mails', addressKey(address))), refusal);
  };
}

/**
 * Asks for the mail by which the caller verifies an address. It replaces an earlier address that waits; the verified one stays until then.
 * Whether another account has the address shows only behind its code.
 *
 * @throws {ServiceError} `invalid`, word `email_invalid`; `forbidden`, word `mail_off`, and as {@link requireConfirmed};
 *   `rate-limited`, word `too_many_mails`
 */
export async function requestCode(
  { mail, limitCodeMails, now, ...inboxes }: AddressContext,
  { userId, sessionId }: Caller,
  email: string,
  language: MailLanguage,
): Promise<void> {
  const address = parseAddress(email);
  if (address === undefined) throw new ServiceError('invalid', ...EMAIL_INVALID);
  requireMail(mail);
  const at = now();
  // What is refused here counts for no limit.
  await requireConfirmed(inboxes.db, sessionId, at);
  await limitCodeMails(userId, address);
  await withInboxes(inboxes, [userId], at, async (tx, append) => {
    await lockUser(tx, userId);
    await requireConfirmed(tx, sessionId, at);
    await tx.run`
      insert into email_codes (user_id, address, language, requested_at, expires_at)
      values (${userId}, ${address}, ${language}, ${at}, ${at + CODE_MS})
      on conflict (user_id) do update set address = excluded.address, language = excluded.language,
        requested_at = excluded.requested_at, expires_at = excluded.expires_at,
        code_hash = null, link_hash = null, tries = 0`;
    const job = { kind: 'verify', dedup: `verify ${userId} ${at}`, userId, address, language } as const;
    await queueMail(tx, { ...job, data: { requested: at } }, at);
    append.publish({ type: 'mail-queued' });
  });
}

/**
 * Makes code and link, which replace those of an earlier try of the same job, and the mail with both. It has no word that a user wrote, as
 * anyone may name any address.
 *
 * @returns `undefined` if a later request replaced this one, or the address can no longer be verified
 */
export async function buildCodeMail(
  tx: Tx,
  { id, userId, data, tries }: QueuedMail,
  { publicUrl, mac }: { publicUrl: string; mac: Mac },
  now: number,
): Promise<Mail | undefined> {
  if (userId === null || (await lockUser(tx, userId))?.status !== 'active') return undefined;
  const [code, token] = [String(randomInt(10 ** 8)).padStart(8, '0'), createSecret()];
  const row = await tx.get<{ address: string; language: MailLanguage }>`
    update email_codes set code_hash = ${hashOfCode(mac, userId, code)}, link_hash = ${hashOfSecret(token)},
      expires_at = ${now + CODE_MS}
    where user_id = ${userId} and requested_at = ${data.requested ?? 0} and tries < ${MAX_TRIES}
    returning address, language`;
  if (!row) return undefined;
  if (tries === 0) await logAct(tx, { userId, what: 'mail', at: now, detail: { kind: 'verify', job: id } });
  return { to: row.address, ...VERIFY[row.language]({ code, link: `${publicUrl}/verify-email#${token}` }) };
}

/**
 * Makes the address that waits the verified one of its user, by the code that the caller typed or the token of a link, once.
 *
 * @returns the address
 * @throws {ServiceError} `invalid`, word `code_invalid`, whatever is wrong; `email_taken` if another account has verified it: the code
 *   stays valid; `unauthenticated` if the caller's session ended meanwhile
 */
export async function verifyAddress(
  context: AddressContext,
  by: (Caller & { readonly code: string }) | { readonly token: string },
): Promise<string> {
  const { db, mac } = context;
  const at = context.now();
  const userId = 'token' in by ? await findUserOfToken(db, by.token) : by.userId;
  if (userId === undefined) throw codeInvalid();
  const verified = await withInboxes(context, [userId], at, async (tx, append) => {
    if ((await lockUser(tx, userId))?.status !== 'active') return undefined;
    if ('code' in by) await assertSessionActive(tx, by.sessionId);
    const pending = await tx.get<PendingRow>`
      select user_id, address, language, code_hash, link_hash from email_codes
      where user_id = ${userId} and expires_at > ${at} and expires_at <= ${at + CODE_MS} and tries < ${MAX_TRIES}`;
    if (!pending?.code_hash) return undefined;
    const isRight =
      'token' in by
        ? pending.link_hash === hashOfSecret(by.token)
        : pending.code_hash === hashOfCode(mac, userId, by.code);
    if (isRight) return storeAddress(tx, append, context, pending, at);
    await tx.run`update email_codes set tries = tries + 1 where user_id = ${userId}`;
    return undefined;
  });
  if (verified === undefined) throw codeInvalid();
  return verified;
}

/**
 * Removes the verified address of the caller, and one that waits. A repeat changes nothing.
 *
 * @throws {ServiceError} as {@link requireConfirmed}
 */
export async function removeAddress(context: AddressContext, { userId, sessionId }: Caller): Promise<void> {
  const at = context.now();
  await withInboxes(context, [userId], at, async (tx, append) => {
    await lockUser(tx, userId);
    await requireConfirmed(tx, sessionId, at);
    await dropAddress(tx, append, context, userId, at);
  });
}

type WriteContext = Pick<AddressContext, 'mail' | 'client'>;

/** Removes the addresses of a user whose inbox and row the transaction has locked. */
export async function dropAddress(
  tx: Tx,
  append: Append,
  context: WriteContext,
  userId: string,
  at: number,
): Promise<void> {
  const old = await findAddress(tx, userId);
  await endPendingAddress(tx, userId);
  await deleteAddress(tx, userId);
  if (!old) return;
  await logAct(tx, { userId, what: 'email_removed', at, ...context.client });
  await notifyOldAddress(tx, append, context, old, at);
}

interface PendingRow extends Pick<AddressRow, 'user_id' | 'address' | 'language'> {
  readonly code_hash: string | null;
  readonly link_hash: string | null;
}

/**
 * Stores a verified address in place of an earlier one, with inbox and row of its user locked. Of two accounts at once that verify one
 * address, the second one waits for the first.
 *
 * @throws {ServiceError} `invalid`, word `email_taken`
 */
export async function storeAddress(
  tx: Tx,
  append: Append,
  context: WriteContext,
  { user_id: userId, address, language }: Pick<AddressRow, 'user_id' | 'address' | 'language'>,
  at: number,
): Promise<string> {
  const old = await findAddress(tx, userId);
  const key = addressKey(address);
  await endPendingAddress(tx, userId);
  await deleteAddress(tx, userId);
  // A command of the version before deletes users without their addresses.
  await tx.run`
    delete from emails
    where address_key = ${key} and exists (select 1 from users where id = emails.user_id and status = 'deleted')
      and not exists (select 1 from deletions where user_id = emails.user_id)`;
  const stored = await tx.run`
    insert into emails (user_id, address, address_key, language, verified_at)
    values (${userId}, ${address}, ${key}, ${language}, ${at}) on conflict (address_key) do nothing`;
  if (stored === 0) throw new ServiceError('invalid', 'email_taken', '该邮箱已被其他账号使用');
  const isChange = old !== undefined && old.address_key !== key;
  await logAct(tx, { userId, what: isChange ? 'email_changed' : 'email_verified', at, ...context.client });
  if (isChange) await notifyOldAddress(tx, append, context, old, at);
  return address;
}

/** Mails the address that is no longer the user's, so that a thief of the account cannot take it unnoticed. */
async function notifyOldAddress(
  tx: Tx,
  append: Append,
  { mail }: WriteContext,
  { user_id: userId, address, language }: AddressRow,
  at: number,
): Promise<void> {
  if (mail === null) return;
  const dedup = `address_changed ${userId} ${at}`;
  await queueMail(tx, { kind: 'address_changed', dedup, userId, address, language }, at);
  append.publish({ type: 'mail-queued' });
}

async function findUserOfToken(db: Queries, token: string): Promise<string | undefined> {
  const row = await db.get<{ user_id: string }>`
    select user_id from email_codes where link_hash = ${hashOfSecret(token)}`;
  return row?.user_id;
}

/** 8 digits can be tried out, so they are stored under a key. */
function hashOfCode(mac: Mac, userId: string, code: string): string {
  return mac('email-code', `${userId} ${code}`);
}

function codeInvalid(): ServiceError {
  return new ServiceError('invalid', ...CODE_INVALID);
}
