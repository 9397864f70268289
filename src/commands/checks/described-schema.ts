import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Db, Queries } from '../../db/db.ts';
import { migrate } from '../../db/migrate.ts';
import { openSqlite } from '../../db/sqlite/sqlite.ts';
import { statement } from '../../db/statements.ts';

export interface Reference {
  readonly child: string;
  readonly column: string;
  readonly parent: string;
  readonly parent_column: string;
  /** The first column of the child's primary key. */
  readonly key: string;
}

/** The sentence for a row of each catalog, the same on both databases. */
const SENTENCES = {
  columns: `'the column ' || place || ' ' || type || case nullable when 1 then '' else ' not null' end || coalesce(' default ' || preset, '')`,
  // Its origin is `p` of a primary key, `u` of a unique constraint, `c` of `create index`.
  indexes: `case origin
    when 'p' then 'the primary key (' || columns || ') of ' || child
    when 'u' then 'the unique key (' || columns || ') of ' || child
    else 'the index ' || name || ' on ' || child || ' (' || columns || ')' || case partial when 1 then ' of some rows' else '' end end`,
  references: `'the foreign key ' || child || ' (' || "column" || ') to ' || parent || ' (' || parent_column || '), on delete ' || deletes`,
  triggers: `'the trigger ' || name || ' on ' || child`,
};

/** Catalogs, which each database has of its own. */
const CATALOGS: Record<Db['kind'], typeof SENTENCES> = {
  sqlite: {
    columns: `select m.name || '.' || c.name as place, lower(c.type) as type, 1 - c."notnull" as nullable,
        replace(c.dflt_value, '''', '"') as preset
      from sqlite_schema m join pragma_table_info(m.name) c where m.type = 'table' and m.name not like 'sqlite~_%' escape '~'`,
    indexes: `select m.name as child, l.name, l.partial, substr(l.origin, 1, 1) as origin,
        (select group_concat(name, ', ') from (select name from pragma_index_info(l.name) order by seqno)) as columns
      from sqlite_schema m join pragma_index_list(m.name) l where m.type = 'table'`,
    references: `select m.name as child, f."from" as "column", f."table" as parent, f."to" as parent_column,
        lower(f.on_delete) as deletes, (select name from pragma_table_info(m.name) where pk = 1) as key
      from sqlite_schema m join pragma_foreign_key_list(m.name) f where m.type = 'table'`,
    triggers: "select name, tbl_name as child from sqlite_schema where type = 'trigger'",
  },
  postgres: {
    columns: `select table_name || '.' || column_name as place, replace(replace(data_type, 'bigint', 'integer'), 'bytea', 'blob') as type,
        case is_nullable when 'YES' then 1 else 0 end as nullable, replace(split_part(column_default, '::', 1), '''', '"') as preset
      from information_schema.columns where table_schema = current_schema()`,
    indexes: `select t.relname as child, i.relname as name, (x.indpred is not null)::int as partial,
        coalesce((select contype::text from pg_constraint where conindid = x.indexrelid and contype in ('p', 'u')), 'c') as origin,
        (select string_agg(a.attname, ', ' order by k.place)
          from unnest(x.indkey::int2[]) with ordinality k (number, place)
          join pg_attribute a on a.attrelid = t.oid and a.attnum = k.number) as columns
      from pg_index x join pg_class t on t.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
      where t.relnamespace = current_schema()::regnamespace and x.indisvalid`,
    references: `select child.relname as child, own.attname as "column", parent.relname as parent, other.attname as parent_column,
        case f.confdeltype when 'c' then 'cascade' else 'no action' end as deletes, '' as key
      from pg_constraint f join pg_class child on child.oid = f.conrelid join pg_class parent on parent.oid = f.confrelid
      join pg_attribute own on own.attrelid = f.conrelid and own.attnum = f.conkey[1]
      join pg_attribute other on other.attrelid = f.confrelid and other.attnum = f.confkey[1]
      where f.contype = 'f' and f.connamespace = current_schema()::regnamespace and f.convalidated`,
    triggers: `select g.tgname as name, t.relname as child from pg_trigger g join pg_class t on t.oid = g.tgrelid
      where not g.tgisinternal and g.tgenabled = 'O' and t.relnamespace = current_schema()::regnamespace`,
  },
};

/** The schema that the migrations of this version make, from a new database in a temporary folder. */
export async function describeMigrations() {
  const folder = await mkdtemp(join(tmpdir(), 'doorman-schema-'));
  try {
    await using db = await openSqlite({ folder });
    await migrate(db);
    const tables = await db.all<{ name: string }>(
      statement(
        "select name from sqlite_schema where type = 'table' and name not like 'sqlite~_%' escape '~' order by name",
      ),
    );
    return {
      lines: await describeSchema(db, db.kind),
      tables: tables.map(({ name }) => name),
      references: await readReferences(db),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** One line for each column, index, foreign key and trigger, the same on both databases. */
export async function describeSchema(db: Queries, kind: Db['kind']): Promise<Set<string>> {
  const lines = new Set<string>();
  for (const [part, sentence] of Object.entries(SENTENCES)) {
    const rows = CATALOGS[kind][part as keyof typeof SENTENCES]; // a key of it
    const described = statement(`select ${sentence} as line from (${rows}) as described`);
    for (const { line } of await db.all<{ line: string }>(described)) lines.add(line);
  }
  return lines;
}

/** The references between the tables of an embedded database. */
export function readReferences(db: Queries): Promise<Reference[]> {
  return db.all<Reference>(statement(CATALOGS.sqlite.references));
}
