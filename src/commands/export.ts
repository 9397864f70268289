import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isErased } from '../accounts/account-status.ts';
import type { Db } from '../db/db.ts';
import { USER_COLUMNS, type UserRow } from '../users/schemas.ts';
import { type Context, withDatabase } from './context.ts';
import { toUserLine } from './users-file/user-line.ts';

/** Users in one read; bounds the memory, since a row has at most 30 KB. */
const READ_USERS = 200;

/** `export`: every user as a line of JSON, by id, in constant memory also for a slow reader. */
export async function exportUsers(context: Context): Promise<void> {
  return withDatabase(context, async (db) => {
    await pipeline(Readable.from(userLines(db)), context.output, { end: false });
  });
}

/** Suspended users too, and deleted ones but those who are erased. */
async function* userLines(db: Db): AsyncGenerator<string, void> {
  let after = '';
  for (;;) {
    const rows = await db.all<UserRow>`
      select ${USER_COLUMNS} from users where id > ${after} order by id limit ${READ_USERS}`;
    const last = rows.at(-1);
    if (!last) return;
    const [addresses, deletions] = [
      await readAddresses(db, after, last.id),
      await readDeletions(db, after, last.id),
    ];
    const left = rows.filter((row) => !isErased(row));
    yield left.map((row) => toUserLine(row, addresses.get(row.id), deletions.get(row.id))).join('');
    after = last.id;
  }
}

/** The verified addresses of the users after one id and up to another, by the ids of their users. */
async function readAddresses(db: Db, after: string, upTo: string): Promise<Map<string, string>> {
  const rows = await db.all<{ user_id: string; address: string }>`
    select user_id, address from emails where user_id > ${after} and user_id <= ${upTo}`;
  return new Map(rows.map(({ user_id, address }) => [user_id, address]));
}

/** When those are erased who asked for it. */
async function readDeletions(db: Db, after: string, upTo: string): Promise<Map<string, number>> {
  const rows = await db.all<{ user_id: string; due_at: number }>`
    select user_id, due_at from deletions join users on id = user_id and status = 'deleted'
    where user_id > ${after} and user_id <= ${upTo}`;
  return new Map(rows.map(({ user_id, due_at }) => [user_id, due_at]));
}
