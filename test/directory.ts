import assert from 'node:assert/strict';
import type { Db } from '../src/db/db.ts';
import { listPage } from '../src/directory/directory.ts';
import type { DirectoryQuery } from '../src/directory/schemas.ts';
import { OnlineUsers } from '../src/presence/online-users.ts';

const NO_ONE = new OnlineUsers();

/** The usernames on one page of the directory. */
export async function names(db: Db, query: DirectoryQuery, who = NO_ONE): Promise<string[]> {
  return (await listPage(db, who, query)).entries.map((entry) => entry.username);
}

/** Those on all pages, by `next`. */
export async function pages(db: Db, query: DirectoryQuery, who = NO_ONE): Promise<string[][]> {
  const found: string[][] = [];
  for (let after: string | undefined; ; ) {
    const { entries, next } = await listPage(db, who, { ...query, ...(after !== undefined && { after }) });
    found.push(entries.map((entry) => entry.username));
    if (next === undefined) return found;
    after = next;
    assert.ok(found.length < 1000, 'the pages do not end');
  }
}
