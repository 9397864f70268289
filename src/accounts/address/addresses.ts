import { inBatches } from '../../db/batches.ts';
import type { Db, Queries, Tx } from '../../db/db.ts';
import { asTable, inList } from '../../db/fragments.ts';
import { addressKey, parseAddress } from '../../mail/address.ts';
import type { MailLanguage } from '../../mail/mail-jobs.ts';
import { USER_COLUMNS, type UserRow } from '../../users/schemas.ts';
import { sessionEnded } from '../session-lookup.ts';
import { confirmedUntil } from '../step-up/step-up.ts';
import type { Account } from './schemas.ts';

/** Wrong codes for one address that waits to be verified; after them only another mail helps. */
export const MAX_TRIES = 5;

/** A verified address: its mailbox belongs to the user, who gets their mails there. Only they see it. */
export interface AddressRow {
  readonly user_id: string;
  readonly address: string;
  readonly address_key: string;
  readonly language: MailLanguage;
  readonly verified_at: number;
}

const ADDRESS_TABLE = {
  user_id: 'text',
  address: 'text',
  address_key: 'text',
  language: 'text',
  verified_at: 'bigint',
} as const satisfies Record<keyof AddressRow, 'text' | 'bigint'>;

/** The verified address of a user. */
export async function findAddress(db: Queries, userId: string): Promise<AddressRow | undefined> {
  return db.get<AddressRow>`
    select user_id, address, address_key, language, verified_at from emails where user_id = ${userId}`;
}

/** What the caller may see of how they sign in. An address that can no longer be verified does not wait. */
export async function readAccount(
  db: Queries,
  { userId, sessionId }: { userId: string; sessionId: string },
  now: number,
): Promise<Account> {
  const row = await db.get<{ email: string; pending_email: string; confirmed_at: number }>`
    select confirmed_at, coalesce((select address from emails where user_id = ${userId}), '') as email,
      coalesce((select address from email_codes
        where user_id = ${userId} and tries < ${MAX_TRIES} and expires_at > ${now}), '') as pending_email
    from sessions where id = ${sessionId}`;
  if (!row) throw sessionEnded();
  const { confirmed_at, ...addresses } = row;
  return { ...addresses, confirmed_until: confirmedUntil(confirmed_at, now) };
}

/** The user with this verified address, in any spelling of it; also a suspended one, or one who can undo their deletion. */
export async function findUserByAddress(db: Queries, text: string): Promise<UserRow | undefined> {
  const address = parseAddress(text);
  if (address === undefined) return undefined;
  return db.get<UserRow>`
    select ${USER_COLUMNS} from users
    where id = (select user_id from emails where address_key = ${addressKey(address)})
      and (status <> 'deleted' or exists (select 1 from deletions where user_id = users.id))`;
}

/** One text for all spellings of an address, and of a text that is none. */
export function spellingKey(text: string): string {
  return addressKey(parseAddress(text) ?? text);
}

/** Which of these keys are those of addresses that users have verified. */
export async function findTakenAddresses(db: Queries, keys: readonly string[]): Promise<string[]> {
  const rows = await db.all<Pick<AddressRow, 'address_key'>>`
    select address_key from emails where address_key in ${inList(keys)}`;
  return rows.map((row) => row.address_key);
}

/** Stores the verified addresses of users who have none. @returns how many: those that another user has are left out */
export async function insertAddresses(
  tx: Tx,
  addresses: readonly Omit<AddressRow, 'address_key'>[],
): Promise<number> {
  if (addresses.length === 0) return 0;
  const rows = addresses.map((row) => ({ ...row, address_key: addressKey(row.address) }));
  return tx.run`
    insert into emails (user_id, address, address_key, language, verified_at)
    select user_id, address, address_key, language, verified_at from ${asTable(ADDRESS_TABLE, rows)} as added where true
    on conflict (address_key) do nothing`;
}

/** Removes the address of a user that waits to be verified: its code and link are void. */
export async function endPendingAddress(tx: Queries, userId: string): Promise<void> {
  await tx.run`delete from email_codes where user_id = ${userId}`;
}

/** Removes the verified address of a user, in the caller's transaction. */
export async function deleteAddress(tx: Queries, userId: string): Promise<void> {
  await tx.run`delete from emails where user_id = ${userId}`;
}

/** Removes addresses that were not verified in time. */
export async function removeExpiredCodes(db: Db, now: number): Promise<void> {
  await inBatches(
    (limit) => db.run`
      delete from email_codes where user_id in (
        select user_id from email_codes where expires_at <= ${now} order by expires_at limit ${limit})
      and expires_at <= ${now}`, // again: one that was asked for meanwhile stays
  );
}
