import type { Queries, Tx } from '../../db/db.ts';
import type { Events } from '../../events/hints.ts';
import { keyOfAddress } from '../../http/client-address.ts';
import type { Append } from '../../inbox/inbox.ts';
import { findProof, type Proof } from '../device-proofs.ts';
import { queueNotice } from './notices.ts';

/** A network counts as known for so long after a sign-in from it. */
const KNOWN_MS = 30 * 24 * 60 * 60_000;
/** At most one notice of a user in this time: a program that signs in each minute would push messages out of the event log. */
const QUIET_MS = 60 * 60_000;

/** What the entry of a sign-in has in the account log if the user was notified of it. */
export const NOTICE = { notice: 'new_sign_in' } as const;

export interface NewSession {
  readonly id: string;
  readonly userId: string;
  readonly device: string;
  /** The client's network address; '' if unknown. */
  readonly address: string;
}

/** What decides whether a user is notified of a sign-in, and how. */
export interface SignInNotices {
  readonly events: Events;
  /** The proofs that the device sent. */
  readonly proofs: readonly Proof[];
  readonly hasMail: boolean;
}

/**
 * Whether a user is to be notified of the session that is opened: the device has no valid proof, and no entry of a sign-up or sign-in of
 * the last 30 days has its network (IPv4 address, or /64 of IPv6). The caller has locked the user, so of two logins at once the second
 * one finds the entry of the first.
 */
export async function needsNotice(
  tx: Queries,
  { userId, address }: NewSession,
  proofs: readonly Proof[],
  now: number,
): Promise<boolean> {
  if ((await findProof(tx, userId, proofs, now)) !== undefined) return false;
  const rows = await tx.all<{ address: string; noticed_at: number }>`
    select address, max(case when data like '%new_sign_in%' then at else 0 end) as noticed_at from account_log
    where user_id = ${userId} and at > ${now - KNOWN_MS} and what in ('signed_up', 'signed_in') group by address`;
  const network = keyOfAddress(address);
  return rows.every(
    // Not for longer where the clock was set back.
    (row) => keyOfAddress(row.address) !== network && Math.abs(now - row.noticed_at) >= QUIET_MS,
  );
}

/** Notifies the user's devices, and their verified address if there is one. Neither event nor push has the network address. */
export async function notifyOfSignIn(
  tx: Tx,
  append: Append,
  { id, userId, device, address }: NewSession,
  hasMail: boolean,
  now: number,
): Promise<void> {
  await append(userId, 'account', { what: 'new_sign_in', session: id, device });
  if (!hasMail) return;
  await queueNotice(tx, 'new_sign_in', userId, { session: id, device, address }, now);
  append.publish({ type: 'mail-queued' });
}
