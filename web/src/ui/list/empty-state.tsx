import type { ReactNode } from 'react';
import styles from './empty-state.module.css';

interface EmptyStateProps {
  icon?: ReactNode;
  title: string;
  /** What it means, or what to do. */
  children?: ReactNode;
  /** A button or link. */
  action?: ReactNode;
}

/** In the place of a list or page that has nothing to show. */
export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <div className={styles.empty}>
      {icon && (
        <span className={styles.icon} aria-hidden="true">
          {icon}
        </span>
      )}
      <h2 className={styles.title}>{title}</h2>
      {children !== undefined && <p className={styles.text}>{children}</p>}
      {action !== undefined && <div className={styles.action}>{action}</div>}
    </div>
  );
}
