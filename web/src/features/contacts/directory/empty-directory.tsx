import { PeopleIcon } from '@primer/octicons-react';
import { useTexts } from '../../../i18n/texts.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { useErrorSentence } from '../../../ui/controls/error-text.tsx';
import { EmptyState } from '../../../ui/list/empty-state.tsx';
import { LoadFailed } from '../../../ui/list/load-failed.tsx';
import { SkeletonRows } from '../../../ui/list/skeleton-rows.tsx';
import { WaitText } from '../list/list-foot.tsx';
import { NoMatch } from '../list/no-match.tsx';
import type { DirectoryView } from '../model/views.ts';

interface EmptyDirectoryProps {
  view: DirectoryView;
  /** The answer to the current query is not there yet. */
  isUnknown: boolean;
  isOnlineOnly: boolean;
  onRetry: () => void;
  onShowAll: () => void;
}

/** In place of the rows of the directory: it is loading, it failed, or it has no users. */
export function EmptyDirectory({ view, isUnknown, isOnlineOnly, onRetry, onShowAll }: EmptyDirectoryProps) {
  const texts = useTexts().people;
  const sentence = useErrorSentence();
  if (view.failure !== undefined)
    return (
      <LoadFailed title={texts.failed} onRetry={onRetry}>
        {sentence(view.failure)}
      </LoadFailed>
    );
  if (isUnknown || view.hasMore)
    return (
      <>
        {view.waitsUntil !== undefined && <WaitText until={view.waitsUntil} />}
        <SkeletonRows count={12} />
      </>
    );
  if (view.query.q !== '') return <NoMatch onSearchAll={isOnlineOnly ? onShowAll : undefined} />;
  return (
    <EmptyState
      icon={<PeopleIcon />}
      title={texts.nobodyOnline}
      action={
        <Button variant="light" onClick={onShowAll}>
          {texts.showAll}
        </Button>
      }
    >
      {texts.nobodyOnlineSays}
    </EmptyState>
  );
}
