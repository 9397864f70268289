import { isChinese, preferredLanguage } from '../../http/texts/language.ts';

/** The languages in which the service has texts for notifications. */
export type Language = 'en' | 'zh';

/** The language of notifications for a BCP 47 tag: English for every language without texts. */
export function languageOf(tag: string): Language {
  return isChinese(tag) ? 'zh' : 'en';
}

/**
 * The one of our languages that a request accepts most.
 *
 * @param header the value of `Accept-Language` (RFC 9110, 12.5.4); without one, or one of our languages in it: English
 */
export function acceptedLanguage(header?: string): Language {
  return languageOf(preferredLanguage(header, /^(?:en|zh)(?:-|$)/i));
}
