import { useFreshness, useIsOffline } from '../../../data/hooks.ts';
import { Derived } from '../../../data/store.ts';
import type { PagesView } from '../../../data/views.ts';
import { SECTION_PATHS } from '../../../paths.ts';
import { useErrorSentence } from '../../../ui/controls/error-text.tsx';
import { useIsNarrow } from '../../../ui/controls/pointer.ts';
import { LoadFailed } from '../../../ui/list/load-failed.tsx';
import { SkeletonRows } from '../../../ui/list/skeleton-rows.tsx';
import { PageHeader } from '../../../ui/page/page-header.tsx';
import { NeedsConnection } from '../../contacts/list/needs-connection.tsx';
import { useChats, useMessageRequests } from '../model/hooks.ts';
import { NoRequests } from '../requests/no-request-open.tsx';
import { useRequestTexts } from '../requests/texts.ts';
import { ConversationRows } from './conversation-rows.tsx';
import styles from './request-list.module.css';

/** At most fifty wait, which are one page. */
const NO_MORE = {
  view: new Derived<PagesView>(() => ({
    hasMore: false,
    isLoading: false,
    waitsUntil: undefined,
    failure: undefined,
  })),
  loadMore: () => {},
};

/** The conversations that strangers began and that wait for an answer, the latest first. */
export function RequestList() {
  const texts = useRequestTexts();
  const { rows } = useMessageRequests();
  return (
    <>
      <PageHeader title={texts.title} back={SECTION_PATHS.chats} />
      {rows.length === 0 ? (
        <Nothing />
      ) : (
        <>
          <p className={styles.says}>{texts.says}</p>
          <ConversationRows conversations={rows} more={NO_MORE} label={texts.title} />
        </>
      )}
    </>
  );
}

/** Where the rows would be: none wait, or they are not loaded yet. */
function Nothing() {
  const texts = useRequestTexts();
  const { count, failure } = useMessageRequests();
  const { requests } = useChats();
  const isUnknown = useFreshness() === 'none';
  const isOffline = useIsOffline();
  const sentence = useErrorSentence();
  const isNarrow = useIsNarrow();
  if (count === 0 && !isUnknown)
    // On wide screens the pane beside the list says what they are.
    return isNarrow ? <NoRequests /> : <p className={styles.says}>{texts.none}</p>;
  if (isOffline) return <NeedsConnection title={texts.needConnection} />;
  if (failure !== undefined)
    return (
      <LoadFailed title={texts.cannotLoad} onRetry={() => requests.load()}>
        {sentence(failure)}
      </LoadFailed>
    );
  return <SkeletonRows count={4} />;
}
