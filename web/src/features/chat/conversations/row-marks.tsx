import { BellSlashIcon, BlockedIcon, PinIcon } from '@primer/octicons-react';
import { useTexts } from '../../../i18n/texts.tsx';
import { CountBadge } from '../../../ui/list/list-row.tsx';
import type { ConversationView } from '../model/views.ts';
import styles from './row-marks.module.css';
import { useListTexts } from './texts.ts';

/** At the end of a row: how the user keeps the conversation, and how many messages are unread. */
export function RowMarks({ conversation }: { conversation: ConversationView }) {
  const { shell, chat } = useTexts();
  const texts = useListTexts();
  const { unread, pinnedAt, isMuted, isMarkedUnread, isBlocked } = conversation;
  return (
    <span className={styles.marks} data-testid="marks" data-muted={isMuted || undefined}>
      {isMuted && <BellSlashIcon aria-label={texts.muted} />}
      {pinnedAt > 0 && <PinIcon aria-label={texts.pinned} />}
      {isBlocked && <BlockedIcon aria-label={chat.blockedShort} />}
      <CountBadge count={unread} label={shell.unread(unread)} />
      {unread === 0 && isMarkedUnread && !isBlocked && (
        <span className={styles.dot} role="img" aria-label={texts.markedUnread} data-testid="marked-unread" />
      )}
    </span>
  );
}
