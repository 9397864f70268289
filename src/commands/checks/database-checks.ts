import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Db } from '../../db/db.ts';
import { statement } from '../../db/statements.ts';
import { explain } from '../explain.ts';
import { describeMigrations, describeSchema, type Reference } from './described-schema.ts';
import { ERASED_CHECKS } from './erased.ts';
import { ROW_CHECKS, type RowCheck, type UserRange } from './rows.ts';

/** A finding about one part of the database. */
interface Finding {
  readonly subject: string;
  /** A sentence for each damaged row; none if all is well. */
  readonly faults: readonly string[];
}

/** Some hundredths of a second on either database. */
const USERS_AT_ONCE = 200;
/** After all ids. */
const END = '\u{10ffff}';

/**
 * Reads everything that is stored and compares it with what must be true of it. Each piece is read in a snapshot of its own, so that
 * neither a checkpoint nor a vacuum waits for the whole check.
 */
export async function* checkDatabase(db: Db): AsyncGenerator<Finding> {
  const { lines, tables, references } = await describeMigrations();
  yield await find('tables', async () => {
    const stored = await db.snapshot((snapshot) => describeSchema(snapshot, db.kind));
    return [...lines].filter((line) => !stored.has(line)).map((line) => `missing: ${line}`);
  });
  if (db.kind === 'sqlite') yield await find('file', () => checkFile(db, tables));
  yield* checkRows(db, {
    references: references.map(findOrphans),
    ...ROW_CHECKS,
    'erased users': ERASED_CHECKS,
  });
}

/** All checks of rows, for some users at a time. */
async function* checkRows(db: Db, rowChecks: typeof ROW_CHECKS): AsyncGenerator<Finding> {
  const checks = Object.entries(rowChecks);
  const faults = new Map<string, string[]>();
  const unreadable = new Set<string>();
  try {
    for await (const range of readRanges(db)) {
      for (const [subject, parts] of checks) {
        if (unreadable.has(subject)) continue;
        const found = await db
          .snapshot((snapshot) =>
            collect(parts, async (part) => (await part(snapshot, range)).map(({ fault }) => fault)),
          )
          .catch((error) => {
            unreadable.add(subject);
            return [unreadableFor(error)];
          });
        faults.set(subject, (faults.get(subject) ?? []).concat(found));
      }
      await yieldToEventLoop();
    }
  } catch (error) {
    yield { subject: 'users', faults: [unreadableFor(error)] };
    return;
  }
  for (const [subject] of checks) yield { subject, faults: faults.get(subject) ?? [] };
}

/** The last range has no end, so that rows of users who do not exist are in one of them. */
async function* readRanges(db: Db): AsyncGenerator<UserRange> {
  for (let after = ''; after !== END; ) {
    const ids = await db.snapshot(
      (snapshot) => snapshot.all<{ id: string }>`
        select id from users where id > ${after} order by id limit ${USERS_AT_ONCE}`,
    );
    const upTo = ids.length < USERS_AT_ONCE ? END : (ids.at(-1)?.id ?? END);
    yield { after, upTo };
    after = upTo;
  }
}

/** Reads a table at a time: SQLite compares its pages, and the values of its rows with their types. */
async function checkFile(db: Db, tables: readonly string[]): Promise<string[]> {
  return collect(tables, async (table) => {
    const rows = await db.snapshot((snapshot) =>
      snapshot.all<{ quick_check: string }>(statement(`pragma quick_check("${table}")`)),
    );
    return rows.map((row) => row.quick_check).filter((text) => text !== 'ok');
  });
}

/** The key column of the child comes first in an index, and tells the ranges apart. */
function findOrphans({ child, column, parent, parent_column, key }: Reference): RowCheck {
  const text = statement(
    `select 'a row of ${child} refers by ${column} to ' || cast("${column}" as text) || ', a missing row of ${parent}' as fault
      from "${child}" where "${key}" > `,
    ` and "${key}" <= `,
    ` and "${column}" is not null and not exists (
        select 1 from "${parent}" where "${parent}"."${parent_column}" = "${child}"."${column}") order by 1`,
  );
  return (db, { after, upTo }) => db.all(text, after, upTo);
}

async function collect<T>(items: readonly T[], work: (item: T) => Promise<string[]>): Promise<string[]> {
  const all: string[] = [];
  for (const item of items) all.push(...(await work(item)));
  return all;
}

async function find(subject: string, work: () => Promise<string[]>): Promise<Finding> {
  return { subject, faults: await work().catch((error) => [unreadableFor(error)]) };
}

/** The finding for a damaged file, or a missing table or column. */
function unreadableFor(error: unknown): string {
  return `it cannot be read: ${explain(error)}`;
}
