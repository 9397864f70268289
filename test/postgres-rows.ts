import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Queries, SchemaDb } from '../src/db/db.ts';
import type { TestDatabase } from './databases.ts';

/** The address of a fresh database. */
export async function createUrl(t: TestContext, database: TestDatabase): Promise<string> {
  const settings = await database.create(t);
  assert.ok('databaseUrl' in settings);
  return settings.databaseUrl;
}

/** Stores a row of this name. */
export function write(db: Queries, name: string): Promise<number> {
  return db.run`insert into service (name, value) values (${name}, '')`;
}

export async function namesOf(db: Queries): Promise<string[]> {
  const rows = await db.all<{ name: string }>`select name from service order by name`;
  return rows.map((row) => row.name);
}

/** Creates a function `fail(times)` that raises `code` at its first `times` calls, also across rollbacks. */
export async function makeFailing(db: SchemaDb, code: string): Promise<void> {
  await db.changeSchema(async (tx) => {
    await tx.script('create sequence tries');
    await tx.script(`create function fail(times int) returns int language plpgsql as $$
      begin
        if nextval('tries') <= times then raise exception 'try again' using errcode = '${code}'; end if;
        return 1;
      end $$`);
  });
}
