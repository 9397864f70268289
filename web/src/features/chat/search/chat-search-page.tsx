import { SearchIcon } from '@primer/octicons-react';
import { type ReactNode, useEffect, useMemo } from 'react';
import { useIsOffline, useReadable, useStores } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { useErrorSentence } from '../../../ui/controls/error-text.tsx';
import { EmptyState } from '../../../ui/list/empty-state.tsx';
import { LoadFailed } from '../../../ui/list/load-failed.tsx';
import { Waiting } from '../../../ui/list/waiting.tsx';
import { NoticePlace } from '../../../ui/page/notice-place.tsx';
import { usePerson } from '../../contacts/model/hooks.ts';
import { useNameInText } from '../../contacts/person/name-in-text.tsx';
import { useChats } from '../model/hooks.ts';
import { ChatHeader } from '../thread/chat-header.tsx';
import chatStyles from '../thread/chat-page.module.css';
import { partsOf } from './found-text.ts';
import { MessageWindow, type WindowView } from './message-window.ts';
import { SearchBar } from './search-bar.tsx';
import { useSearchTexts } from './texts.ts';
import { useHits } from './use-hits.ts';
import { useMessageSearch } from './use-message-search.ts';
import { useSearchPlace } from './use-search-place.ts';
import { WindowList } from './window-list.tsx';

/** A search in a conversation, in place of its messages and its composer; `chatSearchPath` is its address. */
export function ChatSearchPage({ peer }: { peer: string }) {
  const person = usePerson(peer);
  const name = useNameInText(person);
  const place = useSearchPlace(peer);
  const { typed, q, sought } = place;
  const { view, search } = useMessageSearch(q, { peer, debounceMs: place.isTyped ? undefined : 0 });
  const hits = useHits(view, search, place);
  const { window, around } = useMessageWindow(peer, sought?.n);
  const parts = useMemo(() => partsOf(view.q), [view.q]);
  return (
    <div className={chatStyles.chat}>
      <ChatHeader person={person} isRequest={false} />
      <SearchBar {...{ peer, typed, view, search, hits }} onType={place.type} />
      <NoticePlace className={chatStyles.notices} />
      {sought && around.messages.length > 0 ? (
        <WindowList
          key={around.place}
          {...{ window, peer, name, sought, parts }}
          view={around}
          onQuote={place.seek}
        />
      ) : (
        <div className={chatStyles.middle}>
          <Nothing isSought={sought !== undefined} around={around} onRetry={() => window.retry()} />
        </div>
      )}
    </div>
  );
}

/** The messages around number `n`. */
function useMessageWindow(peer: string, n: number | undefined) {
  const { doorman } = useStores();
  const chats = useChats();
  const isOffline = useIsOffline();
  const window = useMemo(() => new MessageWindow({ doorman, chats, peer }), [doorman, chats, peer]);
  useEffect(() => window.open(), [window]);
  useEffect(() => {
    if (n !== undefined) window.show(n);
  }, [window, n]);
  useEffect(() => {
    if (!isOffline) window.retry();
  }, [window, isOffline]);
  return { window, around: useReadable(window.view) };
}

interface NothingProps {
  isSought: boolean;
  around: WindowView;
  onRetry: () => void;
}

/** Where the messages would be. */
function Nothing({ isSought, around, onRetry }: NothingProps): ReactNode {
  const texts = useSearchTexts();
  const { chat } = useTexts();
  const sentence = useErrorSentence();
  if (around.failure !== undefined)
    return (
      <LoadFailed title={chat.cannotLoad} onRetry={onRetry}>
        {sentence(around.failure)}
      </LoadFailed>
    );
  if (isSought && around.isLoading) return <Waiting />;
  return (
    <EmptyState icon={<SearchIcon />} title={texts.inChat}>
      {texts.inChatSays}
    </EmptyState>
  );
}
