import { createTicket, findTicketUser, takeTicket } from '../../accounts/leaving/tickets.ts';
import { type ActingClient, logAct } from '../../accounts/log/account-log.ts';
import { queueNotice } from '../../accounts/recovery/notices.ts';
import { requireConfirmed } from '../../accounts/step-up/step-up.ts';
import { ServiceError } from '../../errors.ts';
import { type Inboxes, withInboxes } from '../../inbox/inbox.ts';
import type { MailServices } from '../../mail/mail-services.ts';
import type { UserRow } from '../../users/schemas.ts';
import { findUser, lockUser } from '../../users/users.ts';
import type { ExportLimits } from './export-limits.ts';
import type { ExportTicket } from './schemas.ts';

const TICKET_MS = 60_000;

/** The dependencies of the rules below. */
export interface ExportContext extends Inboxes {
  readonly limits: ExportLimits;
  /** Null: no mail is sent. */
  readonly mail: MailServices | null;
  readonly now: () => number;
}

/**
 * Makes the ticket by which the caller's browser downloads their data once, within a minute, without a token in its address.
 *
 * @throws {ServiceError} as `requireConfirmed`; `rate-limited`, word `too_many_exports`
 */
export async function createExportTicket(
  { limits, now, ...inboxes }: ExportContext,
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<ExportTicket> {
  const at = now();
  // What is refused here counts for no limit.
  await requireConfirmed(inboxes.db, sessionId, at);
  await limits.countTicket(userId);
  return withInboxes(inboxes, [userId], at, async (tx) => {
    await requireConfirmed(tx, sessionId, at);
    const expires = at + TICKET_MS;
    return { ticket: await createTicket(tx, { kind: 'export', userId, sessionId }, expires), expires };
  });
}

/**
 * Uses a ticket up, and notes the download in the log of the account and in a mail. A ticket that a limit refuses stays valid.
 *
 * @returns whose data it is for, and what to call at the end of the download
 * @throws {ServiceError} `not-found`, word `export_not_found`, whatever is wrong with the ticket; `rate-limited`, as `begin` of the limits
 */
export async function beginDownload(
  { db, events, limits, mail, now }: ExportContext,
  ticket: string,
  client: ActingClient,
): Promise<{ user: UserRow; end: () => void }> {
  const at = now();
  const userId = await findTicketUser(db, 'export', ticket, at);
  if (userId === undefined) throw exportNotFound();
  const end = await limits.begin(userId);
  try {
    const user = await db.transaction(async (tx) => {
      // The user's row before the ticket, as a deletion locks them.
      await lockUser(tx, userId);
      const [taken, user] = [await takeTicket(tx, 'export', ticket, at), await findUser(tx, userId)];
      if (!taken || !user) throw exportNotFound();
      await logAct(tx, { userId, what: 'export_made', at, ...client, sessionId: taken.sessionId ?? '' });
      if (mail) await queueNotice(tx, 'export_made', userId, { device: client.device ?? '' }, at);
      return user;
    });
    if (mail) events.publish({ type: 'mail-queued' });
    return { user, end };
  } catch (error) {
    end();
    throw error;
  }
}

function exportNotFound(): ServiceError {
  return new ServiceError('not-found', 'export_not_found', '下载链接已失效，请重新获取');
}
