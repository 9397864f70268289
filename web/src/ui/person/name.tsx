import type { ReactNode } from 'react';
import { useTexts } from '../../i18n/texts.tsx';
import { VisuallyHidden } from '../controls/visually-hidden.tsx';
import { Skeleton } from '../list/skeleton.tsx';
import styles from './name.module.css';

interface ClippedProps {
  className?: string;
  title?: string;
  children: ReactNode;
}

/**
 * A text of a user on one line, with a direction that does not affect what follows. What is too long is cut at the end of
 * the text, which is at the left in Arabic and Hebrew.
 */
export function Clipped({ className = '', title, children }: ClippedProps) {
  return (
    <bdi className={`${styles.clipped} ${className}`} title={title}>
      {children}
    </bdi>
  );
}

/** Words and `Clipped` texts on one line; the last one gets the room that the others leave. */
export function ClippedLine({ children }: { children: ReactNode }) {
  return <span className={styles.line}>{children}</span>;
}

/** A name that a user chose. */
export function Name({ children }: { children: string }) {
  return <Clipped title={children}>{children}</Clipped>;
}

interface NamedPerson {
  readonly name: string;
  readonly state: 'unknown' | 'known' | 'gone';
}

/** The name of a user who may be unknown yet, or deleted. */
export function PersonName({ person }: { person: NamedPerson }) {
  const texts = useTexts().shell;
  if (person.state === 'unknown' && person.name === '')
    return (
      <>
        <Skeleton component="span" height={12} width={110} />
        <VisuallyHidden>{texts.loading}</VisuallyHidden>
      </>
    );
  if (person.state === 'gone') return <span className={styles.gone}>{texts.gone}</span>;
  return <Name>{person.name}</Name>;
}
