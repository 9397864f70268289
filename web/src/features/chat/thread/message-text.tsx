import { splitLinks } from './links.ts';
import styles from './message.module.css';

/** What somebody wrote: text, of which addresses of the web can be opened. */
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
