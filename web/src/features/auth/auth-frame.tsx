import { type ReactNode, useEffect } from 'react';
import { useLocation } from 'wouter';
import { useTexts } from '../../i18n/texts.tsx';
import { BrandMark } from '../../ui/page/brand-mark.tsx';
import { takeFocusOf } from '../../ui/page/route-focus.ts';
import styles from './auth-page.module.css';
import { LanguageLinks } from './language-links.tsx';

/** The brand, a card with a title, and the languages: what surrounds each form outside of the layout. */
export function AuthFrame({ title, children }: { title: string; children: ReactNode }) {
  const { auth: texts, shell } = useTexts();
  const [path] = useLocation();
  useEffect(() => {
    document.title = `${title} · ${shell.brand}`;
  }, [title, shell.brand]);
  useEffect(() => {
    takeFocusOf(path); // The first field takes the focus by itself.
  }, [path]);
  return (
    <main className={styles.page}>
      <div className={styles.middle}>
        <div className={styles.brand}>
          <BrandMark size={56} />
          <p className={styles.name}>{shell.brand}</p>
          <p className={styles.tagline}>{texts.tagline}</p>
        </div>
        <div className={styles.card}>
          <h1 className={styles.title}>{title}</h1>
          {children}
        </div>
        <LanguageLinks />
      </div>
    </main>
  );
}
