import type { Part, Value } from './db.ts';
import {
  forKeyShare,
  forUpdate,
  indexOf,
  type Keyword,
  nowMs,
  skipLocked,
  type TableColumns,
  type TableFragment,
} from './fragments.ts';

/** The syntax in which the databases differ. */
export interface Dialect {
  /** The text for the parameter with this number, from 1. */
  parameter(number: number): string;
  /** A subquery for the strings of a JSON array, which is the parameter with this text. */
  list(parameter: string): string;
  /** A subquery for the rows of a table, which are the parameters that it takes by `next`. */
  table(columns: TableColumns, next: () => string): string;
  /** The same as the columns and values behind `insert into <table>`. */
  inserted(columns: TableColumns, next: () => string): string;
  /** An expression for the parameter with this text after `limit`. */
  limit(parameter: string): string;
  readonly keywords: Readonly<Record<Keyword, string>>;
}

/** A template as text for one database. */
interface Statement {
  readonly text: string;
  /** The first word is `select` or `with`. */
  readonly reads: boolean;
}

/** Turns templates into statements, each template once. */
export class Statements {
  #dialect: Dialect;
  #known = new WeakMap<TemplateStringsArray, Statement>();

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /** The statement of a template, whose parts are of the same kinds each time: values, and the same fragments but for lists and rows. */
  of(strings: TemplateStringsArray, parts: readonly Part[]): Statement {
    let statement = this.#known.get(strings);
    if (!statement) {
      statement = write(this.#dialect, strings, parts);
      this.#known.set(strings, statement);
    }
    return statement;
  }
}

/** A template that is in no source file: its text, with a parameter between any two pieces. It is prepared anew for each one. */
export function statement(...pieces: string[]): TemplateStringsArray {
  return Object.assign(pieces, { raw: pieces });
}

/**
 * The parameters among the parts, in order. A list and a table become the text of a JSON array.
 *
 * @throws {TypeError} naming the position, from 1, of a part that is no {@link Part}
 */
export function parametersOf(parts: readonly Part[]): Value[] {
  const parameters: Value[] = [];
  for (const [at, part] of parts.entries()) {
    if (typeof part === 'string') {
      parameters.push(checkedString(part, at));
    } else if (typeof part === 'number') {
      if (!Number.isFinite(part)) throw refusal(at, `is ${part}`);
      parameters.push(part);
    } else if (part === null || part instanceof Uint8Array) {
      parameters.push(part);
    } else if (typeof part === 'object' && 'list' in part) {
      for (const item of part.list) {
        if (typeof item !== 'string') throw refusal(at, `is a list with ${nameOf(item)} in it`);
        checkedString(item, at);
      }
      parameters.push(JSON.stringify(part.list));
    } else if (isTable(part)) {
      for (const row of part.rows)
        for (const name of Object.keys(part.columns)) checkedCell(row[name], name, at);
      parameters.push(JSON.stringify(part.rows));
    } else if (!isKeyword(part) && !(typeof part === 'object' && 'text' in part)) {
      throw refusal(at, `is ${nameOf(part)}`);
    }
  }
  return parameters;
}

/** The parameters of each run, where a database runs a statement with a table once for each row. */
export function parametersByRow(parts: readonly Part[]): Value[][] {
  const at = parts.findIndex(isTable);
  const table = parts[at];
  if (!isTable(table)) return [parametersOf(parts)];
  const names = Object.keys(table.columns);
  const [before, after] = [parametersOf(parts.slice(0, at)), parametersOf(parts.slice(at + 1))];
  return table.rows.map((row) => [
    ...before,
    ...names.map((name) => checkedCell(row[name], name, at)),
    ...after,
  ]);
}

function write(dialect: Dialect, strings: TemplateStringsArray, parts: readonly Part[]): Statement {
  let text = strings[0] ?? '';
  let parameters = 0;
  const next = () => dialect.parameter(++parameters);
  for (const [at, part] of parts.entries()) {
    if (isKeyword(part)) text += dialect.keywords[part];
    else if (isTable(part))
      text += dialect[/\binsert into \w+\s+$/i.test(text) ? 'inserted' : 'table'](part.columns, next);
    else if (typeof part === 'object' && part && 'text' in part) text += part.text;
    else if (typeof part === 'object' && part && 'list' in part) text += dialect.list(next());
    else text += /\blimit\s+$/i.test(text) ? dialect.limit(next()) : next();
    text += strings[at + 1] ?? '';
  }
  return { text, reads: /^\s*(select|with)\b/i.test(text) };
}

function isTable(part: Part | undefined): part is TableFragment {
  return typeof part === 'object' && part !== null && 'rows' in part;
}

function isKeyword(part: Part): part is Keyword {
  return [forUpdate, forKeyShare, skipLocked, nowMs, indexOf].some((keyword) => part === keyword);
}

function checkedString(text: string, at: number): string {
  if (!text.isWellFormed()) throw refusal(at, 'is a string with half a surrogate pair');
  if (text.includes('\0')) throw refusal(at, 'is a string with U+0000');
  return text;
}

function checkedCell(value: unknown, name: string, at: number): Value {
  if (typeof value === 'string') return checkedString(value, at);
  if (value === null || (typeof value === 'number' && Number.isFinite(value))) return value;
  throw refusal(at, `has rows with ${typeof value === 'number' ? value : nameOf(value)} in "${name}"`);
}

function refusal(at: number, what: string): TypeError {
  return new TypeError(`parameter ${at + 1} of the statement ${what}`);
}

function nameOf(part: unknown): string {
  if (typeof part === 'object' && part !== null) return `an object (${part.constructor?.name ?? 'no class'})`;
  return part === undefined ? 'undefined' : `a ${typeof part}`;
}
