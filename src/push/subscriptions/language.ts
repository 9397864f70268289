/** The languages in which the service has texts for notifications. */
export type Language = 'en' | 'zh';

/** Bounds the work for a long header. */
const MAX_RANGES = 20;

/** The language of notifications for a BCP 47 tag: English for every language without texts. */
export function languageOf(tag: string): Language {
  return /^zh(?:-|$)/i.test(tag) ? 'zh' : 'en';
}

/**
 * The one of our languages that a request accepts most.
 *
 * @param header the value of `Accept-Language` (RFC 9110, 12.5.4); without one, or one of our languages in it: English
 */
export function acceptedLanguage(header = ''): Language {
  let best: { tag: string; weight: number } | undefined;
  for (const range of header.split(',', MAX_RANGES)) {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim());
    if (!/^(?:en|zh)(?:-|$)/i.test(tag)) continue;
    const q = parameters.find((parameter) => /^q=/i.test(parameter));
    const weight = q === undefined ? 1 : Number(q.slice(2));
    if (weight > (best?.weight ?? 0)) best = { tag, weight };
  }
  return languageOf(best?.tag ?? '');
}
