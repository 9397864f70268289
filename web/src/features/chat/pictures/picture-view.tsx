import { ChevronLeftIcon, ChevronRightIcon, DownloadIcon, XIcon } from '@primer/octicons-react';
import { DoormanError } from 'doorman-client';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { useStores } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { IconButton } from '../../../ui/controls/button.tsx';
import { Dialog } from '../../../ui/controls/dialog.tsx';
import { useErrorSentence } from '../../../ui/controls/error-text.tsx';
import { useTimes } from '../../../ui/person/time-text.tsx';
import { isolate } from '../../contacts/model/display-name.ts';
import type { Thread } from '../model/thread.ts';
import type { MessageView } from '../model/views.ts';
import styles from './picture-view.module.css';
import { usePreviewUrls } from './preview-urls.ts';
import { usePictureTexts } from './texts.ts';

interface PictureViewProps {
  /** The key of the message. */
  of: string;
  messages: readonly MessageView[];
  thread: Thread;
  /** The name of the peer. */
  name: string;
  /** Opens another message's picture, or none. */
  onOpen: (key: string | undefined) => void;
}

/** A picture as large as the window, with its caption; arrows lead to the next ones of those that are loaded. */
export function PictureView({ of, messages, thread, name, onOpen }: PictureViewProps) {
  const texts = usePictureTexts();
  const { chat, shell } = useTexts();
  const times = useTimes();
  const shown = messages.filter(({ picture }) => picture);
  const index = shown.findIndex(({ key }) => key === of);
  const message = shown[index];
  const { url, error } = useWhole(message, thread.peer);
  const sentence = useErrorSentence();
  const isGone = message === undefined;
  useEffect(() => {
    // It was unsent.
    if (isGone) onOpen(undefined);
  }, [isGone, onOpen]);
  if (!message?.picture) return null;

  const [previous, next] = [shown[index - 1]?.key, shown[index + 1]?.key];
  const onKeyDown = ({ key }: KeyboardEvent) => {
    const other = key === 'ArrowLeft' ? previous : key === 'ArrowRight' ? next : undefined;
    if (other !== undefined) onOpen(other);
  };
  const { body, isOwn, at, picture } = message;
  const step = (label: string, key: string | undefined, side: 'left' | 'right') => (
    <IconButton
      variant="subtle"
      className={styles.step}
      data-side={side}
      aria-label={label}
      title={label}
      disabled={key === undefined}
      onClick={() => onOpen(key)}
      data-testid={`picture-${side}`}
    >
      {side === 'left' ? <ChevronLeftIcon /> : <ChevronRightIcon />}
    </IconButton>
  );
  return (
    <Dialog
      isOpen
      onClose={() => onOpen(undefined)}
      title={texts.sentBy(isOwn ? chat.ownName : isolate(name), times.stamp(at))}
      className={styles.view}
      testId="picture-view"
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of its buttons. */}
      <div className={styles.stage} onKeyDown={onKeyDown}>
        <div className={styles.buttons}>
          {url !== undefined && (
            <a
              className={styles.download}
              href={url}
              download={`picture-${times.stamp(at)}.${picture.type.split('/')[1]}`}
              aria-label={texts.download}
              title={texts.download}
              data-testid="picture-download"
            >
              <DownloadIcon />
            </a>
          )}
          <IconButton
            variant="subtle"
            aria-label={shell.close}
            title={shell.close}
            onClick={() => onOpen(undefined)}
            data-testid="picture-close"
          >
            <XIcon />
          </IconButton>
        </div>
        {error === undefined ? (
          <Picture message={message} url={url} />
        ) : (
          <p role="alert">{error === 'gone' ? texts.gone : sentence(error)}</p>
        )}
        {shown.length > 1 && step(texts.previous, previous, 'left')}
        {shown.length > 1 && step(texts.next, next, 'right')}
      </div>
      {body !== '' && (
        <p className={styles.caption} dir="auto">
          {body}
        </p>
      )}
    </Dialog>
  );
}

/** The preview takes its place until it is there. */
function Picture({ message, url }: { message: MessageView; url: string | undefined }) {
  const { chat } = useTexts();
  const texts = usePictureTexts();
  const urls = usePreviewUrls();
  const { picture, body, isOwn, cid } = message;
  const preview = urls.find(picture?.id, isOwn ? cid : undefined);
  const alt = body === '' ? chat.picture('') : body;
  const src = url ?? preview;
  const { width, height } = picture ?? {};
  return (
    <div className={styles.picture} role="status" aria-label={url === undefined ? texts.loading : undefined}>
      {src !== undefined && (
        <img
          className={styles.image}
          src={src}
          alt={alt}
          width={width}
          height={height}
          data-whole={url !== undefined || undefined}
          data-testid="whole-picture"
        />
      )}
    </div>
  );
}

/** The whole picture of a message, for as long as it is shown. */
function useWhole(message: MessageView | undefined, peer: string): { url?: string; error?: string } {
  const { doorman } = useStores();
  const [whole, setWhole] = useState<{ key?: string; url?: string; error?: string }>({});
  const { key, n, cid } = message ?? {};
  const id = message?.picture?.id;
  useEffect(() => {
    if (key === undefined || cid === undefined) return undefined;
    let url: string | undefined;
    let isShown = true;
    const read = async () => {
      const isStored = n !== undefined && id !== undefined;
      const blob = isStored
        ? await doorman.api.picture(id)
        : (await doorman.outgoingPicture(cid, peer))?.blob;
      if (!isShown || !blob) return;
      url = URL.createObjectURL(blob);
      setWhole({ key, url });
    };
    read().catch((error: unknown) => {
      if (!(error instanceof DoormanError)) throw error;
      if (isShown) setWhole({ key, error: error.code === 404 ? 'gone' : error.error });
    });
    return () => {
      isShown = false;
      if (url === undefined) return;
      URL.revokeObjectURL(url);
      // The user may come back to it before the next one is there.
      setWhole({});
    };
  }, [doorman, key, n, id, cid, peer]);
  return whole.key === key ? whole : {};
}
