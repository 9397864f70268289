import { useTexts } from '../../../i18n/texts.tsx';
import { TimeText } from '../../../ui/person/time-text.tsx';
import styles from './lines.module.css';

export function DayLine({ at }: { at: number }) {
  return (
    <h2 className={styles.day}>
      <span>
        <TimeText at={at} as="day" />
      </span>
    </h2>
  );
}

/** Between what was read and what is new. */
export function UnreadLine() {
  return (
    <h2 className={styles.unread} data-line="" data-testid="unread-line">
      <span>{useTexts().chat.newMessages}</span>
    </h2>
  );
}
