import type { ReactNode } from 'react';
import styles from './empty-state.module.css';

interface EmptyStateProps {
  icon?: ReactNode;
  title: string;
  /** What it means, or what to do. */
  children?: ReactNode;
  /** A button or link. */
  action?: ReactNode;
  /** For a state that comes in place of what the user reads. */
  role?: 'status' | 'alert';
  testId?: string;
}

/** In the place of a list or page that has nothing to show. */
export function EmptyState({ icon, title, children, action, role, testId }: EmptyStateProps) {
  return (
    <div className={styles.empty} role={role} data-testid={testId}>
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
