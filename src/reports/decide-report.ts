import { suspendByOperator } from '../accounts/account-status.ts';
import type { Queries } from '../db/db.ts';
import { recordExternalChange } from '../events/changes.ts';
import type { ReportAct } from '../events/log-events.ts';
import { type Inboxes, withInboxes } from '../inbox/inbox.ts';
import { lockUser } from '../users/users.ts';
import { REPORT_ROWS, type ReportedMessage } from './schemas.ts';

/** A report as the operator sees it, with the names of both users. */
export interface Report {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly reason: string;
  readonly reported_id: string;
  readonly reported: string;
  /** Null, as the name: their account was deleted. */
  readonly reporter_id: string | null;
  readonly reporter: string | null;
  readonly text: string;
  readonly messages: readonly ReportedMessage[];
  /** Null while it is open. */
  readonly decided_at: number | null;
  /** Null while it is open, and where the reported account was deleted. */
  readonly act: ReportAct | null;
  readonly note: string;
}

interface Decision {
  readonly act: ReportAct;
  /** Why, for the operator; the reason of a suspension, which the suspended user reads. */
  readonly note: string;
  /** The end of a suspension, epoch milliseconds; null: until the operator restores the account. */
  readonly until: number | null;
}

/**
 * Decides on an open report: its reporter gets a `report` event, and the reported user is suspended if that is the act. Of several
 * decisions at once the first counts.
 *
 * @param hasMail whether the suspended user gets a mail
 * @returns false if it was decided on before, or the reported account was deleted
 */
export async function decideReport(
  inboxes: Inboxes,
  { id, reporter_id: reporterId, reported_id: reportedId }: Report,
  { act, note, until }: Decision,
  now: number,
  hasMail: boolean,
): Promise<boolean> {
  return withInboxes(inboxes, reporterId === null ? [] : [reporterId], now, async (tx, append) => {
    // Locked before the report, as by the deletion of the account.
    await lockUser(tx, reportedId);
    const decided = await tx.get<{ reporter_id: string | null }>`
      update reports set decided_at = ${now}, act = ${act}, note = ${note}
      where id = ${id} and decided_at is null returning reporter_id`;
    if (!decided) return false;
    if (decided.reporter_id !== null) await append(decided.reporter_id, 'report', { id, act });
    if (act === 'suspend') await suspendByOperator(tx, reportedId, { reason: note, until, at: now }, hasMail);
    await recordExternalChange(tx);
    return true;
  });
}

type ReportRow = Omit<Report, 'messages'> & { readonly messages: string };

export async function findReport(db: Queries, id: string): Promise<Report | undefined> {
  const row = await db.get<ReportRow>`select ${REPORT_ROWS} where reports.id = ${id}`;
  return row && toReport(row);
}

/** The `limit` reports after the id `after`, in the order in which they were filed; all, or those that are open. */
export async function listReports(
  db: Queries,
  { isOpen, after, limit }: { isOpen: boolean; after: string; limit: number },
): Promise<Report[]> {
  const rows = await db.all<ReportRow>`
    select ${REPORT_ROWS} where reports.id > ${after} and (decided_at is null or ${Number(isOpen)} = 0)
    order by reports.id limit ${limit}`;
  return rows.map(toReport);
}

function toReport(row: ReportRow): Report {
  return { ...row, messages: JSON.parse(row.messages) };
}
