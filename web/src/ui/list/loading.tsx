import type { ReactNode } from 'react';
import { useTexts } from '../../i18n/texts.tsx';
import { BusyButton } from '../controls/busy-button.tsx';
import { ErrorText } from '../controls/error-text.tsx';
import styles from './settings.module.css';
import { Skeleton } from './skeleton.tsx';
import type { FetchedView } from './use-fetched.ts';

/** Placeholders for rows that are being loaded. */
export function LoadingRows() {
  const texts = useTexts().shell;
  return (
    <div className={styles.rows} role="status" aria-busy="true" aria-label={texts.loading}>
      {[45, 60, 52].map((percent) => (
        <div className={styles.row} key={percent}>
          <div className={styles.rowText}>
            <Skeleton height={12} width={`${percent}%`} />
            <Skeleton height={10} width={`${percent + 20}%`} marginTop={10} />
          </div>
        </div>
      ))}
    </div>
  );
}

interface FetchedRowsProps<T> {
  fetched: FetchedView<T>;
  children: (value: T) => ReactNode;
}

/** What was fetched, and placeholders until then; an error is shown above what was fetched before. */
export function FetchedRows<T>({ fetched, children }: FetchedRowsProps<T>) {
  const texts = useTexts().shell;
  const { value, error, isLoading, reload } = fetched;
  return (
    <>
      {error !== undefined && (
        <div className={styles.failure}>
          <ErrorText error={error} />
          <BusyButton
            variant="default"
            label={texts.retry}
            isPending={isLoading}
            onClick={reload}
            testId="retry"
          />
        </div>
      )}
      {value !== undefined && children(value)}
      {value === undefined && error === undefined && <LoadingRows />}
    </>
  );
}
