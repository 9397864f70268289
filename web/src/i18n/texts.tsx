import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Texts } from './en.ts';
import {
  chosenLanguage,
  type Language,
  LOCALES,
  loadTexts,
  onLanguageChange,
  storeLanguage,
  textsIn,
} from './languages.ts';

interface LanguageChoice {
  language: Language;
  setLanguage: (language: Language) => void;
}

const LanguageContext = createContext<LanguageChoice>({ language: 'en', setLanguage: () => {} });

interface LanguageProviderProps {
  /** Its texts are loaded. */
  start: Language;
  children: ReactNode;
}

/** Provides the language, and sets `<html lang>`. Another language is shown once its texts are loaded. */
export function LanguageProvider({ start, children }: LanguageProviderProps) {
  const [language, setCurrent] = useState(start);
  const wanted = useRef(start);
  const change = useCallback(async (chosen: Language) => {
    wanted.current = chosen;
    try {
      await loadTexts(chosen);
      if (wanted.current === chosen) setCurrent(chosen);
    } catch (error) {
      console.warn('The texts of the language cannot be loaded:', error);
    }
  }, []);
  const setLanguage = useCallback(
    (chosen: Language) => {
      storeLanguage(chosen);
      void change(chosen);
    },
    [change],
  );
  useEffect(() => {
    document.documentElement.lang = LOCALES[language];
  }, [language]);
  useEffect(() => onLanguageChange(() => void change(chosenLanguage())), [change]);
  const chosen = useMemo(() => ({ language, setLanguage }), [language, setLanguage]);
  return <LanguageContext value={chosen}>{children}</LanguageContext>;
}

export function useLanguage(): LanguageChoice {
  return use(LanguageContext);
}

export function useTexts(): Texts {
  return textsIn(use(LanguageContext).language);
}
