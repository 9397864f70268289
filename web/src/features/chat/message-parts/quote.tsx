import type { Message } from 'doorman-client';
import { useTexts } from '../../../i18n/texts.tsx';
import { VisuallyHidden } from '../../../ui/controls/visually-hidden.tsx';
import { excerpt } from '../text/message-body.ts';
import styles from './message-parts.module.css';
import { useMessagePartsTexts } from './texts.ts';

interface QuoteProps {
  /** The message that is answered, if it is loaded, and its number. */
  message: Message | undefined;
  n: number | undefined;
  /** The peer of the conversation, and their name for labels. */
  peer: string;
  name: string;
  tabIndex: 0 | -1;
}

/** The beginning of the message that is answered, above the answer. A press leads to it: the list acts on `data-leads-to`. */
export function Quote({ message, n, peer, name, tabIndex }: QuoteProps) {
  const texts = useMessagePartsTexts();
  const text = useQuotedText(message);
  const sender = message?.from === peer ? name : texts.you;
  return (
    <button type="button" className={styles.quote} tabIndex={tabIndex} data-leads-to={n} data-testid="quote">
      <VisuallyHidden>{texts.answers}</VisuallyHidden>
      {message && <bdi className={styles.quoted}>{sender}</bdi>}
      <bdi className={styles.excerpt}>{text}</bdi>
    </button>
  );
}

/** The beginning of a message, or why there is none. */
function useQuotedText(message: Pick<Message, 'body' | 'picture' | 'unsentAt'> | undefined): string {
  const texts = useMessagePartsTexts();
  const { picture } = useTexts().chat;
  if (!message) return texts.notLoaded;
  return message.unsentAt === undefined ? excerpt(message, picture) : texts.unsent;
}
