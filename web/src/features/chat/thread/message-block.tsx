import { memo } from 'react';
import type { Thread } from '../model/thread.ts';
import { DayLine, UnreadLine } from './lines.tsx';
import { Message } from './message.tsx';
import type { MessageFolds } from './message-folds.ts';
import type { RowBlock } from './message-rows.ts';

interface MessageBlockProps {
  block: RowBlock;
  /** The name of the peer, for labels. */
  name: string;
  thread: Thread;
  folds: MessageFolds;
}

/** The rows of a block. A block is the same object until it changes, so the others are not rendered again. */
export const MessageBlock = memo(function MessageBlock({ block, name, thread, folds }: MessageBlockProps) {
  return block.rows.map((row) => {
    if (row.kind === 'day') return <DayLine key={row.key} at={row.at} />;
    if (row.kind === 'unread') return <UnreadLine key={row.key} />;
    const { key, message, gap, isGroupEnd } = row;
    return <Message key={key} {...{ message, gap, isGroupEnd, name, thread, folds }} />;
  });
});
