/**
 * Parts of a template besides its values. A fragment knows no database: the driver writes it in its own SQL when it builds the
 * statement.
 *
 * @example
 * db.all<{ id: string }>`select id from users where id in ${inList(ids)} order by id ${skipLocked}`
 */
export type Fragment = ListFragment | TableFragment | TextFragment | Keyword;

/** Strings as one parameter. */
interface ListFragment {
  readonly list: readonly string[];
}

/** Rows, of which a statement treats each by itself. */
export interface TableFragment<Columns extends TableColumns = TableColumns> {
  readonly columns: Columns;
  readonly rows: readonly TableRow<Columns>[];
}

/** The names and types of a {@link TableFragment}'s columns. */
export type TableColumns = Readonly<Record<string, 'text' | 'bigint'>>;

type TableRow<Columns extends TableColumns> = {
  readonly [Name in keyof Columns]: (Columns[Name] extends 'text' ? string : number) | null;
};

/** SQL text without parameters, the same on both databases. */
export interface TextFragment {
  readonly text: string;
}

/** SQL text without parameters that each database has in its `Dialect`. */
export type Keyword =
  | typeof forUpdate
  | typeof forKeyShare
  | typeof skipLocked
  | typeof nowMs
  | typeof indexOf;

/** Locks the rows; empty on SQLite, where there is one writer. */
export const forUpdate = Symbol('forUpdate');

/** Locks the rows of users against their erasing, and against nothing else that is done to them; empty on SQLite, where there is one writer. */
export const forKeyShare = Symbol('forKeyShare');

/** Locks the rows that no other transaction has locked, and leaves out the others; empty on SQLite, where there is one writer. */
export const skipLocked = Symbol('skipLocked');

/** The database's own time when the statement began, in epoch milliseconds: the one clock that all processes share. */
export const nowMs = Symbol('nowMs');

/** The function that finds a text in another one: `${indexOf}(body, ${part})` is where it begins, from 1; 0: nowhere. '' is found at 1. */
export const indexOf = Symbol('indexOf');

/** For `where id in ${inList(ids)}`. */
export function inList(values: readonly string[]): ListFragment {
  return { list: values };
}

/**
 * For `from ${asTable(COLUMNS, rows)} as wanted`, once in a statement; directly behind `insert into inbox` it is the columns and their
 * values. The statement treats each row by itself, and no row of the result depends on another one: PostgreSQL gets all rows as one
 * parameter, while SQLite runs the statement once for each, which takes it half the time.
 *
 * @param columns a constant of the module: a statement has those of its first use
 */
export function asTable<Columns extends TableColumns>(
  columns: Columns,
  rows: readonly TableRow<Columns>[],
): TableFragment<Columns> {
  return { columns, rows };
}

/**
 * All columns of a row type, for `select` and `returning`. Never `*`: when a newer version adds a column, PostgreSQL refuses a
 * prepared `*` on every connection of the versions that run already (0A000).
 */
export function columnsOf<Row>(columns: { readonly [Column in keyof Row]-?: unknown }): TextFragment {
  return { text: Object.keys(columns).join(', ') };
}
