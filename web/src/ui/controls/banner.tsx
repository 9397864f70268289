import type { ReactNode } from 'react';
import styles from './banner.module.css';

interface BannerProps {
  /** `trouble`: something does not work; `news`: the page offers something. */
  kind: 'trouble' | 'news';
  icon?: ReactNode;
  testId?: string;
  /** Text, then `BannerButton`s. */
  children: ReactNode;
}

/** A line of its own. Its parent has `role="status"`, and is rendered before the banner. */
export function Banner({ kind, icon, testId, children }: BannerProps) {
  return (
    <div className={styles.place}>
      <div className={styles.banner} data-kind={kind} data-testid={testId}>
        {icon}
        <div className={styles.content}>{children}</div>
      </div>
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
