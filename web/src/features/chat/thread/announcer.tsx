import { VisuallyHidden } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTexts } from '../../../i18n/texts.tsx';
import { useConversations } from '../model/hooks.ts';
import type { MessageView } from '../model/views.ts';
import { oneLine } from './message-body.ts';

/** What is said is kept a little, since several messages may come at once. */
const KEPT = 5;

interface AnnouncerProps {
  peer: string;
  messages: readonly MessageView[];
  /** How the peer is called. */
  called: string;
}

/**
 * Says to screen readers what comes while the conversation is open, and at its opening how much was unread. The list
 * itself stays silent: it would read out pages of history, and each tick.
 */
export function Announcer({ peer, messages, called }: AnnouncerProps) {
  const texts = useTexts().chat;
  const [said, setSaid] = useState<readonly { key: string; text: string }[]>([]);
  const unreadBefore = useUnreadAtFirst(peer);
  const heardUpTo = useRef<number>(undefined);
  useEffect(() => {
    const last = messages.findLast(({ n }) => n !== undefined)?.n ?? 0;
    const heard = heardUpTo.current ?? last;
    heardUpTo.current = Math.max(heard, last);
    const news = messages
      .slice(-KEPT)
      .filter(({ n, isOwn }) => !isOwn && n !== undefined && n > heard)
      .map(({ key, body }) => ({ key, text: `${called}: ${oneLine(body)}` }));
    if (news.length > 0) setSaid((before) => [...before, ...news].slice(-KEPT));
  }, [messages, called]);
  return (
    <VisuallyHidden component="div" aria-live="polite" aria-relevant="additions" data-testid="announcer">
      {unreadBefore > 0 && <p>{texts.unread(unreadBefore)}</p>}
      {said.map(({ key, text }) => (
        <p key={key}>{text}</p>
      ))}
    </VisuallyHidden>
  );
}

/** Told a moment after the region is there: what a live region holds from the start is not read out. */
function useUnreadAtFirst(peer: string): number {
  const unread = useConversations().find((one) => one.peer === peer)?.unread ?? 0;
  const [first] = useState(unread);
  const [isTold, setTold] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setTold(true), 300);
    return () => clearTimeout(timer);
  }, []);
  return isTold ? first : 0;
}
