import { Button } from '@mantine/core';
import { AlertIcon, PeopleIcon, SearchIcon } from '@primer/octicons-react';
import type { PagesView } from '../../../data/views.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { useErrorSentence } from '../../../ui/controls/error-text.tsx';
import { EmptyState } from '../../../ui/list/empty-state.tsx';
import { SkeletonRows } from '../../../ui/list/skeleton-rows.tsx';
import { useTimes } from '../../../ui/person/time-text.tsx';
import type { DirectoryView } from '../model/views.ts';
import styles from './directory-states.module.css';
import { useSecondsUntil } from '../list/use-seconds-until.ts';

interface NoRowsProps {
  view: DirectoryView;
  /** The answer is not there yet. */
  isUnknown: boolean;
  isOnlineOnly: boolean;
  onRetry: () => void;
  onShowAll: () => void;
}

/** In the place of a list that has nobody, or not yet. */
export function NoRows({ view, isUnknown, isOnlineOnly, onRetry, onShowAll }: NoRowsProps) {
  const { people: texts, shell } = useTexts();
  const sentence = useErrorSentence();
  if (view.failure !== undefined)
    return (
      <div role="alert" className={styles.failed}>
        <EmptyState
          icon={<AlertIcon size={24} />}
          title={texts.failed}
          action={<Button onClick={onRetry}>{shell.retry}</Button>}
        >
          {sentence(view.failure)}
        </EmptyState>
      </div>
    );
  if (isUnknown || view.hasMore)
    return (
      <>
        {view.waitsUntil !== undefined && <Waits until={view.waitsUntil} />}
        <SkeletonRows count={12} />
      </>
    );
  const all = (
    <Button variant="light" onClick={onShowAll}>
      {view.query.q === '' ? texts.showAll : texts.searchAll}
    </Button>
  );
  if (view.query.q !== '')
    return (
      <EmptyState
        icon={<SearchIcon size={24} />}
        title={texts.nobodyFound}
        action={isOnlineOnly ? all : undefined}
      >
        {isOnlineOnly ? texts.nobodyFoundHereSays : texts.nobodyFoundSays}
      </EmptyState>
    );
  return (
    <EmptyState icon={<PeopleIcon size={24} />} title={texts.nobodyOnline} action={all}>
      {texts.nobodyOnlineSays}
    </EmptyState>
  );
}

/** Under the rows that are there: more that come, or why they do not. */
export function DirectoryFoot({ view, onRetry }: { view: PagesView; onRetry: () => void }) {
  const { people: texts, shell } = useTexts();
  if (view.waitsUntil !== undefined) return <Waits until={view.waitsUntil} />;
  if (view.failure !== undefined)
    return (
      <p className={styles.foot} role="status">
        {texts.moreFailed}
        <Button variant="light" size="compact-sm" onClick={onRetry}>
          {shell.retry}
        </Button>
      </p>
    );
  return view.hasMore ? <SkeletonRows count={4} /> : null;
}

function Waits({ until }: { until: number }) {
  const texts = useTexts().people;
  const { duration } = useTimes();
  const seconds = useSecondsUntil(until);
  return <p className={styles.foot}>{texts.waits(duration(seconds))}</p>;
}
