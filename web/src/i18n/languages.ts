import { onStoredElsewhere, readStored, writeStored } from '../stored.ts';
import type { Texts } from './en.ts';

export type Language = 'en' | 'zh';

/** For `lang` and for Intl (BCP 47). */
export const LOCALES: Record<Language, string> = { en: 'en', zh: 'zh-CN' };

/** The key is that of first-paint.js too. */
const LANGUAGE_KEY = 'doorman.language';

/** The texts that only some views load. */
type Part = 'auth' | 'links' | 'settings';

/** Each language is a file of its own, with another one for each part, and only what is in use is loaded. */
const FILES = {
  en: {
    main: async () => (await import('./en.ts')).en,
    auth: () => import('../features/auth/auth.en.ts'),
    settings: () => import('./settings.en.ts'),
    links: () => import('../features/auth/links/links.en.ts'),
  },
  zh: {
    main: async () => (await import('./zh.ts')).zh,
    auth: () => import('../features/auth/auth.zh.ts'),
    settings: () => import('./settings.zh.ts'),
    links: () => import('../features/auth/links/links.zh.ts'),
  },
};

const loaded: Partial<Record<Language, Omit<Texts, Part> & Partial<Texts>>> = {};
const needed = new Set<Part>();

/** A repeat loads nothing. */
export async function loadTexts(language: Language): Promise<void> {
  const files = FILES[language];
  const [main, ...parts] = await Promise.all([
    loaded[language] ?? files.main(),
    // The texts of a part are exported by its name.
    ...[...needed].map((part): Promise<Partial<Texts>> => files[part]()),
  ]);
  loaded[language] = Object.assign({ ...loaded[language], ...main }, ...parts);
}

/** Loads the texts of these parts too, for all languages in use. */
export async function loadMoreTexts(...parts: Part[]): Promise<void> {
  for (const part of parts) needed.add(part);
  await Promise.all((['en', 'zh'] as const).filter((language) => loaded[language]).map(loadTexts));
}

/** The texts in a language that is loaded; those of a part are there for the views that load them. */
export function textsIn(language: Language): Texts {
  const texts = loaded[language];
  if (!texts) throw new Error(`The texts in ${language} are not loaded`);
  return texts as Texts; // as described
}

/** The first of the browser's languages that the page has; else English. */
export function pickLanguage(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const language = tag.toLowerCase().split('-')[0];
    if (language === 'zh' || language === 'en') return language;
  }
  return 'en';
}

/** The language that was chosen on this device, else the browser's. */
export function chosenLanguage(): Language {
  const stored = readStored(LANGUAGE_KEY);
  return pickLanguage(stored ? [stored] : navigator.languages);
}

/** The language that the page is in (BCP 47). */
export function pageLanguage(): string {
  return document.documentElement.lang;
}

export function storeLanguage(language: Language): void {
  writeStored(LANGUAGE_KEY, language);
}

/** Notifies when another tab has chosen a language. @returns ends it */
export function onLanguageChange(listener: () => void): () => void {
  return onStoredElsewhere(LANGUAGE_KEY, listener);
}
