import type { Db, Queries } from '../../src/db/db.ts';

/** The values of `service` that a periodic job writes at any time begin so. */
const OF_A_JOB = 'account-log-';

/** The rows of each table, to check by comparison that nothing was stored. */
export async function everythingStored(db: Db): Promise<Record<string, string[]>> {
  const stored: Record<string, string[]> = {};
  for (const table of await listTables(db)) {
    const rows = await select<object>(db, `select * from ${table}`);
    const texts = rows.map((row) => JSON.stringify(row)).sort();
    stored[table] = texts.filter((row) => !(table === 'service' && row.includes(OF_A_JOB)));
  }
  return stored;
}

/** How many rows each table has. */
export async function countStored(db: Db): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of await listTables(db)) {
    const [row] = await select<{ n: number }>(db, `select count(*) as n from ${table}`);
    counts[table] = row?.n ?? 0;
  }
  return counts;
}

async function listTables(db: Db): Promise<string[]> {
  const rows = await select<{ name: string }>(
    db,
    db.kind === 'sqlite'
      ? "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name"
      : "select table_name as name from information_schema.tables where table_schema = 'public' order by table_name",
  );
  return rows.map(({ name }) => name);
}

/** A text as a template without parameters, as names of tables cannot be parameters. */
function select<Row>(db: Queries, text: string): Promise<Row[]> {
  return db.all<Row>(Object.assign([text], { raw: [text] }));
}
