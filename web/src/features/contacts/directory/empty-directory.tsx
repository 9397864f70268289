import { PeopleIcon } from '@primer/octicons-react';
import { useStores } from '../../../data/hooks.ts';
import { useLanguage, useTexts } from '../../../i18n/texts.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { useErrorSentence } from '../../../ui/controls/error-text.tsx';
import { EmptyState } from '../../../ui/list/empty-state.tsx';
import { LoadFailed } from '../../../ui/list/load-failed.tsx';
import { SkeletonRows } from '../../../ui/list/skeleton-rows.tsx';
import { useFetched } from '../../../ui/list/use-fetched.ts';
import { WaitText } from '../list/list-foot.tsx';
import { NoMatch } from '../list/no-match.tsx';
import type { DirectoryView } from '../model/views.ts';
import { emptyDirectory as en } from './empty-directory.en.ts';
import { emptyDirectory as zh } from './empty-directory.zh.ts';

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
  // A user who is not listed is missing here themselves.
  if (!isOnlineOnly) return <EmptyState icon={<PeopleIcon />} title={texts.nobodyFound} />;
  return <NobodyOnline onShowAll={onShowAll} />;
}

/** No one is online, or the user does not see it, as they do not show everyone when they are. */
function NobodyOnline({ onShowAll }: Pick<EmptyDirectoryProps, 'onShowAll'>) {
  const { showAll } = useTexts().people;
  const texts = { en, zh }[useLanguage().language];
  const { doorman } = useStores();
  const { value, error } = useFetched(() => doorman.api.privacy());
  if (!value && error === undefined) return <SkeletonRows count={12} />;
  const isHidden = value !== undefined && value.presence !== 'everyone';
  return (
    <EmptyState
      icon={<PeopleIcon />}
      title={isHidden ? texts.onlineHidden : texts.nobodyOnline}
      action={
        <Button variant="light" onClick={onShowAll}>
          {showAll}
        </Button>
      }
    >
      {isHidden ? texts.onlineHiddenSays : texts.nobodyOnlineSays}
    </EmptyState>
  );
}
