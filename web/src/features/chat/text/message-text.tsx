import { createContext, use } from 'react';
import { splitLinks } from './links.ts';
import styles from './message-text.module.css';

/** Around the messages of a stranger, in which nothing is a link. */
export const PlainTextContext = createContext(false);

interface MessageTextProps {
  body: string;
  /** Of its links. */
  tabIndex: 0 | -1;
}

/** The text of a message; addresses of the web, mail addresses and phone numbers in it are links. */
export function MessageText({ body, tabIndex }: MessageTextProps) {
  if (use(PlainTextContext)) return body;
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
