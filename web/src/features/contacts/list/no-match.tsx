import { SearchIcon } from '@primer/octicons-react';
import { useTexts } from '../../../i18n/texts.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { EmptyState } from '../../../ui/list/empty-state.tsx';

/**
 * In place of a list in which no one has the name that was searched for.
 *
 * @param onSearchAll searches all users instead; absent where that was done already
 */
export function NoMatch({ onSearchAll }: { onSearchAll?: (() => void) | undefined }) {
  const texts = useTexts().people;
  return (
    <EmptyState
      icon={<SearchIcon />}
      title={texts.nobodyFound}
      action={
        onSearchAll && (
          <Button variant="light" onClick={onSearchAll}>
            {texts.searchAll}
          </Button>
        )
      }
    >
      {onSearchAll ? texts.nobodyFoundHereSays : texts.nobodyFoundSays}
    </EmptyState>
  );
}
