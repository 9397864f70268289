import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { Part, Value } from '../db.ts';
import { forKeyShare, forUpdate, indexOf, nowMs, skipLocked } from '../fragments.ts';
import { type Dialect, parametersByRow, Statements } from '../statements.ts';

const dialect: Dialect = {
  parameter: () => '?',
  list: (parameter) => `(select value from json_each(${parameter}))`,
  table: (columns, next) =>
    `(select ${Object.keys(columns)
      .map((name) => `${next()} as ${name}`)
      .join(', ')})`,
  inserted: (columns, next) => {
    const names = Object.keys(columns);
    return `(${names.join(', ')}) values (${names.map(next).join(', ')})`;
  },
  // SQLite compiles a statement with a bare `limit ?` again at each run, since its planner reads the bound value.
  limit: (parameter) => `${parameter} + 0`,
  keywords: {
    [forUpdate]: '',
    [forKeyShare]: '',
    [skipLocked]: '',
    [nowMs]: "cast(unixepoch('subsec') * 1000 as integer)",
    [indexOf]: 'instr',
  },
};

export const statements = new Statements(dialect);

interface Prepared {
  readonly statement: StatementSync;
  readonly columns: readonly string[];
}

/** How long opening the file waits for another process. */
const OPENING_TIMEOUT_MS = 5_000;

/** One connection to an SQLite file, with its prepared statements. */
export class SqliteConnection {
  readonly raw: DatabaseSync;
  #prepared = new Map<string, Prepared>();

  /** @throws {Error} when the file cannot be opened, or a setting that durability needs is not accepted */
  constructor(file: string, options: { readOnly: boolean }) {
    this.raw = new DatabaseSync(file, { ...options, timeout: OPENING_TIMEOUT_MS });
    try {
      if (!options.readOnly) this.raw.exec('pragma journal_mode = wal');
      // Journals of savepoints and statements are in memory: as temporary files they took a third of the time of a message.
      this.raw.exec(
        'pragma synchronous = full; pragma foreign_keys = on; pragma wal_autocheckpoint = 0; pragma cache_size = -16000; pragma temp_store = memory',
      );
      this.#assert('journal_mode', 'wal');
      this.#assert('synchronous', 2);
      this.#assert('foreign_keys', 1);
      this.#assert('wal_autocheckpoint', 0);
    } catch (error) {
      this.raw.close();
      throw error;
    }
  }

  all<Row>(strings: TemplateStringsArray, parts: readonly Part[]): Row[] {
    const runs = parametersByRow(parts);
    const { statement: prepared, columns } = this.#prepare(statements.of(strings, parts).text);
    return runs.flatMap((parameters) => {
      // Rows come as arrays (`setReturnArrays`), which the declared type does not know.
      const rows = prepared.all(...bindable(parameters)) as unknown as Value[][];
      return rows.map((values) => toRow<Row>(columns, values));
    });
  }

  /** The first row; a statement that writes runs to its end. */
  get<Row>(strings: TemplateStringsArray, parts: readonly Part[]): Row | undefined {
    const { text, reads } = statements.of(strings, parts);
    if (!reads) return this.all<Row>(strings, parts)[0];
    const runs = parametersByRow(parts);
    const { statement: prepared, columns } = this.#prepare(text);
    for (const parameters of runs) {
      // A row comes as an array (`setReturnArrays`), which the declared type does not know.
      const values = prepared.get(...bindable(parameters)) as unknown as Value[] | undefined;
      if (values) return toRow<Row>(columns, values);
    }
    return undefined;
  }

  run(strings: TemplateStringsArray, parts: readonly Part[]): number {
    const runs = parametersByRow(parts);
    const { statement: prepared } = this.#prepare(statements.of(strings, parts).text);
    let changes = 0;
    for (const parameters of runs) changes += Number(prepared.run(...bindable(parameters)).changes);
    return changes;
  }

  /** The first value that `pragma <text>` returns. */
  pragma(text: string): Value | undefined {
    const row = this.raw.prepare(`pragma ${text}`).get();
    // Only bigints are no `Value`, and those come only where `setReadBigInts` asks for them.
    return row && (Object.values(row)[0] as Value);
  }

  close(): void {
    if (this.raw.isOpen) this.raw.close();
  }

  #prepare(text: string): Prepared {
    let prepared = this.#prepared.get(text);
    if (!prepared) {
      const statement = this.raw.prepare(text);
      statement.setReturnArrays(true);
      prepared = { statement, columns: statement.columns().map((column) => column.name) };
      this.#prepared.set(text, prepared);
    }
    return prepared;
  }

  #assert(name: string, expected: Value): void {
    const actual = this.pragma(name);
    if (actual !== expected) throw new Error(`SQLite keeps ${name} at ${actual}; it must be ${expected}`);
  }
}

/** Whether another connection had the lock. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === 5;
}

/** SQLITE_NOMEM, READONLY, IOERR, CORRUPT, FULL, CANTOPEN and NOTADB (sqlite.org/rescode.html). */
const DISK_FAULTS = [7, 8, 10, 11, 13, 14, 26];

/** Whether the disk or the file failed, independent of the statement. */
export function isDiskFault(error: unknown): boolean {
  return DISK_FAULTS.includes(primaryCode(error));
}

export function isSqliteError(error: unknown): boolean {
  return primaryCode(error) !== 0;
}

/** The low byte of SQLite's code; 0 for other errors. */
function primaryCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
}

/** Whole numbers are bound as bigints: the driver binds every number as a real, and text columns would keep `5.0`. */
function bindable(parameters: Value[]): SQLInputValue[] {
  return parameters.map((parameter) =>
    typeof parameter === 'number' && Number.isSafeInteger(parameter) ? BigInt(parameter) : parameter,
  );
}

/** Objects from arrays: half the time of the driver's own objects, which also have no prototype. */
function toRow<Row>(columns: readonly string[], values: readonly Value[]): Row {
  const row: Record<string, Value | undefined> = {};
  for (let at = 0; at < columns.length; at++) row[columns[at] ?? ''] = values[at];
  // The columns of a statement are known only where it is written.
  return row as Row;
}
