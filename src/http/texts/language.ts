import type { IncomingHttpHeaders } from 'node:http';
import { weightedEntries } from '../parse/weights.ts';

/**
 * The language that a request prefers, of those that `isKnown` matches. Of several with the same weight, the first counts.
 *
 * @param header the value of `Accept-Language` (RFC 9110, 12.5.4)
 * @param isKnown matches the languages to choose from; a `*` never matches
 * @returns a tag such as `en-GB`, as it was sent; '' when none is named, or none with a weight above 0
 */
export function preferredLanguage(header = '', isKnown = /^[a-z]/i): string {
  let best = { name: '', weight: 0 };
  for (const entry of weightedEntries(header))
    if (isKnown.test(entry.name) && entry.weight > best.weight) best = entry;
  return best.name;
}

export function isChinese(tag: string): boolean {
  return /^zh(?:-|$)/i.test(tag);
}

/** Whether a caller reads English rather than Chinese: they name a language, and prefer another one than Chinese (architecture 10.1). */
export function prefersEnglish(headers: IncomingHttpHeaders): boolean {
  const tag = preferredLanguage(headers['accept-language']);
  return tag !== '' && !isChinese(tag);
}

/** The text of a success in the language of the caller. */
export function textFor(
  { headers }: { readonly headers: IncomingHttpHeaders },
  chinese: string,
  english: string,
): string {
  return prefersEnglish(headers) ? english : chinese;
}

/**
 * The language of a text that a caller gets later, as in a mail.
 *
 * @param tag a BCP 47 tag that they sent; without one it is the language of their answers
 */
export function languageFor(
  { headers }: { readonly headers: IncomingHttpHeaders },
  tag?: string,
): 'zh' | 'en' {
  const isEnglish = tag === undefined ? prefersEnglish(headers) : !isChinese(tag);
  return isEnglish ? 'en' : 'zh';
}
