import type { Part, Value } from './db.ts';
import {
  forUpdate,
  type Keyword,
  type ListFragment,
  nowMs,
  skipLocked,
  type TableColumns,
  type TableFragment,
  type TextFragment,
} from './fragments.ts';

/** The syntax in which the databases differ. */
export interface Dialect {
  /** The text for the parameter with this number, from 1. */
  parameter(number: number): string;
  /** A subquery for the strings of a JSON array, which is the parameter with this text. */
  list(parameter: string): string;
  /** A subquery for the objects of a JSON array, which is the parameter with this text. */
  table(parameter: string, columns: TableColumns): string;
  /** An expression for the parameter with this text after `limit`. */
  limit(parameter: string): string;
  readonly keywords: Readonly<Record<Keyword, string>>;
}

/** A template as text for one database. */
export interface Statement {
  readonly text: string;
  /** The first word is `select` or `with`. */
  readonly reads: boolean;
  /** The kind of each part: a value, a list, the columns of a table, a keyword, or the text of a fragment. */
  readonly shape: readonly (typeof value | typeof list | TableColumns | Keyword | string)[];
}

const value = Symbol('value');
const list = Symbol('list');
const keywords: ReadonlySet<unknown> = new Set<Keyword>([forUpdate, skipLocked, nowMs]);

/** Turns templates into statements, each template once. */
export class Statements {
  #dialect: Dialect;
  #known = new WeakMap<TemplateStringsArray, Statement>();

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /** The statement of a template. It is built again when a part is of another kind than the last time. */
  of(strings: TemplateStringsArray, parts: readonly Part[]): Statement {
    const known = this.#known.get(strings);
    if (known?.shape.every((shape, at) => shape === shapeOf(parts[at]))) return known;
    const statement = write(this.#dialect, strings, parts);
    this.#known.set(strings, statement);
    return statement;
  }
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
    } else if (isList(part)) {
      for (const item of part.list) {
        if (typeof item !== 'string') throw refusal(at, `is a list with ${nameOf(item)} in it`);
        checkedString(item, at);
      }
      parameters.push(JSON.stringify(part.list));
    } else if (isTable(part)) {
      for (const row of part.rows)
        for (const name of Object.keys(part.columns)) checkCell(row[name], name, at);
      parameters.push(JSON.stringify(part.rows));
    } else if (!isText(part) && !isKeyword(part)) {
      throw refusal(at, `is ${nameOf(part)}`);
    }
  }
  return parameters;
}

function write(dialect: Dialect, strings: TemplateStringsArray, parts: readonly Part[]): Statement {
  const shape = parts.map(shapeOf);
  let text = strings[0] ?? '';
  let parameters = 0;
  for (const [at, kind] of shape.entries()) {
    if (kind === value) {
      const parameter = dialect.parameter(++parameters);
      text += /\blimit\s+$/i.test(text) ? dialect.limit(parameter) : parameter;
    } else if (kind === list) text += dialect.list(dialect.parameter(++parameters));
    else if (typeof kind === 'object') text += dialect.table(dialect.parameter(++parameters), kind);
    else text += isKeyword(kind) ? dialect.keywords[kind] : kind;
    text += strings[at + 1] ?? '';
  }
  return { text, reads: /^\s*(select|with)\b/i.test(text), shape };
}

function shapeOf(part: Part | undefined): Statement['shape'][number] {
  if (isKeyword(part)) return part;
  if (isText(part)) return part.text;
  if (isTable(part)) return part.columns;
  return isList(part) ? list : value;
}

function isList(part: unknown): part is ListFragment {
  return typeof part === 'object' && part !== null && 'list' in part && Array.isArray(part.list);
}

function isTable(part: unknown): part is TableFragment {
  return typeof part === 'object' && part !== null && 'rows' in part && Array.isArray(part.rows);
}

function isText(part: unknown): part is TextFragment {
  return typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string';
}

function isKeyword(part: unknown): part is Keyword {
  return keywords.has(part);
}

function checkedString(text: string, at: number): string {
  if (!text.isWellFormed()) throw refusal(at, 'is a string with half a surrogate pair');
  if (text.includes('\0')) throw refusal(at, 'is a string with U+0000');
  return text;
}

function checkCell(value: unknown, name: string, at: number): void {
  if (typeof value === 'string') checkedString(value, at);
  else if (value !== null && !(typeof value === 'number' && Number.isFinite(value)))
    throw refusal(at, `has rows with ${typeof value === 'number' ? value : nameOf(value)} in "${name}"`);
}

function refusal(at: number, what: string): TypeError {
  return new TypeError(`parameter ${at + 1} of the statement ${what}`);
}

function nameOf(part: unknown): string {
  if (typeof part === 'object' && part !== null) return `an object (${part.constructor?.name ?? 'no class'})`;
  return part === undefined ? 'undefined' : `a ${typeof part}`;
}
