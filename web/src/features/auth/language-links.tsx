import type { Language } from '../../i18n/languages.ts';
import { LOCALES } from '../../i18n/languages.ts';
import { useLanguage, useTexts } from '../../i18n/texts.tsx';
import styles from './auth-page.module.css';

const LANGUAGES: readonly Language[] = ['zh', 'en'];

/** Each language by its own name, for users who cannot read the other. */
export function LanguageLinks() {
  const texts = useTexts().shell;
  const { language, setLanguage } = useLanguage();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a <fieldset> is for fields of a form.
    <div className={styles.languages} role="group" aria-label={texts.language}>
      {LANGUAGES.map((each) => (
        <button
          key={each}
          type="button"
          className={styles.language}
          lang={LOCALES[each]}
          aria-pressed={each === language}
          onClick={() => setLanguage(each)}
          data-testid={`language-${each}`}
        >
          {texts.languages[each]}
        </button>
      ))}
    </div>
  );
}
