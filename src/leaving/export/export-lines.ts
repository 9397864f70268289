import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Db } from '../../db/db.ts';
import { inList } from '../../db/fragments.ts';
import { listPushLog } from '../../push/log/push-log.ts';
import { getUser } from '../../users/users.ts';
import { readAccountLogPages, readAccountPages } from './account-pages.ts';
import { readConversationPages, readEventPages, readPicturePages } from './chat-pages.ts';
import { type Line, PAGE_ROWS, type Pages } from './lines.ts';

const VERSION = 1;
/** Characters beside the line feed that end a line for some readers of text, in strings of JSON. */
const LINE_ENDS = /[\u0085\u2028\u2029]/g;

/**
 * All that is stored of a user, as lines of JSON, in constant memory. There is no snapshot of the whole: each conversation ends at the
 * number that its line names, and another change made meanwhile may be in it or not.
 *
 * @param now epoch milliseconds
 * @throws {ServiceError} `not-found` once the account was deleted
 */
export async function* exportLines(db: Db, userId: string, now: number): AsyncGenerator<string, void> {
  let lines = 0;
  for await (const page of readPages(db, userId, now)) {
    // Behind the read: nothing that was read after a deletion is written.
    await getUser(db, userId);
    lines += page.length;
    if (page.length > 0) yield page.map(toText).join('');
    // SQLite answers in the same turn, and a socket takes each chunk at once: without this no one else would be served.
    await yieldToEventLoop();
  }
  yield toText({ type: 'end', lines: lines + 1 });
}

async function* readPages(db: Db, userId: string, now: number): Pages {
  yield [{ type: 'export', version: VERSION, user: userId, at: now }];
  yield* readAccountPages(db, userId, now);
  yield* readPeoplePages(db, userId);
  yield* readConversationPages(db, userId, now);
  yield* readPicturePages(db, userId);
  yield* readEventPages(db, userId);
  yield (await listPushLog(db, userId)).map((entry) => ({ type: 'push_log', ...entry }));
  yield* readAccountLogPages(db, userId);
}

/** The public names of all users that other lines name by their ids; empty of those who were deleted. */
async function* readPeoplePages(db: Db, userId: string): Pages {
  // Of a former friend, or somebody who is blocked no more, no other table has the id. Both logs are bounded, so these are remembered.
  const others = new Set<string>();
  for await (const events of readEventPages(db, userId)) {
    for (const { data } of events) if ('userId' in data) others.add(data.userId);
    yield [];
  }
  for await (const entries of readAccountLogPages(db, userId)) {
    for (const { detail } of entries) if (detail.user !== undefined) others.add(String(detail.user));
    yield [];
  }
  for (let after = ''; ; ) {
    // Of a table that has too many rows only those that are among the first by their ids.
    const related = await db.all<{ id: string }>`
      select id from (select peer_id as id from conversations where user_id = ${userId} and peer_id > ${after}
        order by peer_id limit ${PAGE_ROWS}) as peers
      union select id from (select peer_id as id from friends where user_id = ${userId} and peer_id > ${after}
        order by peer_id limit ${PAGE_ROWS}) as of_friends
      union select id from (select blocked_id as id from blocks where blocker_id = ${userId} and blocked_id > ${after}
        order by blocked_id limit ${PAGE_ROWS}) as blocked
      union select id from (select reported_id as id from reports where reporter_id = ${userId} and reported_id > ${after}
        order by reported_id limit ${PAGE_ROWS}) as reported
      order by id limit ${PAGE_ROWS}`;
    for (const { id } of related) others.delete(id);
    yield await readPeople(
      db,
      related.map(({ id }) => id),
    );
    const last = related.at(-1);
    if (!last || related.length < PAGE_ROWS) break;
    after = last.id;
  }
  for (const ids = [...others]; ids.length > 0; ) yield await readPeople(db, ids.splice(0, PAGE_ROWS));
}

async function readPeople(db: Db, ids: readonly string[]): Promise<Line[]> {
  const rows = await db.all<{ id: string; username: string; nickname: string }>`
    select id, case status when 'deleted' then '' else username end as username,
      case status when 'deleted' then '' else nickname end as nickname
    from users where id in ${inList(ids)} order by id`;
  return rows.map((row) => ({ type: 'person', ...row }));
}

function toText(line: Line): string {
  const toEscape = (one: string) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return `${JSON.stringify(line).replaceAll(LINE_ENDS, toEscape)}\n`;
}
