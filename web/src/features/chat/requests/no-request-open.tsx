import { InboxIcon } from '@primer/octicons-react';
import { Button } from '../../../ui/controls/button.tsx';
import { EmptyState } from '../../../ui/list/empty-state.tsx';
import { useMessageRequests } from '../model/hooks.ts';
import { useRequestTexts } from './texts.ts';

/** Beside the message requests on wide screens, until the user chooses one. */
export function NoRequestOpen() {
  const texts = useRequestTexts();
  const { count } = useMessageRequests();
  return count === 0 ? <NoRequests /> : <EmptyState icon={<InboxIcon />} title={texts.noneOpen} />;
}

/** What a message request is, and where the user chooses who has to send one. */
export function NoRequests() {
  const texts = useRequestTexts();
  return (
    <EmptyState
      icon={<InboxIcon />}
      title={texts.none}
      testId="no-requests"
      action={
        <Button href="/settings/privacy" variant="light">
          {texts.settings}
        </Button>
      }
    >
      {texts.noneSays}
    </EmptyState>
  );
}
