import { PaperAirplaneIcon } from '@primer/octicons-react';
import type { OutgoingPicture } from 'doorman-client';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { useTexts } from '../../../i18n/texts.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import buttons from '../../../ui/controls/dialog.module.css';
import { Dialog } from '../../../ui/controls/dialog.tsx';
import { Loader } from '../../../ui/controls/loader.tsx';
import { focusComposer, isTouch } from '../../../ui/controls/pointer.ts';
import { isolate } from '../../contacts/model/display-name.ts';
import { useDraft } from '../model/hooks.ts';
import type { Thread } from '../model/thread.ts';
import { roomLeft, toBody } from '../text/message-body.ts';
import styles from './picture-look.module.css';
import { preparePicture } from './prepare-picture.ts';
import { usePictureTexts } from './texts.ts';

interface PictureLookProps {
  file: File;
  /** The name of the peer. */
  name: string;
  thread: Thread;
  onClose: () => void;
}

/** The picture as it will be sent, and its caption, which begins with the draft. */
export function PictureLook({ file, name, thread, onClose }: PictureLookProps) {
  const texts = usePictureTexts();
  const { chat, shell } = useTexts();
  const [draft] = useDraft(thread.peer);
  const [caption, setCaption] = useState(draft);
  const prepared = usePrepared(file);
  const roomId = useId();
  const room = roomLeft(caption);
  const isTooLong = room !== undefined && room < 0;
  const canSend = typeof prepared === 'object' && !isTooLong;

  const send = () => {
    if (!canSend) return;
    thread.write(toBody(caption), prepared.picture);
    onClose();
    focusComposer();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key !== 'Enter' || event.shiftKey || event.altKey || isTouch()) return;
    event.preventDefault();
    send();
  };
  return (
    <Dialog isOpen onClose={onClose} title={texts.title} testId="picture-look">
      {/* No form: it would stand in that of the composer. */}
      <div className={styles.look}>
        <div className={styles.stage} aria-busy={prepared === undefined}>
          {prepared === undefined && <Loader size="sm" role="status" aria-label={texts.preparing} />}
          {prepared === 'unreadable' && <p role="alert">{texts.unreadable}</p>}
          {typeof prepared === 'object' && (
            <img className={styles.image} src={prepared.url} alt={chat.picture('')} data-testid="looked-at" />
          )}
        </div>
        {prepared !== 'unreadable' && (
          <>
            <textarea
              className={styles.caption}
              dir="auto"
              rows={2}
              value={caption}
              placeholder={texts.captionPlaceholder}
              aria-label={texts.caption}
              aria-describedby={room === undefined ? undefined : roomId}
              aria-invalid={isTooLong || undefined}
              enterKeyHint={isTouch() ? 'enter' : 'send'}
              autoComplete="off"
              autoFocus={!isTouch()}
              onKeyDown={onKeyDown}
              onChange={(event) => {
                setCaption(event.currentTarget.value);
                if (event.currentTarget.value !== '') thread.sendTyping();
              }}
              data-testid="caption"
            />
            {room !== undefined && (
              <p className={styles.room} id={roomId} data-too-long={isTooLong || undefined}>
                {chat.room(room)}
              </p>
            )}
          </>
        )}
        <div className={buttons.buttons}>
          <Button variant="default" onClick={onClose} data-testid="look-cancel">
            {prepared === 'unreadable' ? shell.close : shell.cancel}
          </Button>
          {prepared !== 'unreadable' && (
            <Button
              disabled={!canSend}
              onClick={send}
              leftSection={<PaperAirplaneIcon />}
              aria-label={texts.sendTo(isolate(name))}
              data-testid="look-send"
            >
              {chat.send}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}

interface PreparedPicture {
  readonly picture: OutgoingPicture;
  readonly url: string;
}

/** @returns `undefined` while it is prepared */
function usePrepared(file: File): PreparedPicture | 'unreadable' | undefined {
  const [prepared, setPrepared] = useState<PreparedPicture | 'unreadable'>();
  useEffect(() => {
    let url: string | undefined;
    const ending = new AbortController();
    preparePicture(file).then(
      (picture) => {
        if (ending.signal.aborted) return;
        url = URL.createObjectURL(picture.blob);
        setPrepared({ picture, url });
      },
      () => setPrepared('unreadable'),
    );
    return () => {
      ending.abort();
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [file]);
  return prepared;
}
