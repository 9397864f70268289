import type { ReactNode } from 'react';
import { Link } from 'wouter';
import styles from './list-row.module.css';

interface ListRowProps {
  href: string;
  /** An avatar or icon. */
  start?: ReactNode;
  title: ReactNode;
  /** On the title's line, at its end; a time. */
  aside?: ReactNode;
  /** A second line, in a quieter colour. */
  below?: ReactNode;
  /** On the second line, at its end; a badge. */
  belowAside?: ReactNode;
  isSelected?: boolean;
  /** Where only one row of many is in the order of the Tab key. */
  tabIndex?: 0 | -1;
  testId?: string;
}

/** A row of a list that leads somewhere. The list and its items are the caller's: `<ul><li><ListRow/></li></ul>`. */
export function ListRow({
  href,
  start,
  title,
  aside,
  below,
  belowAside,
  isSelected,
  tabIndex,
  testId,
}: ListRowProps) {
  return (
    <Link
      href={href}
      className={styles.row}
      aria-current={isSelected ? 'page' : undefined}
      tabIndex={tabIndex}
      data-testid={testId}
    >
      {start}
      <span className={styles.text}>
        <span className={styles.line}>
          <span className={styles.title}>{title}</span>
          {aside !== undefined && <span className={styles.aside}>{aside}</span>}
        </span>
        {(below !== undefined || belowAside !== undefined) && (
          <span className={styles.line}>
            <span className={styles.below}>{below}</span>
            {belowAside}
          </span>
        )}
      </span>
    </Link>
  );
}

/** How many; rendered as nothing at 0. */
export function CountBadge({ count, label }: { count: number; label: string }) {
  if (count <= 0) return null;
  return (
    <span className={styles.badge} data-testid="count">
      <span aria-hidden="true">{count > 99 ? '99+' : count}</span>
      <span className={styles.said}>{label}</span>
    </span>
  );
}
