import { useTexts } from '../../i18n/texts.tsx';
import { Loader } from '../controls/loader.tsx';
import styles from './waiting.module.css';

/** Shown while a part of the page loads; visible only after a short delay. */
export function Waiting() {
  const texts = useTexts().shell;
  return (
    <div className={styles.waiting} data-testid="waiting">
      <Loader size="sm" aria-label={texts.loading} role="status" />
    </div>
  );
}
