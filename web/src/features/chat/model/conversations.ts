import type { MarkedEvent, Message, MessageEvent, Conversation as WireConversation } from 'doorman-client';
import type { ChangeMessage, ChangeOfMessage } from '../messages/message-changes.ts';
import {
  countMessage,
  countRead,
  countUnsent,
  NO_UNREAD,
  recount,
  startCounter,
  type UnreadCounter,
  unreadOf,
} from './unread.ts';

/** How the user keeps a conversation. */
type ConversationSettings = Pick<
  WireConversation,
  'mutedUntil' | 'pinnedAt' | 'archived' | 'markedUnread' | 'clearedN'
>;

/** A conversation as loaded, and changed by the events since. */
export interface Conversation {
  readonly peer: string;
  /** Absent while only a mark or the settings are known, and when the user has deleted all messages. */
  readonly last: Message | undefined;
  readonly counter: UnreadCounter;
  /** The peer's marks. */
  readonly received: number;
  readonly read: number;
  readonly revision: number;
  /** `mutedUntil` is 0 if it had passed when the conversation was loaded. */
  readonly settings: ConversationSettings;
  /** The `seq` of the event that the settings are of; 0: they were loaded. */
  readonly settingsAt: number;
}

export function noConversation(peer: string): Conversation {
  return {
    peer,
    last: undefined,
    counter: NO_UNREAD,
    received: 0,
    read: 0,
    revision: 0,
    settings: { mutedUntil: 0, pinnedAt: 0, archived: 0, markedUnread: 0, clearedN: 0 },
    settingsAt: 0,
  };
}

export function fromWire(wire: WireConversation): Conversation {
  const { peer, last, unread, received, read, ownRead, revision } = wire;
  const counter = startCounter(ownRead, last.n, unread);
  return { peer, last, counter, received, read, revision, settings: toSettings(wire), settingsAt: 0 };
}

/** In the service's form; `undefined` without messages. */
export function toWire(one: Conversation): WireConversation | undefined {
  const { peer, last, counter, received, read, revision, settings } = one;
  const ownRead = counter.read;
  return last && { peer, last, unread: unreadOf(counter), received, read, ownRead, revision, ...settings };
}

/** With a message of an event. A message that is known already changes nothing. */
export function withMessage(one: Conversation, event: MessageEvent): Conversation {
  const { n, from, at, seq, unsentAt } = event;
  const shown = withStored(one, toMessage(event));
  const counter = countMessage(one.counter, n, from !== one.peer || unsentAt !== undefined);
  if (counter === one.counter) return shown;
  const { settings } = one;
  // It comes back from the archive, unless it is muted.
  if (!settings.archived || settings.mutedUntil > at) return { ...shown, counter };
  return { ...shown, counter, settings: { ...settings, archived: 0 }, settingsAt: seq };
}

/** The message of an event. */
export function toMessage({ peer: _, seq: _seq, request: _request, ...message }: MessageEvent): Message {
  return message;
}

/** With a stored message as the last one, if it is newer. */
function withStored(one: Conversation, message: Message): Conversation {
  return one.last && one.last.n >= message.n ? one : { ...one, last: message };
}

/**
 * With a message changed by an event. A change that was loaded with the conversation changes nothing.
 *
 * @param change absent: it is not known
 */
export function withChange(
  one: Conversation,
  { n, by, revision }: ChangeOfMessage,
  change: ChangeMessage | undefined,
  isUnsent: boolean,
): Conversation {
  const { peer, last, counter } = one;
  if (revision <= one.revision) return one;
  return {
    ...one,
    revision,
    last: last?.n === n && change ? change(last) : last,
    counter: isUnsent && by === peer ? countUnsent(counter, n) : counter,
  };
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

/**
 * With the settings of an event. Without a last message, which was deleted, the messages of later events are counted alone; if only
 * some were deleted, how many of the others are unread is not known.
 */
export function withSettings(
  one: Conversation,
  event: ConversationSettings & { readonly seq: number },
): Conversation {
  const settings = toSettings(event);
  const changed = { ...one, settings, settingsAt: event.seq };
  if (!one.last || one.last.n > settings.clearedN) return changed;
  return { ...changed, last: undefined, counter: startCounter(one.counter.read, 0, 0) };
}

/**
 * With the state that was loaded besides the events, as after a block, which holds events back.
 *
 * @param seq up to which events `fresh` includes
 */
export function withFresh(one: Conversation, fresh: WireConversation, seq: number): Conversation {
  const { last, unread, received, read, ownRead, revision } = fresh;
  // It has messages that the user has deleted since.
  if (seq < one.settingsAt && last.n <= one.settings.clearedN) return one;
  // Of the same message the one with more changes counts.
  const isKnown = one.last && (one.last.n > last.n || (one.last.n === last.n && one.revision > revision));
  return {
    ...one,
    last: isKnown ? one.last : last,
    counter: recount(one.counter, ownRead, last.n, unread),
    received: Math.max(one.received, received),
    read: Math.max(one.read, read),
    revision: Math.max(one.revision, revision),
    ...(seq >= one.settingsAt && { settings: toSettings(fresh) }),
  };
}

function toSettings(of: ConversationSettings): ConversationSettings {
  const { mutedUntil, pinnedAt, archived, markedUnread, clearedN } = of;
  const isMuted = mutedUntil > Date.now();
  return { mutedUntil: isMuted ? mutedUntil : 0, pinnedAt, archived, markedUnread, clearedN };
}
