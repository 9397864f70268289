import type { Db } from '../db/db.ts';

/** How long and how many events of a user are kept, whichever is less (DESIGN 4). */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;
const KEPT_EVENTS = 5_000;
/** Users at once, so that nobody waits long behind the trimming. */
const STEP = 200;

/** Removes what is older or more than is kept. A device that was away for longer syncs instead of resuming. */
export async function trimInboxes(db: Db, now: number): Promise<void> {
  let after = '';
  for (;;) {
    const users = await db.all<{ user_id: string }>`
      select user_id from inbox_heads where user_id > ${after} and seq > 0 order by user_id limit ${STEP}`;
    const last = users.at(-1)?.user_id;
    if (last === undefined) return;
    await db.run`
      delete from inbox where user_id > ${after} and user_id <= ${last} and (at < ${now - KEPT_MS} or seq <= (
        select inbox_heads.seq - ${KEPT_EVENTS} from inbox_heads where inbox_heads.user_id = inbox.user_id))`;
    after = last;
  }
}
