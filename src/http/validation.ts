import {
  type Static,
  type TObject,
  type TSchema,
  type TSchemaOptions,
  type TStringOptions,
  Type,
} from 'typebox';
import Value from 'typebox/value';
import { ServiceError } from '../errors.ts';

/** A refusal that the contract fixes (interface 7): the stable word and the text. */
export type Refusal = readonly [word: string, text: string];

/**
 * Our annotations of a field's schema: `refusal` replaces every error of the field, `tooLong` only that of a text above
 * `maxLength`. `refine` gets a text that matches the schema, and throws to refuse it.
 *
 * Two are for the descriptions alone (`health/shared-schemas.ts`). `shape` names the schema. `described` replaces it, where a rule of
 * the room refuses more than the schema does: with words of its own, or because it still takes what earlier versions sent.
 */
interface Annotations {
  refusal?: Refusal;
  tooLong?: Refusal;
  refine?: (value: string) => void;
  shape?: string;
  described?: TSchema;
}

/** A string of `minLength` to `maxLength` code points. */
export function text(options: TStringOptions & Annotations = {}) {
  return Type.String(options);
}

/**
 * One of a few values: texts, or whole numbers. All fields with the same `shape` have one schema of that name in the descriptions, each
 * with its own description. Answers are sent without checking that they have one of the values, as earlier versions may have stored others.
 */
export function oneOf<const Value extends string | number>(
  shape: string,
  values: readonly Value[],
  options: TSchemaOptions & Pick<Annotations, 'refusal'> = {},
) {
  const type = values.every((value) => typeof value === 'number') ? 'integer' : 'string';
  return Type.Unsafe<Value>({ type, enum: values, shape, ...options });
}

/** 1 or 0 (interface 2.1). */
export function flag(description?: string) {
  return oneOf('Flag', [0, 1], description === undefined ? {} : { description });
}
export type Flag = 0 | 1;

/**
 * Turns the whole numbers of a query, which travel as text, into numbers. They are spelled as in JSON: `7`, not `07`, `+7` or `7.0`. Any
 * other text stays one, so that the schema refuses it.
 */
export function readNumbers(schema: TObject, query: object): object {
  const numbers = Object.entries(query).flatMap(([name, value]: [string, unknown]) => {
    const isNumber = typeof value === 'string' && /^(?:0|[1-9][0-9]{0,15})$/.test(value);
    const { type } = (Object.hasOwn(schema.properties, name) ? schema.properties[name] : {}) as Bounds;
    return isNumber && type === 'integer' ? [[name, Number(value)]] : [];
  });
  return { ...query, ...Object.fromEntries(numbers) };
}

/**
 * Validates the fields of an object in the order of the schema, so that the first error does not depend on the order in the
 * body. Unknown fields are left out of the result; nothing is coerced.
 *
 * @throws {ServiceError} `invalid`: the field's own refusal, what its `refine` throws, or `invalid_field` with the field's name
 */
export function readFields<S extends TObject>(schema: S, input: object): Static<S> {
  const required: readonly string[] = schema.required ?? [];
  const read: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.properties)) {
    const value: unknown = Object.hasOwn(input, name) ? input[name as keyof typeof input] : undefined;
    if (value === undefined) {
      if (required.includes(name)) throw refuseField(name, field, value);
    } else if (isShortText(field, value) || Value.Check(field, value)) {
      if (typeof value === 'string') (field as Annotations).refine?.(value); // an annotation of `text`
      read[name] = value;
    } else throw refuseField(name, field, value);
  }
  return read as Static<S>; // each field was checked against its schema above
}

/** Keywords of a schema that restrict a text by its length alone, or not at all. */
const LENGTH_KEYWORDS = ['type', 'minLength', 'maxLength', 'description', 'refusal', 'tooLong', 'refine'];
/** Bounds within which a number of UTF-16 units is certainly valid for a field; null if that depends on the text. */
const safeLengths = new WeakMap<TSchema, { readonly min: number; readonly max: number } | null>();

/** Checks the length alone, at a tenth of the cost of the whole schema. Most texts are far below their bound. */
function isShortText(field: TSchema, value: unknown): boolean {
  if (typeof value !== 'string') return false;
  let safe = safeLengths.get(field);
  if (safe === undefined) {
    safe = toSafeLengths(field);
    safeLengths.set(field, safe);
  }
  return safe !== null && value.length >= safe.min && value.length <= safe.max;
}

/** A text never has more code points than units, and at least one if it has any. */
function toSafeLengths(field: TSchema): { min: number; max: number } | null {
  const { type, minLength: min = 0, maxLength: max = Number.POSITIVE_INFINITY } = field as Bounds; // JSON Schema's own, where present
  const isByLength = type === 'string' && Object.keys(field).every((key) => LENGTH_KEYWORDS.includes(key));
  return isByLength && min <= 1 ? { min, max } : null;
}

function refuseField(name: string, field: TSchema & Annotations, value: unknown): ServiceError {
  const { maxLength, tooLong, refusal } = field as Annotations & { maxLength?: number }; // JSON Schema's own, where present
  const isTooLong = typeof value === 'string' && maxLength !== undefined && [...value].length > maxLength;
  const fixed = (isTooLong ? tooLong : undefined) ?? refusal;
  if (fixed) return new ServiceError('invalid', fixed[0], fixed[1]);
  const english = inEnglish(name, field, value);
  return new ServiceError('invalid', 'invalid_field', inChinese(name, field, value), { english });
}

interface Bounds {
  type?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
}

function inChinese(name: string, field: TSchema, value: unknown): string {
  const { type, minLength = 0, maxLength, minimum, maximum } = field as Bounds; // JSON Schema's own, where present
  if (value === undefined) return `缺少参数 ${name}`;
  if (type === 'string' && typeof value !== 'string') return `参数 ${name} 需为字符串`;
  if (type === 'boolean') return `参数 ${name} 需为布尔值`;
  if (type === 'integer' && minimum !== undefined) return `参数 ${name} 需为 ${minimum}-${maximum} 的整数`;
  if (typeof value === 'string' && maxLength !== undefined) {
    const length = [...value].length;
    if (length < minLength || length > maxLength)
      return `参数 ${name} 的长度需在${minLength}-${maxLength}之间`;
  }
  return `参数 ${name} 不正确`;
}

function inEnglish(name: string, field: TSchema, value: unknown): string {
  const { type, minLength = 0, maxLength, minimum, maximum } = field as Bounds; // JSON Schema's own, where present
  if (value === undefined) return `${name} is missing`;
  if (type === 'string' && typeof value !== 'string') return `${name} must be a string`;
  if (type === 'boolean') return `${name} must be a boolean`;
  if (type === 'integer' && minimum !== undefined)
    return `${name} must be an integer from ${minimum} to ${maximum}`;
  if (typeof value === 'string' && maxLength !== undefined) {
    const length = [...value].length;
    if (length < minLength || length > maxLength)
      return `${name} must have ${minLength} to ${maxLength} characters`;
  }
  return `${name} is not valid`;
}
