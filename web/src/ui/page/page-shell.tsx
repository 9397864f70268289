import { useTexts } from '../../i18n/texts.tsx';
import { Skeleton } from '../list/skeleton.tsx';
import { PageHeader } from './page-header.tsx';
import styles from './page-shell.module.css';

/** A page whose file is being loaded: its title, and grey rows. */
export function PageShell({ title, back }: { title: string; back: string }) {
  const texts = useTexts().shell;
  return (
    <div className={styles.shell} aria-busy="true" data-testid="waiting">
      <PageHeader title={title} back={back} column="text" isWaiting />
      <div className={styles.rows} role="status" aria-label={texts.loading}>
        {[40, 85, 60, 75, 50].map((percent) => (
          <Skeleton key={percent} height={12} width={`${percent}%`} />
        ))}
      </div>
    </div>
  );
}
