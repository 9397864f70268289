import { splitLinks } from './links.ts';
import styles from './message-text.module.css';

/** The text of a message; addresses of the web in it are links. */
export function MessageText({ body }: { body: string }) {
  return splitLinks(body).map((part, i) =>
    part.kind === 'text' ? (
      part.text
    ) : (
      <a
        // The parts of a body never change.
        key={i}
        className={styles.link}
        href={part.href}
        title={part.href}
        target="_blank"
        rel="noopener noreferrer nofollow"
        dir="ltr"
      >
        {part.text}
      </a>
    ),
  );
}
