import { useTexts } from '../../i18n/texts.tsx';
import { Skeleton } from './skeleton.tsx';
import styles from './skeleton-rows.module.css';

/** Placeholders for people that are being loaded. */
export function SkeletonRows({ count }: { count: number }) {
  const texts = useTexts().shell;
  return (
    <div className={styles.rows} role="status" aria-busy="true" aria-label={texts.loading}>
      {Array.from({ length: count }, (_, index) => (
        <div key={index} className={styles.row}>
          <Skeleton circle height={40} />
          <div className={styles.text}>
            <Skeleton height={12} width={`${38 + ((index * 37) % 30)}%`} />
            <Skeleton height={10} width={`${24 + ((index * 53) % 24)}%`} />
          </div>
        </div>
      ))}
    </div>
  );
}
