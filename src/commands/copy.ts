import { readConfig } from '../config/config.ts';
import type { Db, Queries, SchemaDb } from '../db/db.ts';
import { lockFolder } from '../db/sqlite/server-lock.ts';
import { openLog } from '../log.ts';
import { openDatabase } from '../open-database.ts';
import { assertDatabase, type Context, openProgress } from './context.ts';
import {
  compareTable,
  countRows,
  insertionOf,
  listTables,
  readPages,
  type StoredTable,
  type TableSum,
} from './stored-tables.ts';

/**
 * `copy`: copies the embedded database of `DATA_DIR` into the empty PostgreSQL database of `DATABASE_URL`, in one transaction that
 * ends only when both hold the same. No server may use either. Tokens, push subscriptions and positions stay valid, since keys
 * and epoch are copied too.
 */
export async function copy(context: Context): Promise<void> {
  const config = readConfig(context.env);
  const { databaseUrl: url, dataDir } = config;
  if (url === null) throw new Error('set DATABASE_URL to the address of an empty PostgreSQL database');
  const embedded = { ...config, databaseUrl: null };
  assertDatabase(embedded);

  const log = openLog('warn', context.errors);
  await using _folder = lockFolder(dataDir);
  await using source = await openDatabase(embedded, log);
  await using target = await openDatabase(config, log);
  const tables = await listTables(source);
  await assertSameSchema(source, target);
  await assertEmpty(target, tables);
  const { PostgresLock } = await import('../db/postgres/lock.ts');
  await using _database = await PostgresLock.take({ url, log });

  await copyAll(source, target, tables, openProgress(context));
  // Read once more as a server reads it: what was compared before the commit is what is stored.
  printTable(context, await compareAll(source, target, tables));
}

/** All or nothing. */
async function copyAll(
  source: Db,
  target: SchemaDb,
  tables: readonly StoredTable[],
  progress: (line: () => string) => void,
): Promise<void> {
  // A transaction without a time limit; no body waits for anything but PostgreSQL, since the embedded database answers at once.
  await source.snapshot((snapshot) =>
    target.changeSchema(async (tx) => {
      for (const table of tables) {
        const insertion = insertionOf(table);
        let rows = 0;
        for await (const page of readPages(snapshot, 'sqlite', table)) {
          await tx.run(insertion, JSON.stringify(page));
          rows += page.length;
          progress(() => `${table.name}: ${rows} rows`);
        }
        const all = await countRows(snapshot, table);
        if (all !== rows) throw new Error(`of ${all} rows of ${table.name} only ${rows} were read`);
        await tx.script(`analyze "${table.name}"`);
      }
      await compareAll(source, tx, tables);
    }),
  );
}

/** @throws {Error} naming the tables that do not hold the same */
async function compareAll(
  source: Queries,
  target: Queries,
  tables: readonly StoredTable[],
): Promise<Map<string, TableSum>> {
  const sums = new Map<string, TableSum>();
  const different: string[] = [];
  for (const table of tables) {
    const sum = await compareTable(table, source, target);
    if (sum) sums.set(table.name, sum);
    else {
      const [own, copied] = [await countRows(source, table), await countRows(target, table)];
      different.push(`${table.name} (${own} rows, ${copied} in the copy)`);
    }
  }
  if (different.length > 0)
    throw new Error(
      `the copy differs from the embedded database in: ${different.join(', ')}. Did another command write meanwhile?`,
    );
  return sums;
}

async function assertSameSchema(source: Db, target: Db): Promise<void> {
  const read = async (db: Db) => {
    const rows = await db.all<{ name: string }>`select name from migrations order by name`;
    return new Set(rows.map(({ name }) => name));
  };
  const different = (await read(source)).symmetricDifference(await read(target));
  if (different.size > 0)
    throw new Error(
      `the databases have different tables: one of them alone has ${[...different].join(', ')}`,
    );
}

async function assertEmpty(target: Db, tables: readonly StoredTable[]): Promise<void> {
  const used: string[] = [];
  for (const table of tables) {
    const { value: page } = await readPages(target, 'postgres', table).next();
    if (page) used.push(table.name);
  }
  if (used.length > 0)
    throw new Error(
      `the database of DATABASE_URL is not empty, nothing was copied. Tables with rows: ${used.join(', ')}`,
    );
}

function printTable({ output }: Context, sums: ReadonlyMap<string, TableSum>): void {
  const all = [...sums].sort(([a], [b]) => (a < b ? -1 : 1));
  const total = all.reduce((sum, [, { rows }]) => sum + rows, 0);
  const width = Math.max(...all.map(([name]) => name.length));
  const digits = Math.max('rows'.length, String(total).length);
  const line = (name: string, rows: string | number, checksum: string) =>
    output.write(`${name.padEnd(width)}  ${String(rows).padStart(digits)}  ${checksum}\n`);
  line('table', 'rows', 'checksum');
  for (const [name, { rows, checksum }] of all) line(name, rows, checksum.slice(0, 16));
  output.write(`copied ${total} rows of ${all.length} tables; both databases hold the same\n`);
}
