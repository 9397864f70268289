import { type FocusEvent, type MouseEvent, memo, useState } from 'react';
import { useTexts } from '../../../i18n/texts.tsx';
import { useErrorSentence } from '../../../ui/controls/error-text.tsx';
import { isTouch } from '../../../ui/controls/pointer.ts';
import { FoldedText } from '../../../ui/list/folded-text.tsx';
import { useDay, useTimes } from '../../../ui/person/time-text.tsx';
import type { Thread } from '../model/thread.ts';
import type { MessageView } from '../model/views.ts';
import { isFewEmoji } from '../text/emoji.ts';
import { MessageText } from '../text/message-text.tsx';
import styles from './message.module.css';
import { FOLDED_LINES, type MessageFolds, mayBeFolded } from './message-folds.ts';
import type { Gap } from './message-rows.ts';
import { MessageStateIcon } from './message-state-icon.tsx';

interface MessageProps {
  message: MessageView;
  gap: Gap;
  isGroupEnd: boolean;
  /** The name of the sender, for the label. */
  sender: string;
  thread: Thread;
  folds: MessageFolds;
}

/** One message. A page may have thousands, so each renders only when its own properties change. */
export const Message = memo(function Message({
  message,
  gap,
  isGroupEnd,
  sender,
  thread,
  folds,
}: MessageProps) {
  const texts = useTexts().chat;
  const times = useTimes();
  const [isTimeShown, setTimeShown] = useState(false);
  const [hasFocus, setFocus] = useState(false);
  const { n, isOwn, cid, body, at, state } = message;
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
      aria-label={texts.messageBy(sender, day, clock)}
      data-message=""
      data-own={isOwn || undefined}
      data-gap={gap}
      data-group-end={isGroupEnd || undefined}
      data-time-shown={isTimeShown || undefined}
      data-emoji={isFewEmoji(body) || undefined}
      data-testid={n === undefined ? undefined : `message-${n}`}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the label of the article has the time that a tap shows. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the same. */}
      <div className={styles.bubble} onClick={isGroupEnd ? undefined : onClick}>
        <Body message={message} folds={folds} tabIndex={tabIndex} />
        {(isGroupEnd || state !== 'theirs') && (
          <span className={styles.meta}>
            {isGroupEnd && time()}
            {state !== 'theirs' && <MessageStateIcon state={state} cid={cid} />}
          </span>
        )}
      </div>
      {!isGroupEnd && time(styles.beside)}
      {state === 'refused' && <Refusal message={message} thread={thread} tabIndex={tabIndex} />}
      {state === 'waiting' && <p className={styles.waiting}>{texts.waitsForConnection}</p>}
    </article>
  );
});

interface BodyProps extends Pick<MessageProps, 'message' | 'folds'> {
  /** Of its links and its button. */
  tabIndex: 0 | -1;
}

function Body({ message, folds, tabIndex }: BodyProps) {
  const { key, body } = message;
  const [isWhole, setWhole] = useState(() => folds.isWhole(key));
  const text = {
    className: styles.text,
    dir: 'auto',
    'data-key': key,
    children: <MessageText body={body} tabIndex={tabIndex} />,
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

interface RefusalProps {
  message: MessageView;
  thread: Thread;
  /** Of its buttons. */
  tabIndex: 0 | -1;
}

function Refusal({ message, thread, tabIndex }: RefusalProps) {
  const texts = useTexts().chat;
  const sentence = useErrorSentence();
  const { cid, error } = message;
  return (
    <div className={styles.refusal}>
      <span>
        {texts.notSent}
        {sentence(error ?? '')}
      </span>
      <span className={styles.actions}>
        <button
          type="button"
          className={styles.action}
          tabIndex={tabIndex}
          onClick={() => thread.retry(cid)}
          data-testid="retry"
        >
          {texts.retry}
        </button>
        <button
          type="button"
          className={styles.action}
          tabIndex={tabIndex}
          onClick={() => thread.discard(cid)}
          data-testid="discard"
        >
          {texts.discard}
        </button>
      </span>
    </div>
  );
}
