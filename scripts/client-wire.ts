// Generates the kit's types of requests, answers and events from the service's schemas.
//   node scripts/client-wire.ts            writes client/src/wire.ts
import { writeFileSync } from 'node:fs';
import { LOG_EVENTS } from '../src/events/log-events.ts';
import { SHAPES } from '../src/health/shapes.ts';
import { PROFILE_FIELDS } from '../src/users/profile-fields.ts';

const LOG_EVENT_NAMES = Object.keys(LOG_EVENTS);
/** As in biome.json. */
const MAX_LINE = 110;

/** The part of JSON Schema that our schemas use. */
interface Schema {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  /** Our annotations (`src/http/validation.ts`). */
  shape?: string;
  described?: Schema;
  description?: string;
  anyOf?: Schema[];
  items?: Schema;
  maxLength?: number;
  pattern?: string;
  properties?: Record<string, object>;
  additionalProperties?: Schema;
  required?: string[];
}

/** The text of `client/src/wire.ts`. */
export function writeWire(): string {
  const names: Names = { objects: new Map(), values: new Map() };
  const parts: string[] = [];
  for (const [name, schema] of Object.entries<object>(SHAPES)) {
    const { described, anyOf, additionalProperties }: Schema = schema;
    const variants = described?.anyOf ?? anyOf ?? (additionalProperties && [schema]);
    parts.push(
      variants
        ? toType(
            name,
            variants.map((one) => describe(one, names, '    ')),
          )
        : `export interface ${name} ${describe(schema, names, '')}`,
    );
    names.objects.set(schema, name);
  }
  const events = describe({ type: 'object', properties: LOG_EVENTS, required: LOG_EVENT_NAMES }, names, '');
  parts.unshift(
    '// Made by scripts/client-wire.ts from the schemas of the service: not to be edited.',
    ...[...names.values].map(([name, values]) => toType(name, values.map(toLiteral))),
  );
  const fields = Object.entries<{ schema: object }>(PROFILE_FIELDS).map(
    ([name, { schema }]) => `  ${name}: ${toBounds(schema)},\n`,
  );
  parts.push(
    `/** The fields that a user can set of their profile, with the bounds of a text. */\nexport const PROFILE_FIELDS = {\n${fields.join('')}} as const;`,
    `/** What each event of a user's log carries. */\nexport interface LogEventData ${events}`,
    `/** The events that today's service writes; a later one may write more. */\nexport const LOG_EVENT_NAMES = [\n${LOG_EVENT_NAMES.map((name) => `  '${name}',\n`).join('')}] as const;`,
  );
  return `${parts.join('\n\n')}\n`;
}

function toBounds({ maxLength, pattern }: Schema): string {
  const bounds = [
    ...(maxLength === undefined ? [] : [`maxLength: ${maxLength}`]),
    ...(pattern === undefined ? [] : [`pattern: ${toLiteral(pattern)}`]),
  ];
  return bounds.length > 0 ? `{ ${bounds.join(', ')} }` : '{}';
}

/** The types that have a name of their own. */
interface Names {
  readonly objects: Map<unknown, string>;
  /** The values of each `shape`. */
  readonly values: Map<string, readonly unknown[]>;
}

function describe(schema: Schema, names: Names, indent: string): string {
  const name = names.objects.get(schema);
  if (name) return name;
  if (schema.described) return describe(schema.described, names, indent);
  if (schema.shape && schema.enum) {
    names.values.set(schema.shape, schema.enum);
    return schema.shape;
  }
  // A copy of an object that was described, such as an optional one.
  if (schema.shape && names.objects.values().some((known) => known === schema.shape)) return schema.shape;
  if (schema.anyOf) return schema.anyOf.map((one) => describe(one, names, indent)).join(' | ');
  if ('const' in schema) return toLiteral(schema.const);
  if (schema.type === 'array') {
    const items = describe(schema.items ?? {}, names, indent);
    return schema.items?.anyOf ? `(${items})[]` : `${items}[]`;
  }
  if (schema.type === 'object') {
    const properties = Object.entries(schema.properties ?? {});
    if (schema.additionalProperties)
      return `Record<string, ${describe(schema.additionalProperties, names, indent)}>`;
    if (properties.length === 0) return 'object';
    const inner = `${indent}  `;
    const lines = properties.map(([key, value]: [string, Schema]) => {
      const note = value.description ? `${inner}/** ${value.description} */\n` : '';
      const mark = schema.required?.includes(key) ? '' : '?';
      return `${note}${inner}${key}${mark}: ${describe(value, names, inner)};`;
    });
    return `{\n${lines.join('\n')}\n${indent}}`;
  }
  if (schema.type === 'integer' || schema.type === 'number') return 'number';
  if (schema.type === 'string' || schema.type === 'boolean' || schema.type === 'null') return schema.type;
  throw new Error(`no type for ${JSON.stringify(schema)}`);
}

/** On one line if it fits. */
function toType(name: string, variants: readonly string[]): string {
  const line = `export type ${name} = ${variants.join(' | ')};`;
  const isShort = line.length <= MAX_LINE && !line.includes('\n');
  return isShort ? line : `export type ${name} =${variants.map((one) => `\n  | ${one}`).join('')};`;
}

function toLiteral(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\')}'` : String(value);
}

if (import.meta.main) writeFileSync(new URL('../client/src/wire.ts', import.meta.url), writeWire());
