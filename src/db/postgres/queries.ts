import type { Part, Queries } from '../db.ts';
import { forKeyShare, forUpdate, indexOf, nowMs, skipLocked, type TableColumns } from '../fragments.ts';
import { type Dialect, Statements } from '../statements.ts';
import type { QueryResult } from './statement-query.ts';

const dialect: Dialect = {
  parameter: (number) => `$${number}`,
  // Cast from text: the library would encode a parameter of type json as JSON again.
  list: (parameter) =>
    `(select value from json_array_elements_text(${parameter}::text::json) as elements (value))`,
  table: (columns, next) => `(${selectRecords(columns, next())})`,
  inserted: (columns, next) => `(${Object.keys(columns).join(', ')}) ${selectRecords(columns, next())}`,
  limit: (parameter) => parameter,
  keywords: {
    [forUpdate]: 'for update',
    [forKeyShare]: 'for key share',
    [skipLocked]: 'for update skip locked',
    [nowMs]: 'floor(extract(epoch from statement_timestamp()) * 1000)::bigint',
    [indexOf]: 'strpos',
  },
};

function selectRecords(columns: TableColumns, parameter: string): string {
  const names = Object.keys(columns);
  const typed = names.map((name) => `${name} ${columns[name] === 'text' ? 'text collate "C"' : 'bigint'}`);
  return `select ${names.join(', ')} from json_to_recordset(${parameter}::text::json) as records (${typed.join(', ')})`;
}

export const statements = new Statements(dialect);

/** The base of a database, a transaction and a flight: tagged templates over {@link query}. */
export abstract class PostgresQueries implements Queries {
  /** Resolves with what `take` makes of the result. */
  protected abstract query<Row, T>(
    strings: TemplateStringsArray,
    parts: Part[],
    take: (result: QueryResult<Row>) => T,
  ): Promise<T>;

  all<Row>(strings: TemplateStringsArray, ...parts: Part[]): Promise<Row[]> {
    return this.query<Row, Row[]>(strings, parts, ({ rows }) => rows);
  }

  get<Row>(strings: TemplateStringsArray, ...parts: Part[]): Promise<Row | undefined> {
    return this.query<Row, Row | undefined>(strings, parts, ({ rows }) => rows[0]);
  }

  run(strings: TemplateStringsArray, ...parts: Part[]): Promise<number> {
    return this.query(strings, parts, ({ count }) => count);
  }
}
