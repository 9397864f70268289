import type { IncomingHttpHeaders } from 'node:http';

/** Bounds the work for a long header. */
const MAX_RANGES = 20;

/**
 * The language that a request prefers, of those that `isKnown` matches. Of several with the same weight, the first counts.
 *
 * @param header the value of `Accept-Language` (RFC 9110, 12.5.4); its first 20 ranges are read
 * @param isKnown matches the languages to choose from; a `*` never matches
 * @returns a tag such as `en-GB`, as it was sent; '' when none is named, or none with a weight above 0
 */
export function preferredLanguage(header = '', isKnown = /^[a-z]/i): string {
  let best = { tag: '', weight: 0 };
  for (const range of header.split(',', MAX_RANGES)) {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim());
    if (!isKnown.test(tag)) continue;
    const q = parameters.find((parameter) => /^q=/i.test(parameter));
    const weight = q === undefined ? 1 : Number(q.slice(2));
    if (weight > best.weight) best = { tag, weight };
  }
  return best.tag;
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
