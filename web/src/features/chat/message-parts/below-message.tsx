import type { MessageChange } from 'doorman-client';
import { useOwnId } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { useErrorSentence } from '../../../ui/controls/error-text.tsx';
import { VisuallyHidden } from '../../../ui/controls/visually-hidden.tsx';
import { nameOf, reactionOf } from '../messages/message-changes.ts';
import { useCanWrite } from '../model/hooks.ts';
import type { Thread } from '../model/thread.ts';
import type { MessageView } from '../model/views.ts';
import styles from './message-parts.module.css';
import { useMessagePartsTexts } from './texts.ts';

interface BelowMessageProps {
  message: MessageView;
  thread: Thread;
  /** The name of the peer, for labels. */
  name: string;
  /** Of its buttons. */
  tabIndex: 0 | -1;
}

/** What is below the bubble of a message: the reactions, and why it or a change of it was refused. */
export function BelowMessage(props: BelowMessageProps) {
  const { message } = props;
  const refused = message.changes?.filter(({ state }) => state === 'refused') ?? [];
  return (
    <>
      {message.reactions && <Reactions {...props} />}
      {message.state === 'refused' && <Refusal {...props} />}
      {refused.map((change) => (
        <RefusedChange key={change.kind} change={change} {...props} />
      ))}
    </>
  );
}

/** Each emoji once, the peer's first. A press sets or removes the user's own, where they can write: it would accept a message request. */
function Reactions({ message, thread, name, tabIndex }: BelowMessageProps) {
  const texts = useMessagePartsTexts();
  const own = useOwnId();
  const canWrite = useCanWrite(thread.peer);
  const { n, reactions } = message;
  const peer = Object.keys(reactions ?? {}).find((user) => user !== own) ?? '';
  const mine = reactionOf({ reactions }, own);
  const emojis = new Set([reactionOf({ reactions }, peer), mine].filter((emoji) => emoji !== ''));
  return (
    <div className={styles.reactions} data-testid="reactions">
      {[...emojis].map((emoji) => {
        const isMine = emoji === mine;
        const isTheirs = emoji === reactionOf({ reactions }, peer);
        const who = isMine && isTheirs ? texts.both(name, texts.you) : isMine ? texts.you : name;
        const action = isMine ? texts.removeReaction(emoji) : texts.addReaction(emoji);
        return (
          <button
            key={emoji}
            type="button"
            className={styles.reaction}
            tabIndex={tabIndex}
            aria-pressed={isMine}
            disabled={!canWrite}
            title={canWrite ? `${who}. ${action}` : who}
            onClick={() => n !== undefined && thread.react(n, isMine ? '' : emoji)}
            data-testid={`reaction-${emoji}`}
          >
            <span>{emoji}</span>
            {isMine && isTheirs && <span>2</span>}
            <VisuallyHidden>{who}</VisuallyHidden>
          </button>
        );
      })}
    </div>
  );
}

function Refusal({ message, thread, tabIndex }: BelowMessageProps) {
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
        <Action label={texts.retry} tabIndex={tabIndex} onClick={() => thread.retry(cid)} testId="retry" />
        <Action
          label={texts.discard}
          tabIndex={tabIndex}
          onClick={() => thread.discard(cid)}
          testId="discard"
        />
      </span>
    </div>
  );
}

function RefusedChange({ message, thread, tabIndex, change }: BelowMessageProps & { change: MessageChange }) {
  const texts = useMessagePartsTexts();
  const { retry } = useTexts().chat;
  const sentence = useErrorSentence();
  const again = () => {
    const { kind, body = '', emoji = '' } = change;
    thread.dismissChange(change);
    if (kind === 'unsend') thread.unsend(nameOf(message));
    else if (kind === 'edit') thread.edit(nameOf(message), body);
    else if (message.n !== undefined) thread.react(message.n, emoji);
  };
  return (
    <div className={styles.refusal} data-testid={`refused-${change.kind}`}>
      <span>
        {texts.refused[change.kind]}
        {sentence(change.error ?? '')}
      </span>
      <span className={styles.actions}>
        <Action label={retry} tabIndex={tabIndex} onClick={again} testId="retry-change" />
        <Action
          label={texts.dismiss}
          tabIndex={tabIndex}
          onClick={() => thread.dismissChange(change)}
          testId="dismiss-change"
        />
      </span>
    </div>
  );
}

interface ActionProps {
  label: string;
  tabIndex: 0 | -1;
  onClick: () => void;
  testId: string;
}

function Action({ label, tabIndex, onClick, testId }: ActionProps) {
  return (
    <button
      type="button"
      className={styles.action}
      tabIndex={tabIndex}
      onClick={onClick}
      data-testid={testId}
    >
      {label}
    </button>
  );
}
