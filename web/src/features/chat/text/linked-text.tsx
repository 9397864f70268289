import type { ReactNode } from 'react';
import styles from './linked-text.module.css';
import { splitLinks } from './links.ts';

export interface LinkedTextProps {
  body: string;
  /** Of its links. */
  tabIndex: 0 | -1;
}

/** A text in which addresses of the web, mail addresses and phone numbers are links. */
export function LinkedText({ body, tabIndex }: LinkedTextProps): ReactNode {
  return splitLinks(body).map((part, i) =>
    part.kind === 'text' ? (
      part.text
    ) : (
      <a
        // The parts of a body never change.
        key={i}
        className={styles.link}
        href={part.href}
        tabIndex={tabIndex}
        title={part.href}
        // The system opens the others in an application of its own, and a tab would stay empty.
        target={part.href.startsWith('http') ? '_blank' : undefined}
        rel="noopener noreferrer nofollow"
        dir="ltr"
      >
        {part.text}
      </a>
    ),
  );
}
