import type { Annotations } from '../http/validation.ts';

/** Our annotations of a schema, which are not of JSON Schema (`http/validation.ts`, `http/envelope.ts`). */
const OWN_ANNOTATIONS = new Set(['refusal', 'tooLong', 'refine', 'words', 'shape', 'described']);

type Annotated = Pick<Annotations, 'shape' | 'described'> & { description?: string };

/**
 * Collects schemas for `components/schemas` of OpenAPI and AsyncAPI. A schema is recognized by its identity, at any depth, or by its
 * `shape`, of which there may be copies with other descriptions.
 *
 * @param shapes schemas by name
 */
export function shareSchemas(shapes: Record<string, object>) {
  const names = new Map(Object.entries(shapes).map(([name, schema]) => [schema, name]));
  const shared = new Map<string, object>();

  /** A schema as plain JSON Schema, in which every named schema is a reference. */
  function refer(schema: object): object {
    const { shape, description, ...values } = schema as Annotated; // annotations of ours, where present
    const name = shape ?? names.get(schema);
    if (name === undefined) return copy(schema);
    if (!shared.has(name)) shared.set(name, copy(shape === undefined ? schema : values));
    const reference = { $ref: `#/components/schemas/${name}` };
    return shape !== undefined && description !== undefined ? { ...reference, description } : reference;
  }

  function copy(schema: object): object {
    const { described } = schema as Annotated; // an annotation of ours, where present
    const plain = Object.entries(described ?? schema).filter(([key]) => !OWN_ANNOTATIONS.has(key));
    return Object.fromEntries(plain.map(([key, value]) => [key, copyValue(value)]));
  }

  function copyValue(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(copyValue);
    return typeof value === 'object' && value !== null ? refer(value) : value;
  }

  return {
    refer,
    /** The named schemas that were referred to, sorted by name. */
    schemas: (): Record<string, object> =>
      Object.fromEntries([...shared].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}
