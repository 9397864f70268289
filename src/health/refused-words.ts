import type { RouteOptions } from 'fastify';
import type { TObject } from 'typebox';
import type { Refusal } from '../http/validation.ts';

/** What decides which words a route refuses with. */
interface Definition {
  body?: TObject;
  querystring?: TObject;
  response?: Record<string, { words?: readonly string[] }>;
}

/** The annotations of a field that name its words. */
interface Field {
  refusal?: Refusal;
  tooLong?: Refusal;
}

/**
 * The words of its own that a route answers a code with, besides `WORDS_OF_ANY_CALL`: those that its response names, and with 400 those
 * of the fields of its body and query.
 */
export function wordsOf({ schema = {} }: Pick<RouteOptions, 'schema'>, code: string): string[] {
  const { body, querystring, response } = schema as Definition; // every schema of ours is of these forms
  const fields: Field[] = [body, querystring].flatMap((part) => Object.values(part?.properties ?? {}));
  const ofFields = code === '400' ? fields.flatMap(wordsOfField) : [];
  return [...new Set([...ofFields, ...(response?.[code]?.words ?? [])])];
}

function wordsOfField({ refusal, tooLong }: Field): string[] {
  return [refusal?.[0] ?? 'invalid_field', ...(tooLong ? [tooLong[0]] : [])];
}
