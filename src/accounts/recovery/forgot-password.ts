import { randomInt } from 'node:crypto';
import type { Queries, Tx } from '../../db/db.ts';
import { overloaded } from '../../errors.ts';
import type { Inboxes } from '../../inbox/inbox.ts';
import { addressKey, parseAddress } from '../../mail/address.ts';
import {
  type MailLanguage,
  MOST_WAITING,
  type QueuedMail,
  queueMail,
  setMailData,
} from '../../mail/mail-jobs.ts';
import type { Mail } from '../../mail/mail-message.ts';
import { type MailServices, requireMail } from '../../mail/mail-services.ts';
import { nameKey } from '../../users/names.ts';
import { findUserByKey, lockUser } from '../../users/users.ts';
import { findAddress, findUserByAddress } from '../address/addresses.ts';
import { logAct } from '../log/account-log.ts';
import { FORGOT } from '../mail-texts.ts';
import { createPasswordLink, findLink } from '../password-links.ts';
import { hashOfSecret, type Mac } from '../secrets.ts';

const OVERLOADED_SECONDS = 60;
/** A mail waits for a random part of this, so that the time of a call right behind does not show whether its link is being made. */
const SPREAD_MS = 1000;

/** For so long after a mail or a link no other mail replaces the link, so that no one can void it by asking. */
const QUIET_MS = 5 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
const MOST_A_DAY = 5;

/**
 * Queues the mail with a link for a new password. It is one statement that reads no user, so neither the answer nor its time shows
 * whether there is such an account; {@link buildForgotMail} looks later. A repeat while the mail waits changes nothing.
 *
 * @param account a username or an address, as it was typed
 * @throws {ServiceError} `forbidden`, word `mail_off`; `rate-limited`, word `overloaded`
 */
export async function requestPasswordMail(
  { db, events }: Inboxes,
  mail: MailServices | null,
  mac: Mac,
  { account, language }: { account: string; language: MailLanguage },
  now: number,
): Promise<void> {
  if (requireMail(mail).waiting >= MOST_WAITING) throw overloaded(OVERLOADED_SECONDS);
  // Two texts with one key find the same user: full-width letters are another spelling of a name, and none of an address.
  const key = `${addressKey(parseAddress(account) ?? '')} ${nameKey(account)}`;
  const [dedup, dueAt] = [`forgot ${mac('forgot', key)}`, now + randomInt(SPREAD_MS)];
  await queueMail(db, { kind: 'forgot', dedup, account, language, dueAt }, now);
  events.publish({ type: 'mail-queued' });
}

/**
 * Makes the link, which replaces an earlier one, and its mail. The job keeps the hash of the link for a retry, which may replace that link
 * and no other: not one that was made since, and none where its own was used or ended.
 *
 * @returns `undefined` if there is no active account with a verified address, or no other mail may go to it now
 */
export async function buildForgotMail(
  tx: Tx,
  job: QueuedMail,
  publicUrl: string,
  now: number,
): Promise<Mail | undefined> {
  const owner = await findUserByAddress(tx, job.account);
  const user = owner?.status === 'active' ? owner : await findUserByKey(tx, nameKey(job.account));
  if (!user) return undefined;
  const { id: userId, username } = user;
  // Behind the user's lock, so that of two jobs of one user the second one finds the mail of the first.
  if ((await lockUser(tx, userId))?.status !== 'active') return undefined;
  const to = await findAddress(tx, userId);
  if (!to) return undefined;
  const current = await findLink(tx, userId);
  const isRetry = job.data.link !== undefined;
  if (isRetry ? job.data.link !== current?.hash : await mustWait(tx, userId, now, current?.madeAt))
    return undefined;
  const link = await createPasswordLink(tx, userId, now);
  if (!link) return undefined;
  await setMailData(tx, job.id, { link: hashOfSecret(link.token) });
  if (!isRetry) await logAct(tx, { userId, what: 'mail', at: now, detail: { kind: 'forgot', job: job.id } });
  const text = FORGOT[job.language]({ username, link: `${publicUrl}/set-password#${link.token}` });
  return { to: to.address, ...text };
}

/** Whether no mail may go to the user yet. A time after `now`, as the clock was set back, counts for no longer than one before it. */
async function mustWait(tx: Queries, userId: string, now: number, linkMadeAt = 0): Promise<boolean> {
  const mails = await tx.all<{ at: number }>`
    select at from account_log where user_id = ${userId} and what = 'mail' and data like '%"forgot"%'
      and at > ${now - DAY_MS} and at < ${now + DAY_MS}`;
  const times = [linkMadeAt, ...mails.map(({ at }) => at)];
  return mails.length >= MOST_A_DAY || times.some((at) => Math.abs(now - at) < QUIET_MS);
}
