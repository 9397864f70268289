import { type Static, Type } from 'typebox';
import { NextPage, PageFields } from '../http/pages.ts';
import { oneOf, text } from '../http/validation.ts';

const UserId = text({ minLength: 1, maxLength: 100 });

export const SendBody = Type.Object(
  {
    to: UserId,
    cid: text({
      minLength: 1,
      maxLength: 64,
      description: "The sender's own name for the message, such as a UUID",
    }),
    body: text({ minLength: 1, maxLength: 4000 }),
  },
  { examples: [{ to: '01980a7e-5b1c-7d60-8f2e-3a9b4c5d6e7f', cid: 'd1b5', body: 'Tea at five?' }] },
);
export type SendBody = Static<typeof SendBody>;

export const MarkBody = Type.Object({
  peer: UserId,
  read: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
});
export type MarkBody = Static<typeof MarkBody>;

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
});
export type Message = Static<typeof Message>;

export const HistoryPage = Type.Object({ items: Type.Array(Message), more: Type.Boolean() });
export type HistoryPage = Static<typeof HistoryPage>;

export const Conversation = Type.Object({
  peer: Type.String(),
  last: Message,
  unread: Type.Integer(),
  received: Type.Integer({ description: "Number of the last message that the peer's devices have" }),
  read: Type.Integer({ description: 'Number of the last message that the peer has read' }),
  ownRead: Type.Integer({ description: 'Number of the last message that the caller has read' }),
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
