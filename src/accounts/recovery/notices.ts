import type { Tx } from '../../db/db.ts';
import { type MailKind, queueMail } from '../../mail/mail-jobs.ts';
import { findAddress } from '../address/addresses.ts';

/**
 * Queues a mail about an act, in the transaction of the act, if the user has a verified address. It goes to the address of that moment, so
 * the user gets it even if a thief sets a new password and then another address.
 */
export async function queueNotice(
  tx: Tx,
  kind: Exclude<MailKind, 'verify' | 'forgot' | 'address_changed' | 'test'>,
  userId: string,
  data: Readonly<Record<string, string | number>>,
  now: number,
): Promise<void> {
  const to = await findAddress(tx, userId);
  if (!to) return;
  const { address, language } = to;
  const dedup = `${kind} ${userId} ${now}`;
  await queueMail(tx, { kind, dedup, userId, address, language, data: { ...data, at: now } }, now);
}
