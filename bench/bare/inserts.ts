// Inserts rows, each a line of JSON, in transactions of as many as an import has lines.
//   TARGET    the file of an SQLite database with the tables, or the address of one on PostgreSQL
//   arguments: TABLE FILE, any number of times
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { Client } from 'pg';

type Row = Record<string, SQLInputValue>;
interface Target {
  readonly rowsAtOnce: number;
  insert(table: string, rows: readonly Row[]): Promise<void>;
  close(): Promise<void>;
}

const target = process.env.TARGET ?? '';
const { rowsAtOnce, insert, close } = target.startsWith('postgres:')
  ? await openPostgres(target)
  : openSqlite(target);
const words = process.argv.slice(2);
for (let at = 0; at < words.length; at += 2) {
  const [table = '', file = ''] = words.slice(at);
  let rows: Row[] = [];
  for await (const line of createInterface(createReadStream(file))) {
    rows.push(JSON.parse(line));
    if (rows.length < rowsAtOnce) continue;
    await insert(table, rows);
    rows = [];
  }
  if (rows.length > 0) await insert(table, rows);
}
await close();

function openSqlite(file: string): Target {
  const db = new DatabaseSync(file);
  db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on');
  return {
    rowsAtOnce: 2_000,
    async insert(table, rows) {
      const names = Object.keys(rows[0] ?? {});
      const places = names.map(() => '?').join(', ');
      const statement = db.prepare(`insert into ${table} (${names.join(', ')}) values (${places})`);
      db.exec('begin');
      for (const row of rows) statement.run(...Object.values(row));
      db.exec('commit');
    },
    close: async () => db.close(),
  };
}

async function openPostgres(url: string): Promise<Target> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return {
    rowsAtOnce: 500,
    async insert(table, rows) {
      const text = `insert into ${table} select * from json_populate_recordset(null::${table}, $1)`;
      await client.query(text, [JSON.stringify(rows)]);
    },
    close: () => client.end(),
  };
}
