import { LOCALES } from '../../i18n/languages.ts';
import { useLanguage, useTexts } from '../../i18n/texts.tsx';
import { codePoints } from '../../ui/fields/form-fields.ts';
import { MAX_BIO } from './profile-fields.ts';
import styles from './profile-form.module.css';

/** How many more characters the bio may have, or how many are too many. */
export function BioCount({ bio }: { bio: string }) {
  const texts = useTexts().settings;
  const number = new Intl.NumberFormat(LOCALES[useLanguage().language]);
  const left = MAX_BIO - codePoints(bio);
  return (
    <div className={styles.count} data-over={left < 0 || undefined} data-testid="bio-count">
      {left < 0 ? texts.bioOver(number.format(-left)) : texts.bioLeft(number.format(left))}
    </div>
  );
}
