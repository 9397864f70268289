import type { Conversation, Message } from 'doorman-client';
import {
  isBoolean,
  isNumber,
  isReactions,
  isString,
  list,
  optional,
  record,
} from '../../../data/persisted-shapes.ts';
import type { MessageRange } from '../messages/message-range.ts';

/** The last page of a conversation, as it is stored on this device. */
export interface PersistedThread extends MessageRange {
  /** Of the database whose message numbers these are. */
  readonly epoch: string;
  readonly peer: string;
  /** When it was stored, epoch milliseconds. */
  readonly at: number;
}

/** The list of conversations, as it is stored on this device. */
export interface PersistedChats {
  readonly conversations: readonly Conversation[];
  /** Read marks that the service has not confirmed. */
  readonly reads: readonly (readonly [peer: string, n: number])[];
  /** The message requests that were loaded, and how many wait; an older page stored neither. */
  readonly requests?: readonly Conversation[];
  readonly requestCount?: number;
}

/** The text that the user is writing to `peer`. */
export interface PersistedDraft {
  readonly peer: string;
  readonly text: string;
}

const isPicture = record<NonNullable<Message['picture']>>({
  id: isString,
  type: isString,
  size: isNumber,
  width: isNumber,
  height: isNumber,
});

const isMessage = record<Message>({
  n: isNumber,
  from: isString,
  cid: isString,
  body: isString,
  at: isNumber,
  replyTo: optional(isNumber),
  picture: optional(isPicture),
  editedAt: optional(isNumber),
  unsentAt: optional(isNumber),
  reactions: optional(isReactions),
});

export const isPersistedConversation = record<Conversation>({
  peer: isString,
  last: isMessage,
  unread: isNumber,
  received: isNumber,
  read: isNumber,
  ownRead: isNumber,
  revision: isNumber,
  mutedUntil: isNumber,
  pinnedAt: isNumber,
  archived: isNumber,
  markedUnread: isNumber,
  clearedN: isNumber,
});

export const isPersistedDraft = record<PersistedDraft>({ peer: isString, text: isString });

const hasThreadFields = record<PersistedThread>({
  epoch: isString,
  peer: isString,
  at: isNumber,
  hasOlder: isBoolean,
  messages: list(isMessage),
  quoted: list(isMessage),
  revision: isNumber,
});

export function isPersistedThread(value: unknown): value is PersistedThread {
  if (!hasThreadFields(value)) return false;
  return value.messages.every(({ n }, i) => i === 0 || n === (value.messages[i - 1]?.n ?? 0) + 1);
}
