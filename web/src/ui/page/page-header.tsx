import { ArrowLeftIcon } from '@primer/octicons-react';
import { type ReactNode, use, useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { useTexts } from '../../i18n/texts.tsx';
import { paneTitle } from './document-title.tsx';
import styles from './page-header.module.css';
import { PaneContext } from './panes.ts';
import { takeFocusOf } from './route-focus.ts';

interface PageHeaderProps {
  title: ReactNode;
  /** The title as text, for the window, if `title` is not a string. */
  titleText?: string;
  /** The path of the back arrow. On wide screens only a list shows it. */
  back?: string;
  /** Before the title, such as an avatar. */
  start?: ReactNode;
  /** Under the title. */
  below?: ReactNode;
  /** Buttons at the end. */
  actions?: ReactNode;
  /** The column of the content below, if it has one: the header begins and ends with it. */
  column?: 'text' | 'messages';
  /** The view is not loaded yet: the focus waits for the heading of the view. */
  isWaiting?: boolean;
}

/**
 * The header of a pane. In the front pane it is the first heading of the page and the title of the window, and gets the focus
 * when the path changes, unless another element of the pane, such as the composer, has it already.
 */
export function PageHeader({
  title,
  titleText,
  back,
  start,
  below,
  actions,
  column,
  isWaiting = false,
}: PageHeaderProps) {
  const texts = useTexts().shell;
  const [path] = useLocation();
  const isFront = use(PaneContext) === 'front';
  const heading = useRef<HTMLHeadingElement>(null);
  const text = titleText ?? (typeof title === 'string' ? title : undefined);

  useEffect(() => {
    if (isFront && text !== undefined) paneTitle.set(text);
  }, [isFront, text]);

  useEffect(() => {
    if (!isFront || isWaiting || !takeFocusOf(path)) return;
    const pane = heading.current?.closest('[data-pane]');
    if (!pane?.contains(document.activeElement)) heading.current?.focus({ preventScroll: true });
  }, [isFront, isWaiting, path]);

  const Heading = isFront ? 'h1' : 'h2';
  return (
    <header className={styles.header} data-column={column}>
      <div className={styles.column}>
        {back !== undefined && (
          <Link href={back} className={styles.back} aria-label={texts.back}>
            <ArrowLeftIcon />
          </Link>
        )}
        {start}
        <div className={styles.text}>
          <Heading className={styles.title} ref={heading} tabIndex={-1}>
            {title}
          </Heading>
          {below !== undefined && <div className={styles.below}>{below}</div>}
        </div>
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </div>
    </header>
  );
}
