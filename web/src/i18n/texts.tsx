import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useState } from 'react';
import type { Texts } from './en.ts';
import { LANGUAGE_KEY, type Language, LOCALES, pickLanguage, TEXTS } from './languages.ts';

interface Chosen {
  language: Language;
  setLanguage: (language: Language) => void;
}

const LanguageContext = createContext<Chosen>({ language: 'en', setLanguage: () => {} });

/** Speaks the language that was chosen on this device, else the browser's; keeps `<html lang>` right. */
export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setShown] = useState(startLanguage);
  const setLanguage = useCallback((chosen: Language) => {
    setShown(chosen);
    try {
      localStorage.setItem(LANGUAGE_KEY, chosen);
    } catch {
      // Storage is shut: the choice holds until the page is closed.
    }
  }, []);
  useEffect(() => {
    document.documentElement.lang = LOCALES[language];
  }, [language]);
  useEffect(() => {
    const takeOver = (event: StorageEvent) => {
      if (event.key === LANGUAGE_KEY) setShown(startLanguage());
    };
    addEventListener('storage', takeOver);
    return () => removeEventListener('storage', takeOver);
  }, []);
  const chosen = useMemo(() => ({ language, setLanguage }), [language, setLanguage]);
  return <LanguageContext value={chosen}>{children}</LanguageContext>;
}

export function useLanguage(): Chosen {
  return use(LanguageContext);
}

export function useTexts(): Texts {
  return TEXTS[use(LanguageContext).language];
}

function startLanguage(): Language {
  let kept: string | null = null;
  try {
    kept = localStorage.getItem(LANGUAGE_KEY);
  } catch {
    // Storage is shut.
  }
  return pickLanguage(kept ? [kept] : navigator.languages);
}
