import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseSync } from 'vite';
import type { Part } from '../../src/db/db.ts';
import {
  asTable,
  columnsOf,
  forKeyShare,
  forUpdate,
  indexOf,
  inList,
  type Keyword,
  nowMs,
  skipLocked,
  type TableColumns,
  type TextFragment,
} from '../../src/db/fragments.ts';

/** A statement as the sources write it, before a database's dialect fills its places. */
export interface SourceStatement {
  /** File and line, such as `src/relations/blocks.ts:9`. */
  readonly place: string;
  readonly strings: readonly string[];
  /** What stands in each place: null for a value, an empty list or table, or a fragment without parameters. */
  readonly parts: readonly SourcePart[];
}

export type SourcePart = Exclude<Part, string | number | Uint8Array>;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

const METHODS = new Set(['all', 'get', 'run']);
const KEYWORDS: readonly Keyword[] = [forKeyShare, forUpdate, skipLocked, nowMs, indexOf];

/**
 * Every statement template of the service: each template behind `.all`, `.get` or `.run`. A fragment is recognised by its name in
 * `src/db/fragments.ts`, or as a constant of the same file or of the one that it is imported from; any other expression is a parameter.
 */
export async function findStatements(): Promise<SourceStatement[]> {
  const files = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'));
  const found: SourceStatement[] = [];
  for (const file of files.sort()) found.push(...(await findIn(file)));
  return found;
}

async function findIn(file: string): Promise<SourceStatement[]> {
  const source = readFileSync(file, 'utf8');
  const { program, errors } = parseSync(file, source, { lang: 'ts' });
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  const names: Names = { file, constants: new Map(), imports: new Map() };
  const templates: Node[] = [];
  visit(program, (node) => {
    if (node.type === 'VariableDeclarator') names.constants.set(nameOf(node.id), node.init);
    if (node.type === 'ImportDeclaration')
      for (const { local } of node.specifiers as Node[])
        names.imports.set(nameOf(local), String((node.source as Node).value));
    if (node.type === 'TaggedTemplateExpression' && METHODS.has(propertyOf(node.tag) ?? ''))
      templates.push(node);
  });
  return Promise.all(
    templates.map(async (node) => {
      const quasi = node.quasi as { quasis: { value: { cooked: string } }[]; expressions: Node[] };
      return {
        place: `${file}:${source.slice(0, node.start).split('\n').length}`,
        strings: quasi.quasis.map(({ value }) => value.cooked),
        parts: await Promise.all(quasi.expressions.map((expression) => partOf(expression, names))),
      };
    }),
  );
}

/** What the names of a file stand for. */
interface Names {
  readonly file: string;
  readonly constants: Map<unknown, unknown>;
  /** The module that a name is imported from. */
  readonly imports: Map<unknown, string>;
}

async function partOf(expression: Node, names: Names): Promise<SourcePart> {
  const name = nameOf(expression);
  const keyword = KEYWORDS.find(({ description }) => description === name);
  if (keyword) return keyword;
  const imported = await importOf(name, names);
  if (typeof imported === 'object') return imported as TextFragment; // the only objects that statements import
  const call = name === undefined ? expression : names.constants.get(name);
  if (!isNode(call) || call.type !== 'CallExpression') return null;
  const called = nameOf(call.callee);
  if (called === 'inList') return inList([]);
  if (called !== 'asTable' && called !== 'columnsOf') return null;
  const table = await tableOf((call.arguments as Node[])[0], names);
  return called === 'asTable' ? asTable(table, []) : columnsOf(table);
}

/** @param value the name of a constant such as `{ id: 'text', n: 'bigint' } as const`, perhaps with those of another by `...`, or of an imported one */
async function tableOf(value: Node | undefined, names: Names): Promise<TableColumns> {
  const imported = await importOf(nameOf(value), names);
  if (imported !== undefined) return imported as TableColumns; // the first argument of `asTable`
  const properties = withoutTypes(names.constants.get(nameOf(value)))?.properties as
    | { argument?: Node; key: { name: string }; value: { value: 'text' | 'bigint' } }[]
    | undefined;
  if (!properties) throw new Error('the columns of a table are no constant');
  const columns = properties.map(async ({ argument, key, value }) =>
    argument ? tableOf(argument, names) : { [key.name]: value.value },
  );
  return Object.assign({}, ...(await Promise.all(columns)));
}

/** The object of `{ .. } as const satisfies T`. */
function withoutTypes(value: unknown): { properties?: unknown } | undefined {
  const node = value as { expression?: unknown; properties?: unknown } | undefined;
  return node?.expression === undefined ? node : withoutTypes(node.expression);
}

async function importOf(name: string | undefined, { file, imports }: Names): Promise<unknown> {
  const from = imports.get(name);
  if (name === undefined || from === undefined) return undefined;
  return (await import(new URL(from, pathToFileURL(resolve(file))).href))[name];
}

function nameOf(value: unknown): string | undefined {
  return isNode(value) && value.type === 'Identifier' ? String(value.name) : undefined;
}

function propertyOf(value: unknown): string | undefined {
  if (!isNode(value) || value.type !== 'MemberExpression') return undefined;
  const { property } = value;
  return isNode(property) && typeof property.name === 'string' ? property.name : undefined;
}

function visit(value: unknown, see: (node: Node) => void): void {
  if (Array.isArray(value)) for (const item of value) visit(item, see);
  else if (typeof value === 'object' && value !== null) {
    if (isNode(value)) see(value);
    for (const inner of Object.values(value)) visit(inner, see);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** Whether a part is a list or a table. */
export function isSet(part: SourcePart): boolean {
  return typeof part === 'object' && part !== null && !('text' in part);
}
