import { Skeleton, VisuallyHidden } from '@mantine/core';
import { useTexts } from '../../i18n/texts.tsx';
import styles from './name.module.css';

/** A name that a user chose: on one line, cut at its end, with a text direction that does not affect what follows. */
export function Name({ children }: { children: string }) {
  return (
    <bdi className={styles.name} title={children}>
      {children}
    </bdi>
  );
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
        <Skeleton component="span" display="inline-block" height={12} width={110} radius="xl" />
        <VisuallyHidden>{texts.loading}</VisuallyHidden>
      </>
    );
  if (person.state === 'gone') return <span className={styles.gone}>{texts.gone}</span>;
  return <Name>{person.name}</Name>;
}
