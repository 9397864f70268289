import { useEffect, useRef, useState } from 'react';
import { useTexts } from '../../../i18n/texts.tsx';
import { VisuallyHidden } from '../../../ui/controls/visually-hidden.tsx';
import { useConversations } from '../model/hooks.ts';
import type { MessageView } from '../model/views.ts';
import { excerpt } from '../text/message-body.ts';

/** How many announced messages stay in the region, as several may arrive at once. */
const MAX_ANNOUNCED = 5;

export interface AnnouncerProps {
  peer: string;
  messages: readonly MessageView[];
  /** The name of the peer, for sentences. */
  name: string;
}

/**
 * Announces to screen readers the messages that arrive while the conversation is open, and how many were unread when it
 * was opened. The list itself is no live region: it would read out pages of history, and each delivery status.
 */
export function Announcer({ peer, messages, name }: AnnouncerProps) {
  const texts = useTexts().chat;
  const [lines, setLines] = useState<readonly { key: string; text: string }[]>([]);
  const unreadBefore = useUnreadAtFirst(peer);
  const announcedUpTo = useRef<number>(undefined);
  useEffect(() => {
    const last = messages.findLast(({ n }) => n !== undefined)?.n ?? 0;
    const announced = announcedUpTo.current ?? last;
    announcedUpTo.current = Math.max(announced, last);
    const arrived = messages
      .slice(-MAX_ANNOUNCED)
      .filter(({ n, isOwn, isUnsent }) => !isOwn && !isUnsent && n !== undefined && n > announced)
      .map((message) => ({ key: message.key, text: `${name}: ${excerpt(message, texts.picture)}` }));
    if (arrived.length > 0) setLines((before) => [...before, ...arrived].slice(-MAX_ANNOUNCED));
  }, [messages, name, texts]);
  return (
    <VisuallyHidden component="div" aria-live="polite" aria-relevant="additions" data-testid="announcer">
      {unreadBefore > 0 && <p>{texts.unread(unreadBefore)}</p>}
      {lines.map(({ key, text }) => (
        <p key={key}>{text}</p>
      ))}
    </VisuallyHidden>
  );
}

/** The unread count at the opening, 0.3 s late: screen readers do not read what a live region has from the start. */
function useUnreadAtFirst(peer: string): number {
  const unread = useConversations().find((one) => one.peer === peer)?.unread ?? 0;
  const [first] = useState(unread);
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setReady(true), 300);
    return () => clearTimeout(timer);
  }, []);
  return isReady ? first : 0;
}
