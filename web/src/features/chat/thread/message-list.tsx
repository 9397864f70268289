import { ArrowDownIcon } from '@primer/octicons-react';
import { type MouseEvent, type ReactNode, Suspense, useMemo, useRef, useState } from 'react';
import { useConnection, useReadable } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { focusComposer } from '../../../ui/controls/pointer.ts';
import { WhileLoading } from '../../../ui/controls/while-loading.tsx';
import { lazyView } from '../../../ui/page/lazy-view.tsx';
import { printing } from '../../../ui/page/printing.ts';
import type { MenuPlace } from '../message-menu/message-menu.tsx';
import { useConversations } from '../model/hooks.ts';
import type { Thread } from '../model/thread.ts';
import type { ThreadView } from '../model/views.ts';
import { MessageScroller } from '../scrolling/message-scroller.tsx';
import { useArrivals } from '../scrolling/use-arrivals.ts';
import { isForOthers, messageParts } from './message.tsx';
import { MessageBlock } from './message-block.tsx';
import { openFolds } from './message-folds.ts';
import styles from './message-list.module.css';
import { blockLayout, type RowBlock } from './message-rows.ts';
import type { ShowDay } from './sticky-day.tsx';

/** Not needed before the messages are on the screen, nor where its file cannot be loaded. */
const Later = lazyView(() => import('./later.tsx').catch(() => ({ Later: () => null })), 'Later');
/** So that what comes to an open conversation is drawn at once. */
const loadParts = () => {
  messageParts.load().catch(() => {});
};
const SoughtMessage = lazyView(() => import('../message-parts/sought-message.tsx'), 'SoughtMessage');
const PictureView = lazyView(() => import('../pictures/picture-view.tsx'), 'PictureView');
const MessageMenu = lazyView(() => import('../message-menu/message-menu.tsx'), 'MessageMenu');

interface MessageListProps {
  view: ThreadView;
  thread: Thread;
  /** The name of the peer, for labels. */
  name: string;
  /** Above the first message. */
  top: ReactNode;
}

/** The messages of a conversation, with a button to the newest one and announcements for screen readers. */
export function MessageList({ view, thread, name, top }: MessageListProps) {
  const texts = useTexts().chat;
  const { messages, unreadAfter, arrivedAway, hasOlder, isLoadingOlder, failure } = view;
  const [isAtEnd, setAtEnd] = useState(true);
  const isOffline = useConnection().state !== 'live';
  const isWhole = useReadable(printing);
  const scroller = useRef<MessageScroller<RowBlock>>(null);
  const list = useRef<HTMLDivElement>(null);
  const [folds] = useState(() => openFolds(scroller));
  useArrivals(list, messages, !isOffline);
  const [layOut] = useState(() => blockLayout());
  const blocks = useMemo(() => layOut(messages, unreadAfter), [layOut, messages, unreadAfter]);
  const lineBlock = blocks.find(({ hasLine }) => hasLine);
  const showDay = useRef<ShowDay>(null);
  const [menu, setMenu] = useState<MenuPlace & { key: string | undefined }>();
  const inMenu = menu && messages.find(({ key }) => key === menu.key);
  /** The number of the message that a quote leads to. */
  const [sought, setSought] = useState<number>();
  /** The key of the message whose picture is open. */
  const [picture, setPicture] = useState<string>();
  const onClick = ({ target }: MouseEvent) => {
    const pressed =
      target instanceof Element && target.closest<HTMLElement>('[data-leads-to], [data-opens-picture]');
    if (!pressed) return;
    const { leadsTo, opensPicture } = pressed.dataset;
    if (opensPicture === undefined) setSought(Number(leadsTo));
    else setPicture(opensPicture);
  };
  const closeMenu = () => setMenu(undefined);
  const openMenu = (event: MouseEvent) => {
    const { target, clientX: x, clientY: y } = event;
    const row = target instanceof Element && target.closest<HTMLElement>('[data-message]');
    if (!row || isForOthers(event)) return;
    event.preventDefault();
    setMenu({ key: row.querySelector<HTMLElement>('[data-key]')?.dataset.key, row, x, y });
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a message in it has the focus when the key of menus is pressed.
    // biome-ignore lint/a11y/useKeyWithClickEvents: what is clicked is a button.
    <div
      className={styles.list}
      ref={list}
      data-offline={isOffline || undefined}
      onContextMenu={openMenu}
      onClick={onClick}
    >
      <MessageScroller
        ref={scroller}
        label={texts.messages(name)}
        top={top}
        blocks={blocks}
        line={lineBlock && { block: lineBlock.key, unreadAfter }}
        lastOwnKey={messages.findLast(({ isOwn }) => isOwn)?.key}
        lastNumber={messages.findLast(({ n }) => n !== undefined)?.n ?? 0}
        arrivedAway={arrivedAway}
        isWhole={isWhole}
        onAtEnd={(shownTo) => {
          setAtEnd(shownTo !== undefined);
          thread.setAtEnd(shownTo);
        }}
        onNearTop={() => {
          if (hasOlder && !isLoadingOlder && failure === undefined) thread.loadOlder();
        }}
        onAboveFirst={() => thread.retryLoading()}
        onScrolled={(place) =>
          showDay.current?.(place && blocks.find(({ key }) => key === place.block)?.messages[place.index]?.at)
        }
        overlay={
          !isAtEnd && (
            <ToNewest
              peer={view.peer}
              onClick={() => {
                scroller.current?.toEnd();
                // The button disappears, and the focus with it.
                if (!focusComposer()) scroller.current?.focus();
              }}
            />
          )
        }
      >
        {(block) => <MessageBlock block={block} name={name} thread={thread} folds={folds} />}
      </MessageScroller>
      <Suspense fallback={null}>
        <Later {...{ list, messages, name, showDay }} peer={view.peer} onShown={loadParts} />
      </Suspense>
      {menu && inMenu && (
        <Suspense fallback={<WhileLoading onEscape={closeMenu} />}>
          <MessageMenu {...menu} message={inMenu} thread={thread} onClose={closeMenu} />
        </Suspense>
      )}
      {picture !== undefined && (
        <Suspense fallback={<WhileLoading onEscape={() => setPicture(undefined)} />}>
          <PictureView of={picture} {...{ messages, thread, name }} onOpen={setPicture} />
        </Suspense>
      )}
      {sought !== undefined && (
        <Suspense fallback={null}>
          <SoughtMessage
            n={sought}
            {...{ view, thread, blocks, scroller }}
            onEnd={() => setSought(undefined)}
          />
        </Suspense>
      )}
    </div>
  );
}

/** Scrolls to the newest message; says how many unread ones are there. */
function ToNewest({ peer, onClick }: { peer: string; onClick: () => void }) {
  const texts = useTexts().chat;
  const unread = useConversations().find((one) => one.peer === peer)?.unread ?? 0;
  return (
    <button
      type="button"
      className={styles.newest}
      onClick={onClick}
      aria-label={unread > 0 ? `${texts.newBelow(unread)}. ${texts.toNewest}` : texts.toNewest}
      title={texts.toNewest}
      data-testid="to-newest"
    >
      {unread > 0 && <span>{texts.newBelow(unread)}</span>}
      <ArrowDownIcon />
    </button>
  );
}
