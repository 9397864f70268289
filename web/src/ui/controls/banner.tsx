import type { ReactNode } from 'react';
import styles from './banner.module.css';

interface BannerProps {
  /** `trouble`: something does not work; `news`: something is offered. */
  kind: 'trouble' | 'news';
  icon?: ReactNode;
  testId?: string;
  /** Text, then `BannerButton`s. */
  children: ReactNode;
}

/** A line over the panes. What puts it there gives it a `role="status"` around, which is there beforehand. */
export function Banner({ kind, icon, testId, children }: BannerProps) {
  return (
    <div className={styles.banner} data-kind={kind} data-testid={testId}>
      {icon}
      <div className={styles.content}>{children}</div>
    </div>
  );
}

export function BannerButton({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <button type="button" className={styles.button} onClick={onClick}>
      {children}
    </button>
  );
}
