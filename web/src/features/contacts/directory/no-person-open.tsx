import { PeopleIcon } from '@primer/octicons-react';
import { useTexts } from '../../../i18n/texts.tsx';
import { EmptyState } from '../../../ui/list/empty-state.tsx';

/** Beside the list of people on wide screens, until the user chooses one. */
export function NoPersonOpen() {
  const texts = useTexts().shell;
  return (
    <EmptyState icon={<PeopleIcon />} title={texts.noPersonOpen}>
      {texts.noPersonOpenSays}
    </EmptyState>
  );
}
