import type { Queries } from '../../db/db.ts';
import { ServiceError } from '../../errors.ts';
import type { Quiet } from '../../events/log-events.ts';
import { type Inboxes, withInboxes } from '../../inbox/inbox.ts';
import { lockUser, userNotFound } from '../../users/users.ts';
import { updateHeldPushes } from './held-pushes.ts';
import { isTimeZone } from './quiet-times.ts';
import { type QuietBody, type QuietRow, toQuiet } from './schemas.ts';

/** When a user wants no notification; never, if they have not said. */
export async function readQuiet(db: Queries, userId: string): Promise<Quiet> {
  const row = await db.get<QuietRow>`select until, time_zone, windows from quiet where user_id = ${userId}`;
  return toQuiet(row ?? { until: null, time_zone: null, windows: null });
}

/**
 * Replaces the user's quiet hours, and appends a `quiet` event for their devices. Pushes that are held get the new end, and ring at once
 * if it is not quiet any more. Without `until`, that of before stays.
 *
 * @throws {ServiceError} `invalid`: `time_zone_unknown`, or `window_invalid` for a window of no length; `not-found`
 */
export async function setQuiet(
  inboxes: Inboxes,
  userId: string,
  { until, timeZone, windows }: QuietBody,
  now: number,
): Promise<Quiet> {
  if (!isTimeZone(timeZone)) throw new ServiceError('invalid', 'time_zone_unknown', '未知的时区');
  if (windows.some(({ from, to }) => from === to))
    throw new ServiceError('invalid', 'window_invalid', '开始时间和结束时间不能相同');
  return withInboxes(inboxes, [userId], now, async (tx, append) => {
    if (!(await lockUser(tx, userId))) throw userNotFound();
    const once = until ?? null;
    const row = await tx.get<QuietRow>`
      insert into quiet (user_id, until, time_zone, windows)
      values (${userId}, ${once ?? 0}, ${timeZone}, ${JSON.stringify(windows)})
      on conflict (user_id) do update set
        until = coalesce(${once}, quiet.until), time_zone = excluded.time_zone, windows = excluded.windows
      returning until, time_zone, windows`;
    if (!row) throw new Error('the quiet hours were not stored');
    const quiet = toQuiet(row);
    await updateHeldPushes(tx, userId, quiet, now);
    await append(userId, 'quiet', quiet);
    return quiet;
  });
}
