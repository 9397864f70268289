import { type Connection, Query } from 'pg';
import type { Value } from '../db.ts';

export interface QueryResult<Row> {
  readonly rows: Row[];
  /** Rows written, or read by a `select`. */
  readonly count: number;
  /** Such as `INSERT` or `COMMIT`. */
  readonly command: string;
  /** The first warning of class 01 that PostgreSQL sent with the answer. */
  readonly warning: string | undefined;
}

interface Column {
  readonly name: string;
  readonly parse: ((text: string) => unknown) | undefined;
}

/** The columns of each named statement that a connection has answered once, by the statement's name. */
export type DescribedStatements = Map<string, readonly Column[]>;

/** What pg 8.23 calls on a query and its types leave out (`pg/lib/query.js`). */
const PgQuery = Query as unknown as new (
  text: string,
) => {
  name: string | undefined;
  values: (string | Buffer | null)[] | undefined;
  prepare(connection: Wire): void;
};

/** The part of pg's connection that sends a statement which is known already. */
interface Wire extends Pick<Connection, 'sync'> {
  bind(config: { statement: string | undefined; values: (string | Buffer | null)[] | undefined }): void;
  execute(): void;
}

/**
 * A statement under way. Unlike pg's own query it makes plain objects with values as on SQLite, and asks for the columns of a
 * named statement once per connection: PostgreSQL refuses one whose columns have changed (0A000).
 */
export class StatementQuery extends PgQuery {
  readonly sentAt = performance.now();
  readonly answerMs: number;
  #known: DescribedStatements;
  #columns: readonly Column[] | undefined;
  #rows: unknown[] = [];
  #tag = '';
  #warning: string | undefined;
  #onEnd: (error?: Error) => void;

  /**
   * @param statement its `name` is that of the prepared statement; without one the text is sent by the simple protocol
   * @param onEnd called once, without an error when there is a {@link result}
   */
  constructor(
    statement: { text: string; name: string | undefined; parameters: Value[]; answerMs: number },
    known: DescribedStatements,
    onEnd: (error?: Error) => void,
  ) {
    const { text, name, parameters } = statement;
    super(text);
    if (name !== undefined) {
      this.name = name;
      this.values = parameters.map(toWire);
    }
    this.answerMs = statement.answerMs;
    this.#known = known;
    this.#columns = name === undefined ? undefined : known.get(name);
    this.#onEnd = onEnd;
  }

  override prepare(connection: Wire): void {
    if (!this.#columns) {
      super.prepare(connection);
      return;
    }
    connection.bind({ statement: this.name, values: this.values });
    connection.execute();
    connection.sync();
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, parse: parsers.get(dataTypeID) }));
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const columns = this.#columns ?? [];
    const row: Record<string, unknown> = {};
    for (let at = 0; at < columns.length; at++) {
      const column = columns[at];
      const text = fields[at];
      if (column) row[column.name] = column.parse && typeof text === 'string' ? column.parse(text) : text;
    }
    this.#rows.push(row);
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#tag = text;
  }

  handleWarning(message: string): void {
    this.#warning ??= message;
  }

  handleReadyForQuery(): void {
    if (this.name) this.#known.set(this.name, this.#columns ?? []);
    this.#onEnd();
  }

  handleError(error: Error): void {
    this.#onEnd(error);
  }

  get result(): QueryResult<unknown> {
    const words = this.#tag.split(' ');
    const count = Number(words.at(-1)) || 0;
    return { rows: this.#rows, count, command: words[0] ?? '', warning: this.#warning };
  }
}

function toWire(value: Value): string | Buffer | null {
  if (typeof value === 'string' || value === null) return value;
  if (typeof value === 'number') return String(value);
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

/** Values as on SQLite: numbers for whole and exact numbers, 0 and 1 for booleans, plain byte arrays; all else is text. */
const parsers = new Map<number, (text: string) => unknown>([
  ...[20, 21, 23, 26, 700, 701, 1700].map((type) => [type, Number] as const),
  [16, (text: string) => (text === 't' ? 1 : 0)],
  [17, readHex],
]);

/** As `bytea_output = hex` writes them. */
function readHex(text: string): Uint8Array {
  const { buffer, byteOffset, length } = Buffer.from(text.slice(2), 'hex');
  return new Uint8Array(buffer, byteOffset, length);
}
