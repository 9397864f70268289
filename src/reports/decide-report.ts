import { findSuspension, suspendByOperator } from '../accounts/account-status.ts';
import type { Queries } from '../db/db.ts';
import { recordExternalChange } from '../events/changes.ts';
import type { ReportAct } from '../events/log-events.ts';
import { type Inboxes, withInboxes } from '../inbox/inbox.ts';
import { lockUser } from '../users/users.ts';
import { COPIES, REPORT_FIELDS, REPORTS_WITH_NAMES, type ReportedMessage } from './schemas.ts';

/** A report in a list, with the names of both users. */
export interface ListedReport {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly reason: string;
  readonly reported_id: string;
  readonly reported: string;
  /** Null, as the name: their account was deleted. */
  readonly reporter_id: string | null;
  readonly reporter: string | null;
  /** How many copies of messages it has. */
  readonly copies: number;
  /** Null while it is open. */
  readonly decided_at: number | null;
  /** Null while it is open, and where the reported account was deleted. */
  readonly act: ReportAct | null;
}

/** A report as the operator sees it. */
interface Report extends Omit<ListedReport, 'copies'> {
  readonly text: string;
  readonly messages: readonly ReportedMessage[];
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
 * decisions at once the first counts. A suspension that ends later than this one would keeps its end.
 *
 * @param hasMail whether the suspended user gets a mail
 * @returns what holds; `undefined` if it was decided on before, or the reported account was deleted
 */
export async function decideReport(
  inboxes: Inboxes,
  { id, reporter_id: reporterId, reported_id: reportedId }: Report,
  { act, note, until }: Decision,
  now: number,
  hasMail: boolean,
): Promise<Pick<Decision, 'until'> | undefined> {
  return withInboxes(inboxes, reporterId === null ? [] : [reporterId], now, async (tx, append) => {
    // Locked before the report, as by the deletion of the account.
    const user = await lockUser(tx, reportedId);
    const decided = await tx.get<{ reporter_id: string | null }>`
      update reports set decided_at = ${now}, act = ${act}, note = ${note}
      where id = ${id} and decided_at is null returning reporter_id`;
    if (!decided) return undefined;
    if (decided.reporter_id !== null) await append(decided.reporter_id, 'report', { id, act });
    const end = user?.status === 'suspended' ? later(until, await findSuspension(tx, reportedId)) : until;
    if (act === 'suspend')
      await suspendByOperator(tx, reportedId, { reason: note, until: end, at: now }, hasMail);
    await recordExternalChange(tx);
    return { until: end };
  });
}

/** The later of two ends, null being none; a suspension of which nothing was said has none. */
function later(until: number | null, before: { until: number | null } = { until: null }): number | null {
  return until === null || before.until === null ? null : Math.max(until, before.until);
}

type ReportRow = Omit<Report, 'messages'> & { readonly messages: string };

export async function findReport(db: Queries, id: string): Promise<Report | undefined> {
  const row = await db.get<ReportRow>`
    select ${REPORT_FIELDS}, reports.text, messages, note ${REPORTS_WITH_NAMES} where reports.id = ${id}`;
  return row && { ...row, messages: JSON.parse(row.messages) };
}

/** The `limit` reports after `after`, in the order in which they were filed; all, or those that are open. */
export function listReports(
  db: Queries,
  { isOpen, after, limit }: { isOpen: boolean; after: Pick<ListedReport, 'at' | 'id'>; limit: number },
): Promise<ListedReport[]> {
  const { at, id } = after;
  return isOpen
    ? db.all<ListedReport>`
        select ${REPORT_FIELDS}, ${COPIES} ${REPORTS_WITH_NAMES}
        where decided_at is null and (reports.at, reports.id) > (${at}, ${id})
        order by reports.at, reports.id limit ${limit}`
    : db.all<ListedReport>`
        select ${REPORT_FIELDS}, ${COPIES} ${REPORTS_WITH_NAMES} where reports.id > ${id}
        order by reports.id limit ${limit}`;
}
