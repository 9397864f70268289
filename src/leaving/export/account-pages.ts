import { readLog } from '../../accounts/log/read-log.ts';
import { listSessions } from '../../accounts/sessions.ts';
import type { Db } from '../../db/db.ts';
import { readQuiet } from '../../push/quiet/quiet.ts';
import { toPushDevice } from '../../push/schemas.ts';
import { listSubscriptions } from '../../push/subscriptions/subscriptions.ts';
import { readBlockedPage } from '../../relations/blocks.ts';
import { readFriends } from '../../relations/friends.ts';
import { toPrivacy } from '../../users/privacy.ts';
import { profileOf } from '../../users/profile-fields.ts';
import { getUser } from '../../users/users.ts';
import { follow, type Line, type Pages } from './lines.ts';

/** Each has up to 20 copies of messages. */
const REPORTS = 20;

/** Who the user is, what they chose, how they sign in, and what they did about other users. */
export async function* readAccountPages(db: Db, userId: string, now: number): Pages {
  const user = await getUser(db, userId);
  const { id, username, push_enabled, dnd_enabled, push_preview, created_at } = user;
  const chosen = { push_enabled, dnd_enabled, push_preview, quiet: await readQuiet(db, id) };
  yield [
    { type: 'profile', id, username, ...profileOf(user), create_time: created_at },
    { type: 'settings', ...chosen, privacy: toPrivacy(user) },
    await readAccountLine(db, id),
  ];
  const sessions = await listSessions(db, id, '', now);
  yield sessions.map(({ current, active, ...session }) => ({ type: 'session', ...session }));
  const devices = await listSubscriptions(db, id);
  yield devices.map((row) => {
    const { current, ...device } = toPushDevice(row, '');
    return { type: 'push_device', ...device, language: row.language };
  });
  yield* follow(
    (page) => readBlockedPage(db, id, page),
    (block) => ({ type: 'block', user: block.id, create_time: block.create_time }),
  );
  yield* follow(
    (page) => readFriends(db, id, page),
    (friend) => ({ type: 'friend', user: friend.id, state: friend.state, at: friend.at }),
  );
  yield* readReportPages(db, id);
}

/** What happened to the account, the newest first. */
export function readAccountLogPages(db: Db, userId: string) {
  return follow(
    ({ after: before }) => readLog(db, userId, before === undefined ? {} : { before }),
    (entry) => ({ type: 'account_log', ...entry }),
  );
}

async function readAccountLine(db: Db, userId: string): Promise<Line> {
  const row = await db.get<{ reason: string | null; until: number | null }>`
    select users.status, coalesce(last_seen.at, 0) as last_seen, coalesce(emails.address, '') as email,
      coalesce(emails.language, '') as email_language, coalesce(emails.verified_at, 0) as email_verified,
      coalesce(email_codes.address, '') as pending_email, suspensions.reason, suspensions.until
    from users left join last_seen on last_seen.user_id = users.id left join emails on emails.user_id = users.id
      left join email_codes on email_codes.user_id = users.id left join suspensions on suspensions.user_id = users.id
    where users.id = ${userId}`;
  const { reason = null, until = null, ...account } = row ?? {};
  return { type: 'account', ...account, ...(reason !== null && { suspension: { reason, until } }) };
}

/** What the user reported, with the copies of messages; without the operator's note. */
async function* readReportPages(db: Db, userId: string): Pages {
  for (let last = { at: 0, id: '' }; ; ) {
    const rows = await db.all<{ id: string; at: number; messages: string }>`
      select id, reported_id as "user", reason, text, messages, at, decided_at, act from reports
      where reporter_id = ${userId} and (at, id) > (${last.at}, ${last.id}) order by at, id limit ${REPORTS}`;
    yield rows.map((row) => ({ type: 'report', ...row, messages: JSON.parse(row.messages) }));
    const next = rows.at(-1);
    if (!next || rows.length < REPORTS) return;
    last = next;
  }
}
