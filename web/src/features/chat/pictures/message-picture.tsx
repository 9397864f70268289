import { ImageIcon } from '@primer/octicons-react';
import { type CSSProperties, type ReactNode, use } from 'react';
import { useTexts } from '../../../i18n/texts.tsx';
import type { MessageView } from '../model/views.ts';
import { PlainTextContext } from '../text/message-text.tsx';
import styles from './message-picture.module.css';
import { usePictureTexts } from './texts.ts';
import { usePreview } from './use-preview.ts';

interface MessagePictureProps {
  message: MessageView;
  peer: string;
  /** Of its button. */
  tabIndex: 0 | -1;
}

/** The picture of a message, in a space that is kept for it. A press opens it: the list acts on `data-opens-picture`. */
export function MessagePicture(props: MessagePictureProps) {
  const texts = usePictureTexts();
  // A stranger chooses neither what is loaded nor what is seen.
  if (use(PlainTextContext))
    return (
      <Space message={props.message} isEmpty>
        <ImageIcon />
        <span>{texts.acceptFirst}</span>
      </Space>
    );
  return <Loaded {...props} />;
}

function Loaded({ message, peer, tabIndex }: MessagePictureProps) {
  const texts = usePictureTexts();
  const { chat, shell } = useTexts();
  const { url, failure, retry } = usePreview(message, peer);
  if (failure)
    return (
      <Space message={message} isEmpty>
        <ImageIcon />
        <span>{texts[failure]}</span>
        {failure === 'failed' && (
          <button type="button" className={styles.retry} tabIndex={tabIndex} onClick={retry}>
            {shell.retry}
          </button>
        )}
      </Space>
    );
  const alt = message.body === '' ? chat.picture('') : message.body;
  return (
    <Space message={message}>
      {url !== undefined && (
        <button
          type="button"
          className={styles.open}
          tabIndex={tabIndex}
          data-opens-picture={message.key}
          data-testid="picture"
        >
          <img className={styles.image} src={url} alt={alt} />
        </button>
      )}
    </Space>
  );
}

/** In pixels of the page: neither too small for a finger nor higher than a screen. */
const [LEAST, WIDEST, HIGHEST] = [96, 320, 360];
/** Beside a narrower picture its caption would have a word a line. */
const LEAST_WITH_CAPTION = 240;

interface SpaceProps {
  message: MessageView;
  isEmpty?: boolean;
  children: ReactNode;
}

/** As large as the picture will be drawn, so that nothing moves when it comes. A long one is cut; opened, it is shown whole. */
function Space({ message, isEmpty, children }: SpaceProps) {
  const { width = 1, height = 1 } = message.picture ?? {};
  const scale = Math.min(1, WIDEST / width, HIGHEST / height);
  const least = message.body === '' ? LEAST : LEAST_WITH_CAPTION;
  const drawn = { width: Math.max(least, width * scale), height: Math.max(LEAST, height * scale) };
  const style = { '--width': `${drawn.width / 16}rem`, '--shape': drawn.width / drawn.height };
  return (
    <div
      className={styles.space}
      style={style as CSSProperties} // React passes custom properties on
      data-empty={isEmpty || undefined}
      data-small={(width < drawn.width && height < drawn.height) || undefined}
    >
      {children}
    </div>
  );
}
