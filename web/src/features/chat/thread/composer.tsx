import { PaperAirplaneIcon } from '@primer/octicons-react';
import { type KeyboardEvent, Suspense, useEffect, useId, useLayoutEffect, useRef } from 'react';
import { useReadable, useStores } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { IconButton } from '../../../ui/controls/button.tsx';
import { focusComposer, isTouch } from '../../../ui/controls/pointer.ts';
import { lazyView } from '../../../ui/page/lazy-view.tsx';
import { isChangeable } from '../messages/message-changes.ts';
import { useDraft } from '../model/hooks.ts';
import type { Thread } from '../model/thread.ts';
import type { MessageView } from '../model/views.ts';
import { roomLeft, toBody } from '../text/message-body.ts';
import styles from './composer.module.css';

const AttachPicture = lazyView(
  () => import('../pictures/attach-picture.tsx').catch(() => ({ AttachPicture: () => null })),
  'AttachPicture',
);
const ComposingBar = lazyView(() => import('../message-parts/composing-bar.tsx'), 'ComposingBar');

interface ComposerProps {
  /** The name of the peer, for the label. */
  name: string;
  thread: Thread;
  messages: readonly MessageView[];
}

/**
 * The field in which a message is written. Its text is the draft of the conversation, kept until it is sent; while a message is edited, it
 * is that of the edit.
 */
export function Composer({ name, thread, messages }: ComposerProps) {
  const texts = useTexts().chat;
  const [draft, setDraft] = useDraft(thread.peer);
  const composing = useReadable(thread.composing);
  const target = composing && messages.find(({ key }) => key === composing.key);
  const isEdit = composing?.kind === 'edit';
  const text = isEdit ? composing.text : draft;
  const setText = isEdit
    ? (changed: string) => thread.composing.set({ ...composing, text: changed })
    : setDraft;
  const field = useRef<HTMLTextAreaElement>(null);
  const hasPictures = useReadable(useStores().registration.pictures) !== false;
  const roomId = useId();
  const room = roomLeft(text);
  const isTooLong = room !== undefined && room < 0;
  const canSend = !isTooLong && toBody(text) !== '';

  const typed = useRef('');
  useLayoutEffect(() => {
    if (typed.current === text || !field.current) return;
    // A draft was restored, at the opening or once it was read from the device: typing continues at its end.
    typed.current = text;
    field.current.scrollTop = field.current.scrollHeight;
    // In Safari this moves the focus, too, which would show the keyboard.
    if (!isTouch()) field.current.setSelectionRange(text.length, text.length);
  }, [text]);
  useEffect(() => void focusComposer(), []);
  const cancel = () => {
    thread.composing.set(undefined);
    // The button that was pressed disappears.
    field.current?.focus();
  };
  useEffect(() => {
    // Also when the same message is chosen again.
    if (composing) field.current?.focus();
  }, [composing]);
  const isOver = composing && (!target || target.isUnsent);
  useEffect(() => {
    // Its text is gone here too.
    if (isOver) thread.composing.set(undefined);
  }, [isOver, thread]);

  const send = () => {
    if (canSend) thread.write(toBody(text));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // These keys are about a word of an input method; in Safari only the key code 229 still says so.
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    const isPlain = !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey;
    if (event.key === 'Escape' && composing) {
      // Not yet away from the conversation.
      event.stopPropagation();
      cancel();
    } else if (event.key === 'ArrowUp' && isPlain && text === '' && !composing) {
      const last = messages.findLast(isChangeable);
      if (!last) return;
      event.preventDefault();
      thread.startEdit(last);
    }
    if (event.key !== 'Enter' || event.shiftKey || event.altKey || isTouch()) return;
    event.preventDefault();
    send();
  };

  return (
    <form
      className={styles.composer}
      data-floor=""
      onSubmit={(event) => {
        event.preventDefault();
        send();
        field.current?.focus();
      }}
    >
      {target && (
        <Suspense fallback={null}>
          <ComposingBar composing={composing} target={target} name={name} onCancel={cancel} />
        </Suspense>
      )}
      <label className={styles.field}>
        {/* The field has the height of this copy, which grows with the text without a script. */}
        <span className={styles.copy} data-text={text} aria-hidden="true" />
        <textarea
          ref={field}
          className={styles.text}
          data-composer=""
          data-testid="composer"
          dir="auto"
          rows={1}
          value={text}
          placeholder={texts.placeholder}
          aria-label={texts.message(name)}
          aria-describedby={room === undefined ? undefined : roomId}
          aria-invalid={isTooLong || undefined}
          enterKeyHint={isTouch() ? 'enter' : 'send'}
          autoComplete="off"
          onKeyDown={onKeyDown}
          onChange={(event) => {
            typed.current = event.currentTarget.value;
            setText(event.currentTarget.value);
            if (event.currentTarget.value !== '' && !isEdit) thread.sendTyping();
          }}
        />
      </label>
      {room !== undefined && (
        <p
          className={styles.room}
          id={roomId}
          data-too-long={isTooLong || undefined}
          data-testid="room-left"
          aria-live={isTooLong ? 'polite' : 'off'}
        >
          {texts.room(room)}
        </p>
      )}
      {hasPictures && (
        // Its file comes after the first view.
        <Suspense fallback={<span className={styles.attach} />}>
          <AttachPicture className={styles.attach} name={name} thread={thread} />
        </Suspense>
      )}
      <IconButton
        className={styles.send}
        type="submit"
        disabled={!canSend}
        aria-label={texts.send}
        title={texts.send}
        data-testid="send"
        // The field keeps the focus, and a phone its keyboard.
        onMouseDown={(event) => event.preventDefault()}
      >
        <PaperAirplaneIcon />
      </IconButton>
    </form>
  );
}
