// Generates the kit's types of requests, answers and events from the service's schemas.
//   node scripts/client-wire.ts            writes client/src/wire.ts
import { writeFileSync } from 'node:fs';
import { LOG_EVENTS } from '../src/events/log-events.ts';
import { SHAPES } from '../src/health/shapes.ts';

const LOG_EVENT_NAMES = Object.keys(LOG_EVENTS);

/** The part of JSON Schema that our schemas use. */
interface Schema {
  type?: string;
  const?: unknown;
  description?: string;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
}

/** The text of `client/src/wire.ts`. */
export function writeWire(): string {
  const names = new Map<unknown, string>();
  const parts = ['// Made by scripts/client-wire.ts from the schemas of the service: not to be edited.'];
  for (const [name, schema] of Object.entries(SHAPES)) {
    parts.push(`export interface ${name} ${describe(schema, names, '')}`);
    names.set(schema, name);
  }
  parts.push(
    `/** What each event of a user's log carries. */\nexport interface LogEventData ${describe({ type: 'object', properties: LOG_EVENTS, required: LOG_EVENT_NAMES }, names, '')}`,
    `/** The events that today's service writes; a later one may write more. */\nexport const LOG_EVENT_NAMES = [\n${LOG_EVENT_NAMES.map((name) => `  '${name}',\n`).join('')}] as const;`,
  );
  return `${parts.join('\n\n')}\n`;
}

function describe(schema: Schema, names: ReadonlyMap<unknown, string>, indent: string): string {
  const name = names.get(schema);
  if (name) return name;
  if (schema.anyOf) return schema.anyOf.map((one) => describe(one, names, indent)).join(' | ');
  if ('const' in schema) return typeof schema.const === 'string' ? `'${schema.const}'` : String(schema.const);
  if (schema.type === 'array') {
    const items = describe(schema.items ?? {}, names, indent);
    return schema.items?.anyOf ? `(${items})[]` : `${items}[]`;
  }
  if (schema.type === 'object') {
    const properties = Object.entries(schema.properties ?? {});
    if (properties.length === 0) return 'object';
    const inner = `${indent}  `;
    const lines = properties.map(([key, value]) => {
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

if (import.meta.main) writeFileSync(new URL('../client/src/wire.ts', import.meta.url), writeWire());
