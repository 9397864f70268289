import { ArrowDownIcon } from '@primer/octicons-react';
import {
  type MouseEvent,
  type ReactNode,
  Suspense,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { Link } from 'wouter';
import { useReadable } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { chatPath } from '../../../paths.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { ErrorText } from '../../../ui/controls/error-text.tsx';
import { Loader } from '../../../ui/controls/loader.tsx';
import { WhileLoading } from '../../../ui/controls/while-loading.tsx';
import { lazyView } from '../../../ui/page/lazy-view.tsx';
import { printing } from '../../../ui/page/printing.ts';
import { askForMenus } from '../message-menu/long-press.ts';
import type { MenuPlace } from '../message-menu/message-menu.tsx';
import { useChats } from '../model/hooks.ts';
import { MessageScroller } from '../scrolling/message-scroller.tsx';
import chatStyles from '../thread/chat-page.module.css';
import { isForOthers } from '../thread/message.tsx';
import { MessageBlock } from '../thread/message-block.tsx';
import { MessageCopier } from '../thread/message-copier.ts';
import { openFolds } from '../thread/message-folds.ts';
import listStyles from '../thread/message-list.module.css';
import { blockLayout, type RowBlock } from '../thread/message-rows.ts';
import { type ShowDay, StickyDay } from '../thread/sticky-day.tsx';
import type { MessageWindow, WindowView } from './message-window.ts';
import styles from './search.module.css';
import { useTextMarks } from './text-marks.ts';
import type { Sought } from './use-search-place.ts';

const MessageMenu = lazyView(() => import('../message-menu/message-menu.tsx'), 'MessageMenu');
const PictureView = lazyView(() => import('../pictures/picture-view.tsx'), 'PictureView');

interface WindowListProps {
  window: MessageWindow;
  view: WindowView;
  peer: string;
  /** The name of the peer, for labels. */
  name: string;
  sought: Sought;
  /** What is marked in the texts. */
  parts: readonly string[];
  /** A quote leads to this message. */
  onQuote: (n: number) => void;
}

/** The messages around one that was found; more are loaded at both ends. A button leads to the end of the conversation. */
export function WindowList({ window, view, peer, name, sought, parts, onQuote }: WindowListProps) {
  const texts = useTexts().chat;
  const chats = useChats();
  const thread = useMemo(() => chats.thread(peer), [chats, peer]);
  const { messages, hasOlder, hasNewer } = view;
  const isWhole = useReadable(printing);
  const scroller = useRef<MessageScroller<RowBlock>>(null);
  const list = useRef<HTMLDivElement>(null);
  const [folds] = useState(() => openFolds(scroller));
  const [layOut] = useState(() => blockLayout());
  const blocks = useMemo(() => layOut(messages), [layOut, messages]);
  const [menu, setMenu] = useState<MenuPlace & { key: string | undefined }>();
  const inMenu = menu && messages.find(({ key }) => key === menu.key);
  const closeMenu = () => setMenu(undefined);
  /** The key of the message whose picture is open. */
  const [picture, setPicture] = useState<string>();
  const showDay = useRef<ShowDay>(null);
  const [isAtEnd, setAtEnd] = useState(false);
  const [shown, setShown] = useState<Sought>();
  useTextMarks(list, parts, `message-${sought.n}`);
  useEffect(() => (list.current ? askForMenus(list.current) : undefined), []);

  const block = blocks.find((one) => one.messages.some(({ n }) => n === sought.n));
  useLayoutEffect(() => {
    if (shown === sought || !block) return;
    const index = block.messages.findIndex(({ n }) => n === sought.n);
    const before = document.activeElement;
    scroller.current?.toMessage(block.key, index, (row) => {
      highlight(row);
      if (sought.keepsFocus && before instanceof HTMLElement) before.focus({ preventScroll: true });
      setShown(sought);
    });
  }, [shown, sought, block]);
  // At first the list is at its end, until the message is shown.
  useEffect(() => {
    if (isAtEnd && shown && hasNewer) window.loadNewer();
  }, [isAtEnd, shown, hasNewer, window]);

  const onClick = ({ target }: MouseEvent) => {
    const pressed =
      target instanceof Element && target.closest<HTMLElement>('[data-leads-to], [data-opens-picture]');
    if (!pressed) return;
    const { leadsTo, opensPicture } = pressed.dataset;
    if (opensPicture === undefined) onQuote(Number(leadsTo));
    else setPicture(opensPicture);
  };
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
      className={`${listStyles.list} ${styles.marked}`}
      ref={list}
      onContextMenu={openMenu}
      onClick={onClick}
      data-testid="found-window"
    >
      <MessageScroller
        ref={scroller}
        label={texts.messages(name)}
        top={<Above window={window} view={view} />}
        blocks={blocks}
        line={undefined}
        lastOwnKey={undefined}
        lastNumber={messages.at(-1)?.n ?? 0}
        arrivedAway={0}
        isCut={hasNewer}
        isWhole={isWhole}
        onAtEnd={(shownTo) => setAtEnd(shownTo !== undefined)}
        onNearTop={() => {
          if (shown && hasOlder) window.loadOlder();
        }}
        onAboveFirst={() => window.retry()}
        onScrolled={(place) =>
          showDay.current?.(place && blocks.find(({ key }) => key === place.block)?.messages[place.index]?.at)
        }
        overlay={
          (!isAtEnd || hasNewer) && (
            <Link
              href={chatPath(peer)}
              className={listStyles.newest}
              aria-label={texts.toNewest}
              title={texts.toNewest}
              data-testid="to-newest"
            >
              <ArrowDownIcon />
            </Link>
          )
        }
      >
        {(block) => <MessageBlock block={block} name={name} thread={thread} folds={folds} />}
      </MessageScroller>
      <MessageCopier list={list} messages={messages} name={name} />
      <StickyDay show={showDay} />
      {menu && inMenu && (
        <Suspense fallback={<WhileLoading onEscape={closeMenu} />}>
          <MessageMenu {...menu} message={inMenu} thread={thread} hasComposer={false} onClose={closeMenu} />
        </Suspense>
      )}
      {picture !== undefined && (
        <Suspense fallback={<WhileLoading onEscape={() => setPicture(undefined)} />}>
          <PictureView of={picture} {...{ messages, thread, name }} onOpen={setPicture} />
        </Suspense>
      )}
    </div>
  );
}

function highlight(row: HTMLElement): void {
  const shown = styles.shown ?? '';
  row.classList.add(shown);
  row.addEventListener('animationend', () => row.classList.remove(shown), { once: true });
}

/** Above the first message: that older ones are loaded, or why they are not. */
function Above({ window, view }: Pick<WindowListProps, 'window' | 'view'>): ReactNode {
  const texts = useTexts().chat;
  if (view.failure !== undefined)
    return (
      <div className={chatStyles.failed}>
        <ErrorText error={view.failure} />
        <Button
          variant="default"
          size="sm"
          tabIndex={-1}
          onClick={() => window.retry()}
          data-testid="retry-loading"
        >
          {texts.retry}
        </Button>
      </div>
    );
  if (!view.hasOlder) return null;
  return (
    <div className={chatStyles.older} data-testid="older">
      {view.isLoading && <Loader size="xs" role="status" aria-label={texts.loadingOlder} />}
    </div>
  );
}
