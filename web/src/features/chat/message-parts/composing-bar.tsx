import { PencilIcon, ReplyIcon, XIcon } from '@primer/octicons-react';
import { useTexts } from '../../../i18n/texts.tsx';
import { IconButton } from '../../../ui/controls/button.tsx';
import type { Composing, MessageView } from '../model/views.ts';
import { excerpt } from '../text/message-body.ts';
import styles from './message-parts.module.css';
import { useMessagePartsTexts } from './texts.ts';

interface ComposingBarProps {
  composing: Composing;
  /** The message that is answered or edited. */
  target: MessageView;
  /** The name of the peer. */
  name: string;
  onCancel: () => void;
}

/** Above the field of the composer: the message that is answered or edited, and a button that ends it. */
export function ComposingBar({ composing, target, name, onCancel }: ComposingBarProps) {
  const texts = useMessagePartsTexts();
  const { picture } = useTexts().chat;
  const isEdit = composing.kind === 'edit';
  const replying = target.isOwn ? texts.replyingYourself : texts.replying(name);
  return (
    <div className={styles.bar} role="status" data-testid={`composing-${composing.kind}`}>
      <span className={styles.barIcon}>{isEdit ? <PencilIcon /> : <ReplyIcon />}</span>
      <span className={styles.barText}>
        <bdi className={styles.quoted}>{isEdit ? texts.editing : replying}</bdi>
        <bdi className={styles.excerpt}>{excerpt(target, picture)}</bdi>
      </span>
      <IconButton
        variant="subtle"
        aria-label={texts.cancel}
        title={texts.cancel}
        onClick={onCancel}
        data-testid="composing-cancel"
      >
        <XIcon />
      </IconButton>
    </div>
  );
}
