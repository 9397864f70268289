import { PersonIcon } from '@primer/octicons-react';
import { Suspense } from 'react';
import { useOwnId } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { EmptyState } from '../../../ui/list/empty-state.tsx';
import { lazyView } from '../../../ui/page/lazy-view.tsx';
import { NoticePlace } from '../../../ui/page/notice-place.tsx';
import { PageHeader } from '../../../ui/page/page-header.tsx';
import { usePerson } from '../../contacts/model/hooks.ts';
import { useIsRequest, useThread } from '../model/hooks.ts';
import { PlainTextContext } from '../text/message-text.tsx';
import { ChatHeader } from './chat-header.tsx';
import styles from './chat-page.module.css';
import { ComposerPlace } from './composer-place.tsx';
import { FriendBar } from './friend-bar.tsx';
import { ThreadPane } from './thread-pane.tsx';

const RequestBar = lazyView(() => import('../requests/request-bar.tsx'), 'RequestBar');

/** An open conversation. The caller gives it a `key`, so that each peer has a component of their own. */
export function ChatPage({ peer }: { peer: string }) {
  return useOwnId() === peer ? <Yourself /> : <Chat peer={peer} />;
}

function Chat({ peer }: { peer: string }) {
  const person = usePerson(peer);
  const { view, thread } = useThread(peer);
  const isRequest = useIsRequest(peer);
  return (
    <div className={styles.chat}>
      <ChatHeader person={person} isRequest={isRequest} />
      {!isRequest && <FriendBar person={person} />}
      <NoticePlace className={styles.notices} />
      <PlainTextContext value={isRequest}>
        <ThreadPane person={person} view={view} thread={thread} />
      </PlainTextContext>
      {isRequest ? (
        <Suspense fallback={null}>
          <RequestBar person={person} />
        </Suspense>
      ) : (
        <ComposerPlace person={person} thread={thread} messages={view.messages} />
      )}
    </div>
  );
}

function Yourself() {
  const { chat, shell } = useTexts();
  return (
    <>
      <PageHeader title={chat.yourself} back="/" />
      <EmptyState
        icon={<PersonIcon />}
        title={chat.yourselfSays}
        action={<Button href="/people">{shell.findPeople}</Button>}
      />
    </>
  );
}
