import { ArrowLeftIcon } from '@primer/octicons-react';
import { type ReactNode, use, useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { useTexts } from '../../i18n/texts.tsx';
import { placeTitle } from './document-title.tsx';
import styles from './page-header.module.css';
import { PaneContext } from './panes.ts';
import { takeFocusOf } from './route-focus.ts';

interface PageHeaderProps {
  title: ReactNode;
  /** The title in words, for the window, where `title` is more than text. */
  titleText?: string;
  /** Where the arrow leads, which only narrow screens have. */
  back?: string;
  /** Before the title; an avatar. */
  start?: ReactNode;
  /** Under the title. */
  below?: ReactNode;
  /** At the end; buttons. */
  actions?: ReactNode;
}

/**
 * The head of a pane. In front, its heading is the page's first, names the window, and gets the focus when the address
 * changed, unless something in the pane, such as the composer, took it before.
 */
export function PageHeader({ title, titleText, back, start, below, actions }: PageHeaderProps) {
  const texts = useTexts().shell;
  const [path] = useLocation();
  const isFront = use(PaneContext) === 'front';
  const heading = useRef<HTMLHeadingElement>(null);
  const said = titleText ?? (typeof title === 'string' ? title : undefined);

  useEffect(() => {
    if (isFront && said !== undefined) placeTitle.set(said);
  }, [isFront, said]);

  useEffect(() => {
    if (!isFront || !takeFocusOf(path)) return;
    const pane = heading.current?.closest('[data-pane]');
    if (!pane?.contains(document.activeElement)) heading.current?.focus({ preventScroll: true });
  }, [isFront, path]);

  const Heading = isFront ? 'h1' : 'h2';
  return (
    <header className={styles.header}>
      {back !== undefined && (
        <Link href={back} className={styles.back} aria-label={texts.back}>
          <ArrowLeftIcon size={20} />
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
    </header>
  );
}
