import { isUtf8 } from 'node:buffer';
import { refusal } from './errors.ts';

/** Our choice, the interface names no limit: what a chat client sends is small. */
export const BODY_LIMIT_BYTES = 64 * 1024;
const MAX_DEPTH = 32;

/**
 * Reads a JSON object from bytes: strict UTF-8, at most {@link MAX_DEPTH} levels (counted before anything
 * recursive runs), every string well-formed and without U+0000.
 *
 * @throws {ServiceError} `invalid`, with a word for each cause
 */
export function parseBody(bytes: Buffer): object {
  if (bytes.length === 0) throw refusal('invalid', 'body_empty');
  if (!isUtf8(bytes)) throw refusal('invalid', 'body_not_utf8');
  return parseObject(bytes.toString('utf8'));
}

/** The same for text that is already decoded, such as a serialized subscription (4.14). */
export function parseObject(text: string): object {
  const value = parseUncheckedObject(text);
  if (holdsBadText(text, value)) throw refusal('invalid', 'body_bad_text');
  return value;
}

/** The same without the check of strings, for a caller that must read a field before it refuses the rest. */
export function parseUncheckedObject(text: string): object {
  if (isTooDeep(text)) throw refusal('invalid', 'body_too_deep');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refusal('invalid', 'body_not_json');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refusal('invalid', 'body_not_object');
  return value;
}

/** {@link hasBadText} of `value`, parsed from the well-formed `text`: bad text can only come from an escape. */
export function holdsBadText(text: string, value: object): boolean {
  return text.includes('\\u') && hasBadText(value);
}

function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (inString) {
      if (c === 0x5c) i++;
      else if (c === 0x22) inString = false;
    } else if (c === 0x22) inString = true;
    else if (c === 0x7b || c === 0x5b) {
      if (++depth > MAX_DEPTH) return true;
    } else if (c === 0x7d || c === 0x5d) depth--;
  }
  return false;
}

/** Whether a string in it, at most {@link MAX_DEPTH} levels deep, is not well-formed or holds U+0000. */
export function hasBadText(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed();
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => hasBadText(key) || hasBadText(inner));
}
