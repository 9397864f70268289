import { parseArgs } from 'node:util';
import { readConfig } from '../config/config.ts';
import type { Db, Queries, SchemaDb } from '../db/db.ts';
import { lockFolder } from '../db/server-lock.ts';
import { openLog } from '../log.ts';
import { openDatabase } from '../open-database.ts';
import { type Context, findMissingDatabase } from './context.ts';
import { listTables, readPages, type StoredTable, sumTable, type TableSum } from './stored-tables.ts';

const PROGRESS_MS = 1_000;

/**
 * `copy`: copies the embedded database of `DATA_DIR` into the empty PostgreSQL database of `DATABASE_URL`, in one transaction that
 * ends only when both hold the same. No server may use either. Tokens, push subscriptions and positions stay valid, since keys
 * and epoch are copied too.
 */
export async function copy(context: Context, args: string[]): Promise<number> {
  parseArgs({ args, options: {} });
  const config = readConfig(context.env);
  const { databaseUrl: url, dataDir } = config;
  if (url === null) throw new Error('set DATABASE_URL to the address of an empty PostgreSQL database');
  const embedded = { ...config, databaseUrl: null };
  const missing = findMissingDatabase(embedded);
  if (missing !== undefined) throw new Error(`there is no database in ${missing}: set DATA_DIR`);

  const log = openLog('warn', context.errors);
  await using _folder = lockFolder(dataDir);
  await using source = await openDatabase(embedded, log);
  await using target = await openDatabase(config, log);
  const tables = await listTables(source);
  await assertSameSchema(source, target);
  await assertEmpty(target, tables);
  const { PostgresLock } = await import('../db/postgres/lock.ts');
  await using _database = await PostgresLock.take({ url, log });

  await copyAll(source, target, tables, reportProgress(context));
  // Read once more as a server reads it: what was compared before the commit is what is stored.
  printTable(context, await compareAll(source, target, tables));
  return 0;
}

/** All or nothing. */
async function copyAll(
  source: Db,
  target: SchemaDb,
  tables: readonly StoredTable[],
  onRows: (table: string, rows: number) => void,
): Promise<void> {
  // A transaction without a time limit; no body waits for anything but PostgreSQL, since the embedded database answers at once.
  await source.snapshot((snapshot) =>
    target.changeSchema(async (tx) => {
      for (const table of tables) {
        let rows = 0;
        for await (const page of readPages(snapshot, table, table.exported)) {
          await tx.run(table.inserted, `[${page.join(',')}]`);
          rows += page.length;
          onRows(table.name, rows);
        }
        const all = await snapshot.get<{ n: number }>(table.counted);
        if (all?.n !== rows) throw new Error(`of ${all?.n} rows of ${table.name} only ${rows} were read`);
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
    const [own, copied] = await sumTable(table, [
      { kind: 'sqlite', queries: source },
      { kind: 'postgres', queries: target },
    ]);
    if (own && own.rows === copied?.rows && own.checksum === copied.checksum) sums.set(table.name, own);
    else different.push(`${table.name} (${own?.rows} rows, ${copied?.rows} in the copy)`);
  }
  if (different.length > 0)
    throw new Error(
      `the copy differs from the embedded database in: ${different.join(', ')}. Did another command write meanwhile?`,
    );
  return sums;
}

async function assertSameSchema(source: Db, target: Db): Promise<void> {
  const read = async (db: Db) =>
    (await db.all<{ name: string }>`select name from migrations order by name`).map(({ name }) => name);
  const [own, other] = [await read(source), await read(target)];
  const different = own
    .filter((name) => !other.includes(name))
    .concat(other.filter((name) => !own.includes(name)));
  if (different.length > 0)
    throw new Error(`the databases have different tables: one of them alone has ${different.join(', ')}`);
}

async function assertEmpty(target: Db, tables: readonly StoredTable[]): Promise<void> {
  const used: string[] = [];
  for (const table of tables) {
    const { value: page } = await readPages(target, table, table.compared.postgres).next();
    if (page) used.push(table.name);
  }
  if (used.length > 0)
    throw new Error(
      `the database of DATABASE_URL is not empty, nothing was copied. Tables with rows: ${used.join(', ')}`,
    );
}

function reportProgress({ errors }: Context): (table: string, rows: number) => void {
  let reportedAt = performance.now();
  return (table, rows) => {
    if (performance.now() - reportedAt < PROGRESS_MS) return;
    reportedAt = performance.now();
    errors.write(`${table}: ${rows} rows\n`);
  };
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
