import { globSync, readFileSync } from 'node:fs';
import { parseSync } from 'vite';
import { forUpdate, type Keyword, nowMs, skipLocked, type TableColumns } from '../../src/db/fragments.ts';

/** A statement as the sources write it, before a database's dialect fills its places. */
export interface SourceStatement {
  /** File and line, such as `src/relations/blocks.ts:9`. */
  readonly place: string;
  readonly strings: readonly string[];
  /** What stands in each place; for a table, its columns. */
  readonly parts: readonly SourcePart[];
}

type SourcePart = 'value' | 'list' | Keyword | TableColumns;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

const METHODS = new Set(['all', 'get', 'run']);
const KEYWORDS: readonly Keyword[] = [forUpdate, skipLocked, nowMs];

/**
 * Every statement template of the service: each template behind `.all`, `.get` or `.run`. A fragment is recognised by its name in
 * `src/db/fragments.ts`, directly or through a constant of the same file; any other expression is a parameter. The columns of a table
 * are a constant of the file too.
 */
export function findStatements(): SourceStatement[] {
  const files = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'));
  return files.sort().flatMap((file) => {
    const source = readFileSync(file, 'utf8');
    const { program, errors } = parseSync(file, source, { lang: 'ts' });
    if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
    const constants = new Map<string, unknown>();
    visit(program, (node) => {
      if (node.type === 'VariableDeclarator' && isNode(node.id))
        constants.set(String(node.id.name), node.init);
    });
    const found: SourceStatement[] = [];
    visit(program, (node) => {
      if (node.type !== 'TaggedTemplateExpression' || !METHODS.has(propertyOf(node.tag) ?? '')) return;
      const quasi = node.quasi as { quasis: { value: { cooked: string } }[]; expressions: Node[] };
      found.push({
        place: `${file}:${source.slice(0, node.start).split('\n').length}`,
        strings: quasi.quasis.map(({ value }) => value.cooked),
        parts: quasi.expressions.map((expression) => partOf(expression, constants)),
      });
    });
    return found;
  });
}

function partOf(expression: Node, constants: ReadonlyMap<string, unknown>): SourcePart {
  const name = nameOf(expression);
  const keyword = KEYWORDS.find(({ description }) => description === name);
  if (keyword) return keyword;
  const call = name === undefined ? expression : constants.get(name);
  if (!isNode(call) || call.type !== 'CallExpression') return 'value';
  const called = nameOf(call.callee);
  if (called === 'inList') return 'list';
  return called === 'asTable' ? columnsOf((call.arguments as Node[])[0], constants) : 'value';
}

/** @param value the name of a constant such as `{ id: 'text', n: 'bigint' } as const` */
function columnsOf(value: Node | undefined, constants: ReadonlyMap<string, unknown>): TableColumns {
  const declared = constants.get(String(value?.name)) as { expression?: Node } | undefined;
  const properties = declared?.expression?.properties as
    | { key: { name: string }; value: { value: 'text' | 'bigint' } }[]
    | undefined;
  if (!properties) throw new Error('the columns of a table are no constant of the file');
  return Object.fromEntries(properties.map(({ key, value }) => [key.name, value.value]));
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
