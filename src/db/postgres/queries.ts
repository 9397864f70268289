import type { Part, Queries } from '../db.ts';
import type { Statements } from '../statements.ts';
import type { QueryResult } from './statement-query.ts';

/** What a database, a transaction and a flight share: tagged templates over {@link query}. */
export abstract class PostgresQueries implements Queries {
  protected readonly statements: Statements;

  constructor(statements: Statements) {
    this.statements = statements;
  }

  protected abstract query<Row>(strings: TemplateStringsArray, parts: Part[]): Promise<QueryResult<Row>>;

  protected pick<Row, T>(
    strings: TemplateStringsArray,
    parts: Part[],
    take: (result: QueryResult<Row>) => T,
  ): Promise<T> {
    return this.query<Row>(strings, parts).then(take);
  }

  all<Row>(strings: TemplateStringsArray, ...parts: Part[]): Promise<Row[]> {
    return this.pick<Row, Row[]>(strings, parts, ({ rows }) => rows);
  }

  get<Row>(strings: TemplateStringsArray, ...parts: Part[]): Promise<Row | undefined> {
    return this.pick<Row, Row | undefined>(strings, parts, ({ rows }) => rows[0]);
  }

  run(strings: TemplateStringsArray, ...parts: Part[]): Promise<number> {
    return this.pick(strings, parts, ({ count }) => count);
  }
}
