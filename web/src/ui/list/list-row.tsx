import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { VisuallyHidden } from '../controls/visually-hidden.tsx';
import styles from './list-row.module.css';

interface Picture {
  /** The path of the profile. */
  href: string;
  /** For screen readers. */
  label: string;
  tabIndex: 0 | -1;
  testId: string;
}

interface ListRowProps {
  href: string;
  /** An avatar or icon. */
  start?: ReactNode;
  /** Makes the avatar a link of its own. */
  picture?: Picture | undefined;
  title: ReactNode;
  /** At the end of the title's line, such as a time. */
  aside?: ReactNode;
  /** A second line, in a dimmed colour. */
  below?: ReactNode;
  /** At the end of the second line, such as a badge. */
  belowAside?: ReactNode;
  /** At the end of the row, beside both lines. */
  end?: ReactNode;
  isSelected?: boolean;
  /** For lists of which only one row can be reached by Tab. */
  tabIndex?: 0 | -1;
  testId?: string;
}

/**
 * A row that is a link, and one on its avatar. The caller renders the list and its items, which have a `position`:
 * `<ul><li><ListRow/></li></ul>`.
 */
export function ListRow({
  href,
  start,
  picture,
  title,
  aside,
  below,
  belowAside,
  end,
  isSelected,
  tabIndex,
  testId,
}: ListRowProps) {
  return (
    <>
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
        {end}
      </Link>
      {picture && (
        <Link
          href={picture.href}
          className={styles.picture}
          aria-label={picture.label}
          title={picture.label}
          tabIndex={picture.tabIndex}
          data-testid={picture.testId}
        />
      )}
    </>
  );
}

/** A count; nothing at 0. */
export function CountBadge({ count, label }: { count: number; label: string }) {
  if (count <= 0) return null;
  return (
    <span className={styles.badge} data-testid="count">
      <span aria-hidden="true">{count > 99 ? '99+' : count}</span>
      <VisuallyHidden>{label}</VisuallyHidden>
    </span>
  );
}
