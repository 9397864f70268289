import { type ReactNode, useId } from 'react';
import { PageHeader } from '../page/page-header.tsx';
import styles from './settings.module.css';

/** A page of the settings: its header, and a column that scrolls. */
export function SettingsPage({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <>
      <PageHeader title={title} back="/settings" actions={actions} column="text" />
      <div className={styles.scroll}>
        <div className={styles.column}>{children}</div>
      </div>
    </>
  );
}

export function Section({ title, says, children }: { title: string; says?: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className={styles.section} aria-labelledby={id}>
      <h2 className={styles.heading} id={id}>
        {title}
      </h2>
      {says !== undefined && <p className={styles.says}>{says}</p>}
      {children}
    </section>
  );
}
