import type { ActingClient } from '../accounts/log/account-log.ts';
import { assertSessionActive } from '../accounts/session-lookup.ts';
import type { Queries } from '../db/db.ts';
import { asTable } from '../db/fragments.ts';
import { newId } from '../db/ids.ts';
import { ServiceError } from '../errors.ts';
import { type Inboxes, withInboxes } from '../inbox/inbox.ts';
import { PACKED_PICTURE, unpackPicture } from '../inbox/stored-messages.ts';
import { blockBehindLock } from '../relations/block-user.ts';
import { lockUser, userNotFound } from '../users/users.ts';
import type { FiledReport, ReportBody, ReportedMessage } from './schemas.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** A user files at most this many reports in any 24 hours. */
const MOST_A_DAY = 10;

const NUMBERS = { n: 'bigint' } as const;
const COPIES_OF_REPORT = { id: 'text', messages: 'text' } as const;

/**
 * Stores what a user reports of another, with copies of the messages that they name, and blocks the other one if asked to. Unknown
 * message numbers are left out. A suspended user can be reported. The reported user gets no event.
 *
 * @param reporter whose session must still be active; also for the account's log
 * @returns `seq`: the number of the `block` event, as `blockUser`; 0 without a new block
 * @throws {ServiceError} `invalid`, word `report_self`; `not-found`; `unauthenticated` when the session ended meanwhile;
 *   `rate-limited`, word `too_many_reports`
 */
export async function fileReport(
  inboxes: Inboxes,
  { userId, ...client }: ActingClient & { userId: string; sessionId: string },
  { userId: reportedId, reason, text = '', messages = [], block = false }: ReportBody,
  now: number,
): Promise<{ value: FiledReport; seq: number }> {
  if (reportedId === userId) throw new ServiceError('invalid', 'report_self', '不能举报自己');
  return withInboxes(inboxes, [userId], now, async (tx, append) => {
    await assertSessionActive(tx, client.sessionId);
    await refuseTooMany(tx, userId, now);
    // Locked, so that a deletion which runs at the same time finds the report to end.
    if (!(await lockUser(tx, reportedId))) throw userNotFound();
    const id = newId(now);
    const copies = JSON.stringify(await readMessages(tx, userId, reportedId, messages));
    await tx.run`
      insert into reports (id, reporter_id, reported_id, reason, text, messages, at)
      values (${id}, ${userId}, ${reportedId}, ${reason}, ${text}, ${copies}, ${now})`;
    const { seq } = block ? await blockBehindLock(tx, append, userId, reportedId, now, client) : { seq: 0 };
    return { value: { id }, seq };
  });
}

/** Behind the lock of the user's inbox parallel reports are counted one after the other, on whichever node. */
async function refuseTooMany(db: Queries, userId: string, now: number): Promise<void> {
  const first = await db.get<{ at: number }>`
    select at from reports where reporter_id = ${userId} and at > ${now - DAY_MS}
    order by at desc limit 1 offset ${MOST_A_DAY - 1}`;
  if (!first) return;
  const retryAfterSeconds = Math.ceil(Math.min(DAY_MS, first.at + DAY_MS - now) / 1000);
  throw new ServiceError('rate-limited', 'too_many_reports', '举报次数过多，请明天再试', {
    retryAfterSeconds,
  });
}

/** @returns those of the messages that there are, in the order of their numbers */
async function readMessages(
  db: Queries,
  userId: string,
  peerId: string,
  numbers: readonly number[],
): Promise<ReportedMessage[]> {
  if (numbers.length === 0) return [];
  const [low, high] = userId < peerId ? [userId, peerId] : [peerId, userId];
  const wanted = [...new Set(numbers)].map((n) => ({ n }));
  const found = await db.all<
    Omit<ReportedMessage, 'picture'> & { unsent_at: number | null; picture: string | null }
  >`
    select messages.n, case messages.sender_id when ${userId} then 'reporter' else 'reported' end as "by", messages.at, messages.body,
      messages.unsent_at, ${PACKED_PICTURE}
    from ${asTable(NUMBERS, wanted)} as wanted
    join messages on messages.low_id = ${low} and messages.high_id = ${high} and messages.n = wanted.n`;
  return found
    .sort((a, b) => a.n - b.n)
    .map(({ unsent_at, picture, ...copy }) => ({
      ...copy,
      ...(picture !== null && { picture: unpackPicture(picture) }),
      ...(unsent_at !== null && { unsentAt: unsent_at }),
    }));
}

/**
 * To be called in the transaction that erases an account, with its inbox and its row locked. The user's reports lose their name and what
 * they wrote; copies of what the reported user wrote stay. Reports about them lose their texts, and what is open about them ends.
 */
export async function endReportsOfUser(tx: Queries, userId: string, now: number): Promise<void> {
  const filed = await tx.all<{ id: string; messages: string }>`
    select id, messages from reports where reporter_id = ${userId}`;
  const stripped = filed.map(({ id, messages }) => {
    const copies: ReportedMessage[] = JSON.parse(messages);
    return { id, messages: JSON.stringify(copies.filter(({ by }) => by === 'reported')) };
  });
  if (stripped.length > 0)
    await tx.run`
      update reports set reporter_id = null, text = '', messages = stripped.messages
      from ${asTable(COPIES_OF_REPORT, stripped)} as stripped where reports.id = stripped.id`;
  await tx.run`update reports set text = '', messages = '[]' where reported_id = ${userId}`;
  await tx.run`
    update reports set decided_at = ${now}, note = ${'account deleted'}
    where reported_id = ${userId} and decided_at is null`;
}
