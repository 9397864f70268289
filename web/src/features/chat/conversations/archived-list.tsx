import { ArchiveIcon } from '@primer/octicons-react';
import { useReadable } from '../../../data/hooks.ts';
import { SECTION_PATHS } from '../../../paths.ts';
import { EmptyState } from '../../../ui/list/empty-state.tsx';
import { PageHeader } from '../../../ui/page/page-header.tsx';
import { useChats, useConversations } from '../model/hooks.ts';
import { ConversationRows } from './conversation-rows.tsx';
import { useListTexts } from './texts.ts';

/** The archived conversations, the latest first. */
export function ArchivedList() {
  const texts = useListTexts();
  const archived = useConversations().filter(({ isArchived }) => isArchived);
  const { hasMore } = useReadable(useChats().more.view);
  return (
    <>
      <PageHeader title={texts.archived} back={SECTION_PATHS.chats} />
      {archived.length === 0 && !hasMore ? (
        <EmptyState icon={<ArchiveIcon />} title={texts.noArchived} testId="no-archived">
          {texts.noArchivedSays}
        </EmptyState>
      ) : (
        // Without rows it loads further pages, until one has an archived conversation.
        <ConversationRows conversations={archived} label={texts.archived} />
      )}
    </>
  );
}
