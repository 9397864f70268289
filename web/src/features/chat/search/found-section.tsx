import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTexts } from '../../../i18n/texts.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import type { RowTabs } from '../../contacts/list/people-rows.tsx';
import styles from './search.module.css';

interface FoundSectionProps {
  title: string;
  /** Of the rows. */
  ids: readonly string[];
  /** So many rows are shown until the user wants all. */
  first?: number;
  children: (id: string, tabs: RowTabs) => ReactNode;
  /** Below the rows. */
  end?: ReactNode;
}

/** A part of what a search has found, below the conversations. Tab stops at one of its rows; the arrow keys move between all that was found. */
export function FoundSection({ title, ids, first = ids.length, children, end }: FoundSectionProps) {
  const texts = useTexts().shell;
  const titleId = useId();
  const [used, setUsed] = useState('');
  const [hasFocus, setFocus] = useState(false);
  const [isWhole, setWhole] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  const showAll = () => {
    flushSync(() => setWhole(true));
    // The button that had the focus is gone.
    list.current?.children[first]?.querySelector('a')?.focus();
  };
  const shown = isWhole ? ids : ids.slice(0, first);
  const stop = shown.includes(used) ? used : shown[0];
  return (
    <section aria-labelledby={titleId}>
      <h3 className={styles.title} id={titleId}>
        {title}
      </h3>
      {shown.length > 0 && (
        <ul
          ref={list}
          className={styles.rows}
          aria-labelledby={titleId}
          data-found=""
          onKeyDown={onKeyDown}
          onFocus={() => setFocus(true)}
          onBlur={({ currentTarget, relatedTarget }) => setFocus(currentTarget.contains(relatedTarget))}
        >
          {shown.map((id) => (
            <li key={id} onFocus={() => setUsed(id)}>
              {children(id, {
                tabIndex: id === stop ? 0 : -1,
                innerTabIndex: id === stop && hasFocus ? 0 : -1,
              })}
            </li>
          ))}
        </ul>
      )}
      {shown.length < ids.length && (
        <p className={styles.more}>
          <Button variant="subtle" size="compact-sm" onClick={showAll} data-testid="found-more">
            {texts.more}
          </Button>
        </p>
      )}
      {end}
    </section>
  );
}

/** The arrow keys move between the rows, and from the first one to the conversations above. */
function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
  if (step === undefined || !(event.target instanceof HTMLElement)) return;
  const rows = [
    ...(event.currentTarget
      .closest('[data-testid="conversations"]')
      ?.querySelectorAll<HTMLElement>('li > a:first-child') ?? []),
  ];
  const row = event.target.closest('li')?.querySelector<HTMLElement>('a');
  const next = row && rows[rows.indexOf(row) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
