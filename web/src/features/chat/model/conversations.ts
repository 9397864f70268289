import type { MarkedEvent, Message, MessageEvent, Conversation as WireConversation } from 'doorman-client';
import {
  countMessage,
  countRead,
  NO_UNREAD,
  recount,
  startCounter,
  type UnreadCounter,
  unreadOf,
} from './unread.ts';

/** A conversation as loaded, and changed by the events since. */
export interface Conversation {
  readonly peer: string;
  /** Absent while only a read mark is known. */
  readonly last: Message | undefined;
  readonly counter: UnreadCounter;
  /** The peer's marks. */
  readonly received: number;
  readonly read: number;
}

export function noConversation(peer: string): Conversation {
  return { peer, last: undefined, counter: NO_UNREAD, received: 0, read: 0 };
}

export function fromWire({ peer, last, unread, received, read, ownRead }: WireConversation): Conversation {
  return { peer, last, counter: startCounter(ownRead, last.n, unread), received, read };
}

/** In the service's form; `undefined` without messages. */
export function toWire({ peer, last, counter, received, read }: Conversation): WireConversation | undefined {
  if (!last) return undefined;
  const settings = { mutedUntil: 0, pinnedAt: 0, archived: 0, markedUnread: 0, clearedN: 0 } as const;
  const marks = { unread: unreadOf(counter), received, read, ownRead: counter.read };
  return { peer, last, ...marks, revision: 0, ...settings };
}

/** With a message of an event. A message that is known already changes nothing. */
export function withMessage(one: Conversation, { n, from, cid, body, at }: MessageEvent): Conversation {
  const shown = withStored(one, { n, from, cid, body, at });
  const counter = countMessage(one.counter, n, from !== one.peer);
  return counter === one.counter ? shown : { ...shown, counter };
}

/** With a stored message as the last one, if it is newer. */
function withStored(one: Conversation, message: Message): Conversation {
  return one.last && one.last.n >= message.n ? one : { ...one, last: message };
}

export function withMark(one: Conversation, { by, received, read }: MarkedEvent): Conversation {
  if (by !== one.peer) return withOwnRead(one, read);
  if (received <= one.received && read <= one.read) return one;
  return { ...one, received: Math.max(one.received, received), read: Math.max(one.read, read) };
}

export function withOwnRead(one: Conversation, read: number): Conversation {
  const counter = countRead(one.counter, read);
  return counter === one.counter ? one : { ...one, counter };
}

/** With the state that was loaded besides the events, as after a block, which holds events back. */
export function withFresh(one: Conversation, fresh: WireConversation): Conversation {
  const { last, unread, received, read, ownRead } = fresh;
  return {
    ...withStored(one, last),
    counter: recount(one.counter, ownRead, last.n, unread),
    received: Math.max(one.received, received),
    read: Math.max(one.read, read),
  };
}
