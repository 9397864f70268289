/**
 * The shape of an answer, to compare all of it: every field with its type, `integer` for whole numbers; an array as the
 * shapes of its elements.
 */
export function shapeOf(value: unknown): unknown {
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]));
  return Number.isInteger(value) ? 'integer' : typeof value;
}
