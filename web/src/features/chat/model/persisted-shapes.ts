import type { Conversation, Message } from 'doorman-client';
import { isBoolean, isNumber, isString, list, record } from '../../../data/persisted-shapes.ts';
import type { MessageRange } from './message-range.ts';

/** The last page of a conversation. */
export interface KeptThread extends MessageRange {
  readonly epoch: string;
  readonly peer: string;
  /** When it was kept, epoch milliseconds. */
  readonly at: number;
}

const isMessage = record<Message>({
  n: isNumber,
  from: isString,
  cid: isString,
  body: isString,
  at: isNumber,
});

export const isKeptConversation = record<Conversation>({
  peer: isString,
  last: isMessage,
  unread: isNumber,
  received: isNumber,
  read: isNumber,
  ownRead: isNumber,
});

const hasThreadFields = record<KeptThread>({
  epoch: isString,
  peer: isString,
  at: isNumber,
  hasOlder: isBoolean,
  messages: list(isMessage),
});

export function isKeptThread(value: unknown): value is KeptThread {
  if (!hasThreadFields(value)) return false;
  return value.messages.every(({ n }, i) => i === 0 || n === (value.messages[i - 1]?.n ?? 0) + 1);
}
