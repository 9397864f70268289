import { Loader } from '@mantine/core';
import { useTexts } from '../../i18n/texts.tsx';
import styles from './waiting.module.css';

/** While a part of the page comes; shows itself only if that takes long enough to be noticed. */
export function Waiting() {
  const texts = useTexts().shell;
  return (
    <div className={styles.waiting} data-testid="waiting">
      <Loader size="sm" aria-label={texts.loading} role="status" />
    </div>
  );
}
