import { Button } from '@mantine/core';
import type { SessionEnd } from 'doorman-client';
import { useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useTexts } from '../../i18n/texts.tsx';
import { BrandMark } from '../../ui/page/brand-mark.tsx';
import { takeFocusOf } from '../../ui/page/route-focus.ts';
import styles from './auth-page.module.css';
import { LanguageLinks } from './language-links.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { SignUpForm } from './sign-up-form.tsx';

interface EntranceProps {
  /** Why whoever was here is not any more. */
  end: SessionEnd | undefined;
}

/** Before somebody is signed in: one card, on which to come in or to make an account. */
export function Entrance({ end }: EntranceProps) {
  const { entrance: texts, shell } = useTexts();
  const [path] = useLocation();
  const isSignUp = path === '/sign-up';
  // Once somebody tries to come in, what then happens is told instead.
  const [isToldEnd, setToldEnd] = useState(false);
  const title = isSignUp ? texts.signUpTitle : texts.signInTitle;
  useEffect(() => {
    document.title = `${title} · ${shell.brand}`;
  }, [title, shell.brand]);
  useEffect(() => {
    takeFocusOf(path); // The first field takes it by itself.
  }, [path]);
  return (
    <main className={styles.entrance}>
      <div className={styles.middle}>
        <div className={styles.brand}>
          <BrandMark size={56} />
          <p className={styles.name}>{shell.brand}</p>
          <p className={styles.tagline}>{texts.tagline}</p>
        </div>
        <div className={styles.card}>
          <h1 className={styles.title}>{title}</h1>
          {end !== undefined && texts.ends[end] !== '' && !isSignUp && !isToldEnd && (
            <p className={styles.end} role="status" data-testid={`end-${end}`}>
              {texts.ends[end]}
            </p>
          )}
          {isSignUp ? <SignUpForm /> : <SignInForm onTry={() => setToldEnd(true)} />}
          <p className={styles.or}>{isSignUp ? texts.haveAccount : texts.newHere}</p>
          <Button
            component={Link}
            href={isSignUp ? '/sign-in' : '/sign-up'}
            variant="default"
            size="md"
            fullWidth
            data-testid="other-way"
          >
            {isSignUp ? texts.signIn : texts.signUp}
          </Button>
        </div>
        <LanguageLinks />
      </div>
    </main>
  );
}
