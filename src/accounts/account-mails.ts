import type { Tx } from '../db/db.ts';
import type { QueuedMail } from '../mail/mail-jobs.ts';
import type { MailBuilders } from '../mail/mail-worker.ts';
import { USER_COLUMNS, type UserRow } from '../users/schemas.ts';
import { lockUser } from '../users/users.ts';
import { findSuspension } from './account-status.ts';
import { buildCodeMail } from './address/verification.ts';
import { findDeletion } from './leaving/deletions.ts';
import { logAct } from './log/account-log.ts';
import {
  ADDRESS_CHANGED,
  DELETION_ASKED,
  DELETION_UNDONE,
  EXPORT_MADE,
  NEW_SIGN_IN,
  PASSWORD_CHANGED,
  SUSPENDED,
} from './mail-texts.ts';
import { endLinkToken } from './recovery/end-by-link.ts';
import { buildForgotMail } from './recovery/forgot-password.ts';
import type { Mac } from './secrets.ts';

/**
 * The builders of all mails of accounts. Each runs directly before its mail is sent, and again before a retry: what it makes replaces what
 * an earlier try has made.
 */
export function accountMails(publicUrl: string, mac: Mac) {
  return {
    verify: (tx, job, now) => buildCodeMail(tx, job, { publicUrl, mac }, now),

    async address_changed(tx, job, now) {
      const user = await openNotice(tx, job, now);
      if (!user) return undefined;
      const facts = { username: user.username, link: `${publicUrl}/settings/security` };
      return { to: job.address, ...ADDRESS_CHANGED[job.language](facts) };
    },

    forgot: (tx, job, now) => buildForgotMail(tx, job, publicUrl, now),

    async new_sign_in(tx, job, now) {
      const { session = '', device = '', address = '', at = now } = job.data;
      if (!(await openNotice(tx, job, now))) return undefined;
      const link = `${publicUrl}/end-session#${endLinkToken(mac, String(session))}`;
      const facts = { device: String(device), address: String(address), at: Number(at), link };
      return { to: job.address, ...NEW_SIGN_IN[job.language](facts) };
    },

    async password_changed(tx, job, now) {
      const user = await openNotice(tx, job, now);
      if (!user) return undefined;
      const { username } = user;
      const facts = { username, at: Number(job.data.at ?? now), link: `${publicUrl}/forgot-password` };
      return { to: job.address, ...PASSWORD_CHANGED[job.language](facts) };
    },

    async suspended(tx, job, now) {
      await lockUser(tx, job.userId ?? '');
      const suspension = await findSuspension(tx, job.userId ?? '');
      // Lifted since, or replaced, which has a mail of its own.
      if (!suspension || suspension.at !== job.data.at) return undefined;
      const user = await openNotice(tx, job, now);
      if (!user) return undefined;
      return { to: job.address, ...SUSPENDED[job.language]({ username: user.username, ...suspension }) };
    },

    async deletion_asked(tx, job, now) {
      const deletion = await findDeletion(tx, job.userId ?? '');
      // Undone since, or asked for again, which has a mail of its own.
      if (!deletion || deletion.askedAt !== job.data.at) return undefined;
      const user = await openNotice(tx, job, now);
      if (!user) return undefined;
      const facts = { username: user.username, until: deletion.dueAt };
      return { to: job.address, ...DELETION_ASKED[job.language](facts) };
    },

    async deletion_undone(tx, job, now) {
      const user = await openNotice(tx, job, now);
      return user && { to: job.address, ...DELETION_UNDONE[job.language](user) };
    },

    async export_made(tx, job, now) {
      const user = await openNotice(tx, job, now);
      if (!user) return undefined;
      const { device, at = now } = job.data;
      const link = `${publicUrl}/settings/security`;
      const facts = { username: user.username, device: device?.toString(), at: Number(at), link };
      return { to: job.address, ...EXPORT_MADE[job.language](facts) };
    },
  } satisfies MailBuilders;
}

/** The user of a notice, whose account log names the mail once; `undefined` if the account was deleted since, and cannot be kept. */
async function openNotice(tx: Tx, { id, kind, tries, userId }: QueuedMail, now: number) {
  // Locked, so that an account which is being deleted gets no entry. The erasing of one that can be kept waits for the job.
  if (!(await findDeletion(tx, userId ?? '')) && !(await lockUser(tx, userId ?? ''))) return undefined;
  const user = await tx.get<UserRow>`select ${USER_COLUMNS} from users where id = ${userId}`;
  if (user && tries === 0)
    await logAct(tx, { userId: user.id, what: 'mail', at: now, detail: { kind, job: id } });
  return user;
}
