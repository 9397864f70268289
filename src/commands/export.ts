import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import type { Db } from '../db/db.ts';
import { type Context, withDatabase } from './context.ts';
import { listUserRows } from './users-file/user-export.ts';
import { toUserLine } from './users-file/user-line.ts';

/** Users in one read; bounds the memory, since a row has at most 30 KB. */
const READ_USERS = 200;

/** `export`: every user as a line of JSON, oldest first, in constant memory also for a slow reader. */
export async function exportUsers(context: Context, args: string[]): Promise<number> {
  parseArgs({ args, options: {} });
  return withDatabase(context, async (db) => {
    await pipeline(Readable.from(userLines(db)), context.output, { end: false });
    return 0;
  });
}

async function* userLines(db: Db): AsyncGenerator<string, void> {
  let after = '';
  for (;;) {
    const rows = await listUserRows(db, after, READ_USERS);
    const last = rows.at(-1);
    if (!last) return;
    yield rows.map(toUserLine).join('');
    after = last.id;
  }
}
