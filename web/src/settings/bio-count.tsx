import { codePoints } from '../entrance/fields.ts';
import { LOCALES } from '../words/languages.ts';
import { useLanguage, useWords } from '../words/words.tsx';
import { MAX_BIO } from './profile-fields.ts';
import styles from './profile-form.module.css';

/** How much more may be written. */
export function BioCount({ bio }: { bio: string }) {
  const words = useWords().settings;
  const number = new Intl.NumberFormat(LOCALES[useLanguage().language]);
  const left = MAX_BIO - codePoints(bio);
  return (
    <div className={styles.count} data-over={left < 0 || undefined} data-testid="bio-count">
      {left < 0 ? words.bioOver(number.format(-left)) : words.bioLeft(number.format(left))}
    </div>
  );
}
