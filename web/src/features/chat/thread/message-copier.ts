import { type ReactNode, type RefObject, useEffect } from 'react';
import { useSession } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { useTimes } from '../../../ui/person/time-text.tsx';
import { useOwnAccount } from '../../account/model/hooks.ts';
import { displayName } from '../../contacts/model/display-name.ts';
import type { MessageView } from '../model/views.ts';
import { joinSelected, type SelectedMessages } from './copied-text.ts';

export interface MessageCopierProps {
  /** The element around the messages, in which `data-key` is on the text of each. */
  list: RefObject<HTMLElement | null>;
  messages: readonly MessageView[];
  /** The name of the peer. */
  name: string;
}

/**
 * Copies selected messages with their times and senders, also when the selection goes beyond the thread; a selection within
 * one message is left to the browser. It shows nothing.
 */
export function MessageCopier({ list, messages, name }: MessageCopierProps): ReactNode {
  const texts = useTexts().chat;
  const times = useTimes();
  const own = useOwnName();
  useEffect(() => {
    const onCopy = (event: ClipboardEvent) => {
      const selection = getSelection();
      const isField = event.target instanceof Element && event.target.closest('input, textarea');
      if (isField || !selection || !list.current) return;
      const copied = joinSelected(messages, readSelection(selection, list.current), (message, text) =>
        texts.copied(
          times.stamp(message.at),
          message.isOwn ? own : name,
          message.picture ? texts.picture(text) : text,
        ),
      );
      if (copied === undefined) return;
      event.preventDefault();
      event.clipboardData?.setData('text/plain', copied);
    };
    // A selection that goes beyond the thread has its event elsewhere.
    document.addEventListener('copy', onCopy);
    return () => document.removeEventListener('copy', onCopy);
  }, [list, messages, name, own, texts, times]);
  return null;
}

function useOwnName(): string {
  const session = useSession();
  const { profile } = useOwnAccount();
  return session.state === 'signed_in' ? displayName({ username: session.session.username, ...profile }) : '';
}

function readSelection(selection: Selection, list: Element): SelectedMessages {
  // Firefox has a range on each side of what cannot be selected.
  const ranges = Array.from({ length: selection.rangeCount }, (_, i) => selection.getRangeAt(i)).filter(
    (range) => range.intersectsNode(list),
  );
  const texts = new Map<string, string>();
  for (const text of list.querySelectorAll<HTMLElement>('[data-key]')) {
    const selected = ranges.map((range) => textWithin(range, text)).join('');
    if (selected !== '') texts.set(text.dataset.key ?? '', selected);
  }
  return {
    texts,
    isFromTop: ranges.some((range) => range.comparePoint(list, 0) >= 0),
    isToEnd: ranges.some((range) => range.comparePoint(list, list.childNodes.length) <= 0),
  };
}

/** The text of the element that is in the range. */
function textWithin(range: Range, element: Element): string {
  if (!range.intersectsNode(element)) return '';
  const part = document.createRange();
  part.selectNodeContents(element);
  if (range.compareBoundaryPoints(Range.START_TO_START, part) > 0)
    part.setStart(range.startContainer, range.startOffset);
  if (range.compareBoundaryPoints(Range.END_TO_END, part) < 0)
    part.setEnd(range.endContainer, range.endOffset);
  return part.toString();
}
