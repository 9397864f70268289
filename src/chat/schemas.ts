import { type Static, Type } from 'typebox';
import { ConversationSettings, LOG_EVENTS, MESSAGE_CHANGES } from '../events/log-events.ts';
import { NextPage, PageFields } from '../http/pages.ts';
import { flag, oneOf, text } from '../http/validation.ts';

const UserId = text({ minLength: 1, maxLength: 100 });
const messageNumber = (description: string) =>
  Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description });
const CHANGED = { peer: UserId, n: messageNumber('Number of the message') };
export const MessageText = text({ minLength: 1, maxLength: 4000 });

export const SendBody = Type.Object(
  {
    to: UserId,
    cid: text({
      minLength: 1,
      maxLength: 64,
      description: "The sender's own name for the message, such as a UUID",
    }),
    body: text({ maxLength: 4000, description: 'Empty only with a picture' }),
    replyTo: Type.Optional(messageNumber('Number of the message of this conversation that it answers')),
    picture: Type.Optional(
      text({
        minLength: 1,
        maxLength: 64,
        description: 'Id of a picture that the caller uploaded, and that is in no message',
      }),
    ),
  },
  { examples: [{ to: '01980a7e-5b1c-7d60-8f2e-3a9b4c5d6e7f', cid: 'd1b5', body: 'Tea at five?' }] },
);
export type SendBody = Static<typeof SendBody>;

export const MarkBody = Type.Object({
  peer: UserId,
  read: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
});
export type MarkBody = Static<typeof MarkBody>;

export const UnsendBody = Type.Object(CHANGED);
export type UnsendBody = Static<typeof UnsendBody>;

export const EditBody = Type.Object({ ...CHANGED, body: MessageText });
export type EditBody = Static<typeof EditBody>;

export const ReactBody = Type.Object({
  ...CHANGED,
  emoji: text({ maxLength: 1000, description: 'Exactly one emoji; empty: none any more' }),
});
export type ReactBody = Static<typeof ReactBody>;

export const UnsentAnswer = Type.Object({
  peer: Type.String(),
  n: Type.Integer(),
  unsentAt: Type.Integer({ description: 'Epoch milliseconds' }),
});
export type UnsentAnswer = Static<typeof UnsentAnswer>;

export const EditedAnswer = Type.Object({
  peer: Type.String(),
  n: Type.Integer(),
  editedAt: Type.Integer({ description: 'Epoch milliseconds; 0 if it still has its first text' }),
});
export type EditedAnswer = Static<typeof EditedAnswer>;

export const ReactedAnswer = Type.Object({
  peer: Type.String(),
  n: Type.Integer(),
  emoji: Type.String(),
});
export type ReactedAnswer = Static<typeof ReactedAnswer>;

/** The largest time that a Date can hold. */
const MAX_TIME = 8_640_000_000_000_000;
export const ConversationBody = Type.Object({
  peer: UserId,
  mutedUntil: Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_TIME, description: 'Epoch milliseconds; 0: not muted' }),
  ),
  pinned: Type.Optional(flag()),
  archived: Type.Optional(flag()),
  markedUnread: Type.Optional(flag()),
});
export type ConversationBody = Static<typeof ConversationBody>;

export const ClearBody = Type.Object({
  peer: UserId,
  n: messageNumber('The last message to be deleted for the caller; above the last of all: that one'),
});
export type ClearBody = Static<typeof ClearBody>;

/** How the caller keeps a conversation, with the id of its peer. */
export const KeptConversation = LOG_EVENTS.conversation;
export type KeptConversation = Static<typeof KeptConversation>;

export const TypingFields = Type.Object({ to: UserId });

export const HistoryFields = Type.Object({
  peer: UserId,
  before: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  after: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
});
export type HistoryFields = Static<typeof HistoryFields>;

export const Stored = Type.Object({
  peer: Type.String(),
  n: Type.Integer({ description: "The message's number in the conversation" }),
  at: Type.Integer({ description: 'Epoch milliseconds' }),
  duplicate: Type.Boolean({ description: 'Whether this cid was stored before' }),
});
export type Stored = Static<typeof Stored>;

export const Message = Type.Object({
  n: Type.Integer(),
  from: Type.String(),
  cid: Type.String(),
  body: Type.String(),
  at: Type.Integer({ description: 'Epoch milliseconds' }),
  ...MESSAGE_CHANGES,
});
export type Message = Static<typeof Message>;

const Revision = Type.Integer({
  description:
    'How many changes of messages the conversation has had: another one than before means that older messages may differ',
});
export const HistoryPage = Type.Object({
  items: Type.Array(Message),
  more: Type.Boolean(),
  quoted: Type.Array(Message, {
    description: 'The messages that those of the page answer, and that are not among them',
  }),
  revision: Revision,
  clearedN: ConversationSettings.properties.clearedN,
});
export type HistoryPage = Static<typeof HistoryPage>;

export const Conversation = Type.Object({
  peer: Type.String(),
  last: Message,
  unread: Type.Integer(),
  received: Type.Integer({ description: "Number of the last message that the peer's devices have" }),
  read: Type.Integer({ description: 'Number of the last message that the peer has read' }),
  ownRead: Type.Integer({ description: 'Number of the last message that the caller has read' }),
  revision: Revision,
  ...ConversationSettings.properties,
});
export type Conversation = Static<typeof Conversation>;

/** How a user is shown in a list. */
export const PersonName = Type.Object({
  id: Type.String(),
  username: Type.String(),
  nickname: Type.String(),
  avatar: Type.String(),
});
export type PersonName = Static<typeof PersonName>;

export const ConversationPage = Type.Object({
  items: Type.Array(Conversation),
  pinned: Type.Optional(
    Type.Array(Conversation, {
      description: 'The pinned conversations, the latest pin first; only on the first page of the list',
    }),
  ),
  people: Type.Array(PersonName, { description: 'The peers of these conversations, except deleted users' }),
  next: NextPage,
});
export type ConversationPage = Static<typeof ConversationPage>;

/** Left out: neither what waits for an answer, nor what was declined. */
const ConversationList = Type.Optional(
  oneOf('ConversationList', ['requests'], { description: 'Those that wait among the message requests' }),
);
export const ConversationsFields = Type.Object({
  ...PageFields,
  peer: Type.Optional(UserId),
  list: ConversationList,
});
export type ConversationsFields = Static<typeof ConversationsFields>;

export const MarkedAnswer = Type.Object({
  peer: Type.String(),
  received: Type.Integer(),
  read: Type.Integer(),
});
