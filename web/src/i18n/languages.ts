import { en, type Texts } from './en.ts';
import { zh } from './zh.ts';

export type Language = 'en' | 'zh';

export const TEXTS: Record<Language, Texts> = { en, zh };

/** For `lang` and for Intl (BCP 47). */
export const LOCALES: Record<Language, string> = { en: 'en', zh: 'zh-CN' };

export const LANGUAGE_KEY = 'doorman.language';

/** The first of the browser's languages that the page has; else English. */
export function pickLanguage(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const language = tag.toLowerCase().split('-')[0];
    if (language === 'zh' || language === 'en') return language;
  }
  return 'en';
}
