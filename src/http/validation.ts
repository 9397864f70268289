import {
  type Static,
  type TObject,
  type TSchema,
  type TSchemaOptions,
  type TStringOptions,
  Type,
} from 'typebox';
import { Compile } from 'typebox/compile';
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
export interface Annotations {
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

/** The language of a text that the service writes. */
export function languageTag(what: string) {
  return text({
    minLength: 1,
    maxLength: 35,
    pattern: '^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*$',
    description: `${what}, a BCP 47 tag: Chinese for zh and its variants, else English; left out: that of Accept-Language`,
  });
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
    } else if (matches(field, value)) {
      if (typeof value === 'string') (field as Annotations).refine?.(value); // an annotation of `text`
      read[name] = value;
    } else throw refuseField(name, field, value);
  }
  return read as Static<S>; // each field was checked against its schema above
}

/** Compiled at the first use of a field: most processes need few of them. */
const validators = new WeakMap<TSchema, ReturnType<typeof Compile>>();

function matches(field: TSchema, value: unknown): boolean {
  let validator = validators.get(field);
  if (!validator) {
    validator = Compile(field);
    validators.set(field, validator);
  }
  return validator.Check(value);
}

/** The refusal of a value that does not match the field's schema. */
export function refuseField(name: string, field: TSchema & Annotations, value: unknown): ServiceError {
  const { maxLength = Number.POSITIVE_INFINITY, tooLong, refusal } = field as Annotations & Bounds; // JSON Schema's own, where present
  const length = typeof value === 'string' ? [...value].length : 0;
  const fixed = (length > maxLength ? tooLong : undefined) ?? refusal;
  if (fixed) return new ServiceError('invalid', ...fixed);
  const [chinese, english] = describeFault(name, field, value, length);
  return new ServiceError('invalid', 'invalid_field', chinese, { english });
}

interface Bounds {
  type?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
}

/** In Chinese and in English. */
function describeFault(name: string, field: TSchema, value: unknown, length: number): [string, string] {
  const { type, minLength = 0, maxLength, minimum, maximum } = field as Bounds; // JSON Schema's own, where present
  if (value === undefined) return [`缺少参数 ${name}`, `${name} is missing`];
  if (type === 'string' && typeof value !== 'string')
    return [`参数 ${name} 需为字符串`, `${name} must be a string`];
  if (type === 'boolean') return [`参数 ${name} 需为布尔值`, `${name} must be a boolean`];
  if (type === 'integer' && minimum !== undefined)
    return [
      `参数 ${name} 需为 ${minimum}-${maximum} 的整数`,
      `${name} must be an integer from ${minimum} to ${maximum}`,
    ];
  if (maxLength !== undefined && (length < minLength || length > maxLength))
    return [
      `参数 ${name} 的长度需在${minLength}-${maxLength}之间`,
      `${name} must have ${minLength} to ${maxLength} characters`,
    ];
  return [`参数 ${name} 不正确`, `${name} is not valid`];
}
