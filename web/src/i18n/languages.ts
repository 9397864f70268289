import type { Texts } from './en.ts';

export type Language = 'en' | 'zh';

/** For `lang` and for Intl (BCP 47). */
export const LOCALES: Record<Language, string> = { en: 'en', zh: 'zh-CN' };

/** The key is that of first-paint.js too. */
const LANGUAGE_KEY = 'doorman.language';

/** Each language is a file of its own, with another one for the settings, and only what is in use is loaded. */
const FILES = {
  en: {
    main: async () => (await import('./en.ts')).en,
    settings: async () => (await import('./settings.en.ts')).settings,
  },
  zh: {
    main: async () => (await import('./zh.ts')).zh,
    settings: async () => (await import('./settings.zh.ts')).settings,
  },
};

const loaded: Partial<Record<Language, Omit<Texts, 'settings'> & Partial<Texts>>> = {};
let needsSettings = false;

/** A repeat loads nothing. */
export async function loadTexts(language: Language): Promise<void> {
  const [main, settings] = await Promise.all([
    loaded[language] ?? FILES[language].main(),
    needsSettings ? (loaded[language]?.settings ?? FILES[language].settings()) : undefined,
  ]);
  loaded[language] = { ...loaded[language], ...main, ...(settings && { settings }) };
}

/** Loads the texts of the settings too, for all languages in use. */
export async function loadSettingsTexts(): Promise<void> {
  needsSettings = true;
  await Promise.all((['en', 'zh'] as const).filter((language) => loaded[language]).map(loadTexts));
}

/** The texts in a language that is loaded; those of the settings are there for the views that load them. */
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
  let stored: string | null = null;
  try {
    stored = localStorage.getItem(LANGUAGE_KEY);
  } catch {
    // Without storage the browser's language is used.
  }
  return pickLanguage(stored ? [stored] : navigator.languages);
}

/** The language that the page is in (BCP 47). */
export function pageLanguage(): string {
  return document.documentElement.lang;
}

export function storeLanguage(language: Language): void {
  try {
    localStorage.setItem(LANGUAGE_KEY, language);
  } catch {
    // Without storage the choice holds until the page is closed.
  }
}

/** Notifies when another tab has chosen a language. @returns ends it */
export function onLanguageChange(listener: () => void): () => void {
  const onStorage = (event: StorageEvent) => {
    if (event.key === LANGUAGE_KEY) listener();
  };
  addEventListener('storage', onStorage);
  return () => removeEventListener('storage', onStorage);
}
