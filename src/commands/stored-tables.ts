import { createHash, type Hash } from 'node:crypto';
import type { Db, Queries } from '../db/db.ts';

/** A few milliseconds of reading, and within the 3 s of a statement also where rows are long. */
const PAGE_ROWS = 1_000;

/** A table as both databases have it, with its statements. */
export interface StoredTable {
  readonly name: string;
  /** The columns of its primary key, in which order rows are read. */
  readonly key: readonly string[];
  /** Reads rows of the embedded database as the text of JSON objects, which hold integers and texts exactly, bytes as digits. */
  readonly exported: Reading;
  /** Inserts an array of them into PostgreSQL. */
  readonly inserted: TemplateStringsArray;
  readonly counted: TemplateStringsArray;
  /** Reads rows as text that is the same on both databases if all values are. */
  readonly compared: Readonly<Record<Db['kind'], Reading>>;
}

/** The contents of a table: two that are equal have the same rows. */
export interface TableSum {
  readonly rows: number;
  /** SHA-256 over all rows in the order of the primary key, as 64 digits. */
  readonly checksum: string;
}

/** The statement for the first page, and the one for the page after a row, whose key are its first parameters. */
interface Reading {
  readonly first: TemplateStringsArray;
  readonly next: TemplateStringsArray;
}

/** A value of each row as text, and its key as `k0`, `k1`. */
type Row = Readonly<Record<string, string>>;

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
  const references = await db.all<{ child: string; parent: string }>(
    statement(`select m.name as child, f."table" as parent
      from sqlite_schema m join pragma_foreign_key_list(m.name) f
      where m.type = 'table' and f."table" <> m.name`),
  );
  const waiting = Map.groupBy(columns, (column) => column.table);
  for (const name of OWN_TABLES) waiting.delete(name);
  const tables: StoredTable[] = [];
  while (waiting.size > 0) {
    const ready = [...waiting].filter(
      ([name]) => !references.some(({ child, parent }) => child === name && waiting.has(parent)),
    );
    if (ready.length === 0) throw new Error(`tables refer to each other: ${[...waiting.keys()].join(', ')}`);
    for (const [name, those] of ready) {
      tables.push(describeTable(name, those));
      waiting.delete(name);
    }
  }
  return tables;
}

/** The rows of a table, page by page, in the order of its primary key. */
export async function* readPages(
  db: Queries,
  { key }: StoredTable,
  { first, next }: Reading,
): AsyncGenerator<readonly string[]> {
  let rows = await db.all<Row>(first, PAGE_ROWS);
  while (rows.length > 0) {
    yield rows.map(({ value = '' }) => value);
    const last = rows.at(-1);
    rows = await db.all<Row>(next, ...key.map((_, at) => last?.[`k${at}`] ?? ''), PAGE_ROWS);
  }
}

/** Reads one table of two databases, a page of each in turn, so that neither waits long for its next statement. */
export async function sumTable(
  table: StoredTable,
  sides: readonly { readonly kind: Db['kind']; readonly queries: Queries }[],
): Promise<TableSum[]> {
  const sums = sides.map(({ kind, queries }) => ({
    pages: readPages(queries, table, table.compared[kind]),
    hash: createHash('sha256'),
    rows: 0,
  }));
  for (let reading = sums; reading.length > 0; ) {
    const more: typeof sums = [];
    for (const sum of reading) {
      const { value: page } = await sum.pages.next();
      if (!page) continue;
      addPage(sum.hash, page);
      sum.rows += page.length;
      more.push(sum);
    }
    reading = more;
  }
  return sums.map(({ rows, hash }) => ({ rows, checksum: hash.digest('hex') }));
}

function addPage(hash: Hash, page: readonly string[]): void {
  hash.update(page.join(''));
}

function describeTable(name: string, columns: readonly Column[]): StoredTable {
  const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  if (key.length === 0 || key.some(({ type }) => type === 'blob'))
    throw new Error(`the table ${name} has no primary key of texts and integers`);
  const keyNames = key.map((column) => column.name);
  const names = columns.map((column) => quote(column.name)).join(', ');
  const json = columns.map((column) => `'${column.name}', ${textOrDigits(column, 'sqlite')}`);
  const types = columns.map(({ name, type }) => `${quote(name)} ${type === 'integer' ? 'bigint' : 'text'}`);
  const inserted = columns.map(({ name, type }) =>
    type === 'blob' ? `decode(${quote(name)}, 'hex')` : quote(name),
  );
  const reading = (expression: string) => describeReading(name, keyNames, expression);
  return {
    name,
    key: keyNames,
    exported: reading(`json_object(${json.join(', ')})`),
    inserted: statement(
      `insert into ${quote(name)} (${names}) select ${inserted.join(', ')} from json_to_recordset(`,
      `::text::json) as rows (${types.join(', ')})`,
    ),
    counted: statement(`select count(*) as n from ${quote(name)}`),
    compared: {
      sqlite: reading(textOf(columns, 'sqlite')),
      postgres: reading(textOf(columns, 'postgres')),
    },
  };
}

function describeReading(table: string, key: readonly string[], expression: string): Reading {
  const columns = key.map(quote).join(', ');
  const keys = key.map((name, at) => `cast(${quote(name)} as text) as k${at}`).join(', ');
  const select = `select ${expression} as value, ${keys} from ${quote(table)}`;
  const order = `order by ${columns} limit `;
  const between = key.slice(1).map(() => ', ');
  return {
    first: statement(`${select} ${order}`, ''),
    next: statement(`${select} where (${columns}) > (`, ...between, `) ${order}`, ''),
  };
}

/** Each value with its length before it, so that no two rows have the same text. */
function textOf(columns: readonly Column[], kind: Db['kind']): string {
  return columns
    .map((column) => `cast(${textOrDigits(column, kind)} as text)`)
    .map((text) => `coalesce(length(${text}) || ':' || ${text}, '-')`)
    .join(' || ');
}

function textOrDigits({ name, type }: Column, kind: Db['kind']): string {
  if (type !== 'blob') return quote(name);
  const digits = kind === 'sqlite' ? `lower(hex(${quote(name)}))` : `encode(${quote(name)}, 'hex')`;
  return `case when ${quote(name)} is null then null else ${digits} end`;
}

function quote(name: string): string {
  return `"${name}"`;
}

/** A statement that is made from the schema: its text, with a parameter between any two pieces. */
function statement(...pieces: string[]): TemplateStringsArray {
  return Object.assign(pieces, { raw: pieces });
}
