import { type FocusEvent, type MouseEvent, memo, Suspense, useState } from 'react';
import { useTexts } from '../../../i18n/texts.tsx';
import { isTouch } from '../../../ui/controls/pointer.ts';
import { FoldedText } from '../../../ui/list/folded-text.tsx';
import { lazyView } from '../../../ui/page/lazy-view.tsx';
import { useDay, useTimes } from '../../../ui/person/time-text.tsx';
import type { Thread } from '../model/thread.ts';
import type { MessageView } from '../model/views.ts';
import { isFewEmoji } from '../text/emoji.ts';
import { MessageText } from '../text/message-text.tsx';
import styles from './message.module.css';
import { FOLDED_LINES, type MessageFolds, mayBeFolded } from './message-folds.ts';
import type { Gap } from './message-rows.ts';
import { MessageStateIcon } from './message-state-icon.tsx';

const BelowMessage = lazyView(() => import('../message-parts/below-message.tsx'), 'BelowMessage');
const MessagePicture = lazyView(() => import('../pictures/message-picture.tsx'), 'MessagePicture');
const Quote = lazyView(() => import('../message-parts/quote.tsx'), 'Quote');

/** The files that draw parts of some messages. */
export const messageParts = {
  areLoaded: false,
  load: async () => {
    await Promise.all([BelowMessage.load(), MessagePicture.load(), Quote.load()]);
    messageParts.areLoaded = true;
  },
};

interface MessageProps {
  message: MessageView;
  gap: Gap;
  isGroupEnd: boolean;
  /** The name of the peer, for labels. */
  name: string;
  thread: Thread;
  folds: MessageFolds;
}

/** One message. A page may have thousands, so each renders only when its own properties change. */
export const Message = memo(function Message({
  message,
  gap,
  isGroupEnd,
  name,
  thread,
  folds,
}: MessageProps) {
  const texts = useTexts().chat;
  const times = useTimes();
  const [isTimeShown, setTimeShown] = useState(false);
  const [hasFocus, setFocus] = useState(false);
  const { n, isOwn, cid, body, at, state, isEdited, isUnsent, changes } = message;
  const isAnswer = message.replyTo !== undefined;
  const hasPicture = message.picture !== undefined;
  const isWaiting = changes?.some((one) => one.state === 'waiting' && one.kind !== 'react');
  const clock = times.clock(at);
  const day = useDay(at);
  const time = (className?: string) => (
    <time
      className={className}
      dateTime={new Date(at).toISOString()}
      title={times.full(at)}
      aria-hidden="true"
    >
      {clock}
    </time>
  );
  const onClick = (event: MouseEvent) => {
    if (isTouch() && !isForOthers(event)) setTimeShown(!isTimeShown);
  };
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent) =>
    setFocus(currentTarget.contains(relatedTarget));
  // The messages are one stop of the Tab key; from the focused one it goes on to what is in it.
  const tabIndex = hasFocus ? 0 : -1;
  return (
    <article
      className={styles.message}
      tabIndex={-1}
      onFocus={() => setFocus(true)}
      onBlur={onBlur}
      aria-label={texts.messageBy(isOwn ? texts.ownName : name, day, clock)}
      data-message=""
      data-own={isOwn || undefined}
      data-gap={gap}
      data-group-end={isGroupEnd || undefined}
      data-time-shown={isTimeShown || undefined}
      data-emoji={(!isAnswer && !hasPicture && isFewEmoji(body)) || undefined}
      data-picture={hasPicture || undefined}
      data-unsent={isUnsent || undefined}
      data-testid={n === undefined ? undefined : `message-${n}`}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the label of the article has the time that a tap shows. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the same. */}
      <div className={styles.bubble} onClick={isGroupEnd ? undefined : onClick}>
        {isAnswer && (
          <Suspense fallback={null}>
            <Quote
              message={message.quoted}
              n={message.replyTo}
              peer={thread.peer}
              name={name}
              tabIndex={tabIndex}
            />
          </Suspense>
        )}
        {hasPicture && (
          <Suspense fallback={null}>
            <MessagePicture message={message} peer={thread.peer} tabIndex={tabIndex} />
          </Suspense>
        )}
        <Body message={message} folds={folds} tabIndex={tabIndex} />
        {(isGroupEnd || state !== 'theirs' || isEdited) && (
          <span className={styles.meta}>
            {isEdited && texts.edited}
            {isGroupEnd && time()}
            {state !== 'theirs' && <MessageStateIcon state={isWaiting ? 'waiting' : state} cid={cid} />}
          </span>
        )}
      </div>
      {!isGroupEnd && time(styles.beside)}
      {hasBelow(message) && (
        <Suspense fallback={null}>
          <BelowMessage {...{ message, thread, name, tabIndex }} />
        </Suspense>
      )}
      {state === 'waiting' && <p className={styles.waiting}>{texts.waitsForConnection}</p>}
    </article>
  );
});

/** Whether there is something below its bubble: reactions, or what was refused. */
function hasBelow({ state, reactions, changes }: MessageView): boolean {
  return state === 'refused' || reactions !== undefined || changes !== undefined;
}

/** Whether files of their own draw a part of it. */
export function hasParts(message: MessageView): boolean {
  return hasBelow(message) || message.picture !== undefined || message.replyTo !== undefined;
}

interface BodyProps extends Pick<MessageProps, 'message' | 'folds'> {
  /** Of its links and its button. */
  tabIndex: 0 | -1;
}

function Body({ message, folds, tabIndex }: BodyProps) {
  const { key, body } = message;
  const texts = useTexts().chat;
  const unsent = message.isOwn ? texts.youUnsent : texts.theyUnsent;
  const [isWhole, setWhole] = useState(() => folds.isWhole(key));
  const text = {
    className: styles.text,
    dir: 'auto',
    'data-key': key,
    children: message.isUnsent ? unsent : <MessageText body={body} tabIndex={tabIndex} />,
  };
  if (!mayBeFolded(body)) return <div {...text} />;
  const onFold = (at: Element) => {
    const row = at.closest('[data-message]');
    if (row) folds.toggle(key, row, setWhole);
  };
  const button = { className: styles.more, tabIndex };
  return <FoldedText {...text} {...{ lines: FOLDED_LINES, isWhole, onFold, button }} />;
}

/** Whether a tap or a click follows a link, presses a button, or ends the selection of text. */
export function isForOthers({ target }: MouseEvent): boolean {
  const isControl = target instanceof Element && target.closest('a, button') !== null;
  return isControl || getSelection()?.isCollapsed === false;
}
