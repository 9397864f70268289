import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useState } from 'react';
import type { Texts } from './en.ts';
import { LANGUAGE_KEY, type Language, LOCALES, pickLanguage, TEXTS } from './languages.ts';

interface LanguageChoice {
  language: Language;
  setLanguage: (language: Language) => void;
}

const LanguageContext = createContext<LanguageChoice>({ language: 'en', setLanguage: () => {} });

/** Provides the language that was chosen on this device, else the browser's, and sets `<html lang>`. */
export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setCurrent] = useState(startLanguage);
  const setLanguage = useCallback((chosen: Language) => {
    setCurrent(chosen);
    try {
      localStorage.setItem(LANGUAGE_KEY, chosen);
    } catch {
      // Without storage the choice holds until the page is closed.
    }
  }, []);
  useEffect(() => {
    document.documentElement.lang = LOCALES[language];
  }, [language]);
  useEffect(() => {
    const onStorage = (event: StorageEvent) => {
      if (event.key === LANGUAGE_KEY) setCurrent(startLanguage());
    };
    addEventListener('storage', onStorage);
    return () => removeEventListener('storage', onStorage);
  }, []);
  const chosen = useMemo(() => ({ language, setLanguage }), [language, setLanguage]);
  return <LanguageContext value={chosen}>{children}</LanguageContext>;
}

export function useLanguage(): LanguageChoice {
  return use(LanguageContext);
}

export function useTexts(): Texts {
  return TEXTS[use(LanguageContext).language];
}

/** The language that the page is in (BCP 47), for what is no component. */
export function pageLanguage(): string {
  return document.documentElement.lang;
}

function startLanguage(): Language {
  let stored: string | null = null;
  try {
    stored = localStorage.getItem(LANGUAGE_KEY);
  } catch {
    // Without storage the browser's language is used.
  }
  return pickLanguage(stored ? [stored] : navigator.languages);
}
