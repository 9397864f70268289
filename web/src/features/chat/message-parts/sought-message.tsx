import { type RefObject, useEffect } from 'react';
import type { Thread } from '../model/thread.ts';
import type { MessageView, ThreadView } from '../model/views.ts';
import type { MessageScroller } from '../scrolling/message-scroller.tsx';
import styles from './message-parts.module.css';

/** Messages of one page: the largest, as the message may be far above. */
const PAGE = 100;

interface Block {
  readonly key: number;
  readonly messages: readonly MessageView[];
  readonly rows: { readonly length: number };
}

interface SoughtMessageProps {
  /** The number of the message. */
  n: number;
  view: ThreadView;
  thread: Thread;
  blocks: readonly Block[];
  scroller: RefObject<Pick<MessageScroller<Block>, 'toMessage'> | null>;
  /** The message has the focus, or cannot be loaded. */
  onEnd: () => void;
}

/** Leads to a message, which is loaded first if need be, with all between. */
export function SoughtMessage({ n, view, thread, blocks, scroller, onEnd }: SoughtMessageProps) {
  const { messages, hasOlder, isLoadingOlder, failure } = view;
  useEffect(() => {
    if ((messages[0]?.n ?? 0) > n && hasOlder && failure === undefined) {
      if (!isLoadingOlder) thread.loadOlder(PAGE);
      return;
    }
    const block = blocks.find((one) => one.messages.some((message) => message.n === n));
    if (block) {
      const index = block.messages.findIndex((message) => message.n === n);
      scroller.current?.toMessage(block.key, index, highlight);
    }
    onEnd();
  });
  return null;
}

/** Once each time that a quote leads to it. */
function highlight(row: HTMLElement): void {
  const found = styles.found ?? '';
  row.classList.add(found);
  row.addEventListener('animationend', () => row.classList.remove(found), { once: true });
}
