import { type Language, LOCALES } from '../../i18n/languages.ts';
import { useLanguage, useTexts } from '../../i18n/texts.tsx';
import { Choice } from '../controls/choice.tsx';
import { type ColorScheme, useColorScheme } from './color-scheme.tsx';

const LANGUAGES: readonly Language[] = ['zh', 'en'];
const SCHEMES: readonly ColorScheme[] = ['auto', 'light', 'dark'];

/** Chosen for this device, and stored on it. */
export function LanguageChoice() {
  const texts = useTexts().shell;
  const { language, setLanguage } = useLanguage();
  return (
    <Choice
      label={texts.language}
      value={language}
      options={LANGUAGES.map((value) => ({ value, label: texts.languages[value], lang: LOCALES[value] }))}
      onChange={setLanguage}
      testId="language"
    />
  );
}

/** Chosen for this device, and stored on it. */
export function ColorSchemeChoice() {
  const texts = useTexts().shell;
  const [colorScheme, setColorScheme] = useColorScheme();
  return (
    <Choice
      label={texts.colorScheme}
      value={colorScheme}
      options={SCHEMES.map((value) => ({ value, label: texts.colorSchemes[value] }))}
      onChange={setColorScheme}
      testId="color-scheme"
    />
  );
}
