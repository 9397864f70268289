import { createHash } from 'node:crypto';
import type { Db, Queries } from '../db/db.ts';
import { statement } from '../db/statements.ts';
import { readReferences } from './checks/described-schema.ts';

/** A few milliseconds of reading, and within the 3 s of a statement also where rows are long. */
const PAGE_ROWS = 1_000;
/** Of a table with bytes, of which a row may have 64 KiB. */
const PAGE_ROWS_WITH_BYTES = 50;

/** A table as both databases have it. */
export interface StoredTable {
  readonly name: string;
  readonly columns: readonly Column[];
  /** The columns of its primary key, in which order rows are read. */
  readonly key: readonly Column[];
}

/** The contents of a table, which are the same in both databases. */
export interface TableSum {
  readonly rows: number;
  /** SHA-256 over all rows in the order of the primary key, as 64 digits. */
  readonly checksum: string;
}

/** All columns as text, which holds integers of any size; bytes are hexadecimal digits. */
type StoredRow = Readonly<Record<string, string | null>>;

interface Column {
  readonly name: string;
  readonly type: 'text' | 'integer' | 'blob';
  /** The place in the primary key, from 1; 0 if it is not in it. */
  readonly pk: number;
}

/** Tables that each migrated database has of its own. */
const OWN_TABLES = ['migrations', 'changes'];

/**
 * All tables of a migrated embedded database but those with which each database records its own schema and those of Litestream, after
 * the tables to which their foreign keys refer.
 */
export async function listTables(db: Db): Promise<StoredTable[]> {
  const columns = await db.all<Column & { table: string }>(
    statement(`select m.name as "table", c.name, lower(c.type) as type, c.pk
      from sqlite_schema m join pragma_table_info(m.name) c
      where m.type = 'table' and m.name not like 'sqlite~_%' escape '~' and m.name not like '~_litestream~_%' escape '~'
      order by m.name, c.cid`),
  );
  const references = Map.groupBy(await readReferences(db), ({ child }) => child);
  const columnsOf = Map.groupBy(columns, (column) => column.table);
  const tables = new Map<string, StoredTable>();
  const add = (name: string, columns: readonly Column[]) => {
    for (const { parent } of references.get(name) ?? [])
      if (parent !== name && !tables.has(parent)) add(parent, columnsOf.get(parent) ?? []);
    tables.set(name, { name, columns, key: keyOf(name, columns) });
  };
  for (const [name, columns] of columnsOf) if (!OWN_TABLES.includes(name)) add(name, columns);
  return [...tables.values()];
}

/** The rows of a table, page by page, in the order of its primary key. */
export async function* readPages(
  db: Queries,
  kind: Db['kind'],
  { name: table, columns, key }: StoredTable,
): AsyncGenerator<readonly StoredRow[]> {
  const texts = columns.map(({ name, type }) => {
    const column = quote(name);
    // On SQLite `hex` of null is an empty text.
    const digits =
      kind === 'sqlite' ? `iif(${column} is null, null, lower(hex(${column})))` : `encode(${column}, 'hex')`;
    return `cast(${type === 'blob' ? digits : column} as text) as ${column}`;
  });
  // Qualified by the table: the bare name is that of the selected text.
  const keys = key.map(({ name }) => `${quote(table)}.${quote(name)}`).join(', ');
  const select = `select ${texts.join(', ')} from ${quote(table)}`;
  const between = key.slice(1).map(() => ', ');
  const next = statement(`${select} where (${keys}) > (`, ...between, `) order by ${keys} limit `, '');
  const limit = columns.some(({ type }) => type === 'blob') ? PAGE_ROWS_WITH_BYTES : PAGE_ROWS;
  let rows = await db.all<StoredRow>(statement(`${select} order by ${keys} limit `, ''), limit);
  while (rows.length > 0) {
    yield rows;
    const last = rows.at(-1);
    rows = await db.all<StoredRow>(next, ...key.map(({ name }) => last?.[name] ?? ''), limit);
  }
}

/** Inserts the JSON of an array of rows into PostgreSQL. */
export function insertionOf({ name, columns }: StoredTable): TemplateStringsArray {
  const names = columns.map((column) => quote(column.name));
  const types = columns.map(({ name, type }) => `${quote(name)} ${type === 'integer' ? 'bigint' : 'text'}`);
  const values = columns.map(({ type }, at) => (type === 'blob' ? `decode(${names[at]}, 'hex')` : names[at]));
  return statement(
    `insert into ${quote(name)} (${names.join(', ')}) select ${values.join(', ')} from json_to_recordset(`,
    `::text::json) as rows (${types.join(', ')})`,
  );
}

/** Compares a table with its copy, a page of each in turn, so that neither waits long for its next statement. */
export async function compareTable(
  table: StoredTable,
  source: Queries,
  target: Queries,
): Promise<TableSum | undefined> {
  const hash = createHash('sha256');
  let rows = 0;
  const copies = readPages(target, 'postgres', table);
  for await (const page of readPages(source, 'sqlite', table)) {
    const text = JSON.stringify(page);
    if (text !== JSON.stringify((await copies.next()).value)) return undefined;
    hash.update(text);
    rows += page.length;
  }
  return (await copies.next()).done ? { rows, checksum: hash.digest('hex') } : undefined;
}

export async function countRows(db: Queries, { name }: StoredTable): Promise<number | undefined> {
  return (await db.get<{ n: number }>(statement(`select count(*) as n from ${quote(name)}`)))?.n;
}

/** @throws {Error} for a table whose rows cannot be read in the order of a key */
function keyOf(table: string, columns: readonly Column[]): readonly Column[] {
  const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  if (key.length === 0 || key.some(({ type }) => type === 'blob'))
    throw new Error(`the table ${table} has no primary key of texts and integers`);
  return key;
}

function quote(name: string): string {
  return `"${name}"`;
}
