import { globSync, readFileSync } from 'node:fs';
import { parseSync } from 'vite';

/** A statement as the sources write it, before a database's dialect fills its places. */
export interface SourceStatement {
  /** File and line, such as `src/relations/blocks.ts:9`. */
  readonly place: string;
  readonly strings: readonly string[];
  /** What stands in each place. */
  readonly parts: readonly ('value' | 'list' | 'skipLocked')[];
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

const METHODS = new Set(['all', 'get', 'run']);

/**
 * Every statement template of the service: each template behind `.all`, `.get` or `.run`. A fragment is recognised by the
 * name of what is called or read (`list`, `skipLocked`), directly or through a constant of the same file; any other
 * expression is a parameter.
 */
export function findStatements(): SourceStatement[] {
  const files = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'));
  return files.sort().flatMap((file) => {
    const source = readFileSync(file, 'utf8');
    const { program, errors } = parseSync(file, source, { lang: 'ts' });
    if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
    const lists = new Set<string>();
    visit(program, (node) => {
      if (node.type === 'VariableDeclarator' && isListCall(node.init) && isNode(node.id))
        lists.add(String(node.id.name));
    });
    const found: SourceStatement[] = [];
    visit(program, (node) => {
      if (node.type !== 'TaggedTemplateExpression' || !METHODS.has(propertyOf(node.tag) ?? '')) return;
      const quasi = node.quasi as { quasis: { value: { cooked: string } }[]; expressions: Node[] };
      found.push({
        place: `${file}:${source.slice(0, node.start).split('\n').length}`,
        strings: quasi.quasis.map(({ value }) => value.cooked),
        parts: quasi.expressions.map((expression) => partOf(expression, lists)),
      });
    });
    return found;
  });
}

function partOf(expression: Node, lists: ReadonlySet<string>): SourceStatement['parts'][number] {
  if (propertyOf(expression) === 'skipLocked') return 'skipLocked';
  if (isListCall(expression)) return 'list';
  return expression.type === 'Identifier' && lists.has(String(expression.name)) ? 'list' : 'value';
}

function isListCall(value: unknown): boolean {
  return isNode(value) && value.type === 'CallExpression' && propertyOf(value.callee) === 'list';
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
