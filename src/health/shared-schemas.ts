/** Our annotations of a schema, which are not of JSON Schema (`http/validation.ts`, `http/envelope.ts`). */
const OWN_ANNOTATIONS = new Set(['refusal', 'tooLong', 'refine', 'words']);

interface SharedSchemas {
  /** A schema as plain JSON Schema, in which every named schema is a reference. */
  refer(schema: object): object;
  /** The named schemas that were referred to, sorted by name. */
  schemas(): Record<string, object>;
}

/**
 * Collects schemas for `components/schemas` of OpenAPI and AsyncAPI. A schema is recognized by its identity, at any depth.
 *
 * @param shapes schemas by name
 */
export function shareSchemas(shapes: Record<string, object>): SharedSchemas {
  const names = new Map(Object.entries(shapes).map(([name, schema]) => [schema, name]));
  const shared = new Map<string, object>();

  function refer(schema: object): object {
    const name = names.get(schema);
    if (name === undefined) return copy(schema);
    if (!shared.has(name)) shared.set(name, copy(schema));
    return { $ref: `#/components/schemas/${name}` };
  }

  function copy(schema: object): object {
    const plain = Object.entries(schema).filter(([key]) => !OWN_ANNOTATIONS.has(key));
    return Object.fromEntries(plain.map(([key, value]) => [key, copyValue(value)]));
  }

  function copyValue(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(copyValue);
    return typeof value === 'object' && value !== null ? refer(value) : value;
  }

  return { refer, schemas: () => Object.fromEntries([...shared].sort(([a], [b]) => (a < b ? -1 : 1))) };
}
