import { useTexts } from '../../../i18n/texts.tsx';
import { TimeText } from '../../../ui/person/time-text.tsx';
import styles from './lines.module.css';

/** The day of the messages below. */
export function DayLine({ at }: { at: number }) {
  return (
    <h2 className={styles.day} data-day="">
      <span>
        <TimeText at={at} as="day" />
      </span>
    </h2>
  );
}

/** Separates the messages that the user has read from the new ones. */
export function UnreadLine() {
  return (
    <h2 className={styles.unread} data-line="" data-testid="unread-line">
      <span>{useTexts().chat.newMessages}</span>
    </h2>
  );
}
