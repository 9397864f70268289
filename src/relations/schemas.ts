import { type Static, Type } from 'typebox';
import { FriendState, LOG_EVENTS } from '../events/log-events.ts';
import { NextPage, PageFields } from '../http/pages.ts';
import { oneOf, text } from '../http/validation.ts';

export const BlockBody = Type.Object({ blockedId: text({ minLength: 1 }) });

/** Interface 2.2. */
export const BlockedUser = Type.Object({
  id: Type.String(),
  username: Type.String(),
  avatar: Type.String(),
  create_time: Type.Integer({ description: 'Epoch milliseconds' }),
});
export type BlockedUser = Static<typeof BlockedUser>;

export const BlockedPage = Type.Object({ items: Type.Array(BlockedUser), next: NextPage });
export type BlockedPage = Static<typeof BlockedPage>;

/** Both parameters are our addition and optional: without them the whole list is sent, as interface 4.12 shows. */
export const BlockedQuery = Type.Object(PageFields);

export const MessageRequestBody = Type.Object({
  peer: text({ minLength: 1, maxLength: 100, description: 'Id of the stranger who wrote' }),
  act: oneOf('MessageRequestAct', ['accept', 'decline']),
});
export type MessageRequestBody = Static<typeof MessageRequestBody>;

/** As in the event of the same name. */
export const MessageRequestAnswer = LOG_EVENTS.message_request;
export type MessageRequestAnswer = Static<typeof MessageRequestAnswer>;

export const FriendBody = Type.Object({ userId: text({ minLength: 1, maxLength: 100 }) });

export const FRIEND_ACTIONS = ['request', 'cancel', 'accept', 'decline', 'remove'] as const;
export type FriendAction = (typeof FRIEND_ACTIONS)[number];

/** The body of the frame `friend`; over HTTP the path names the action. */
export const FriendFields = Type.Object({
  op: oneOf('FriendAction', FRIEND_ACTIONS),
  ...FriendBody.properties,
});

export const FriendEntry = Type.Object({
  id: Type.String(),
  username: Type.String(),
  nickname: Type.String(),
  avatar: Type.String(),
  state: oneOf('FriendEntryState', ['friends', 'requested', 'asked'], {
    description: 'requested: by the caller; asked: by the other user',
  }),
  at: Type.Integer({ description: 'Epoch milliseconds of the last change' }),
});
export type FriendEntry = Static<typeof FriendEntry>;

/** One of the caller's lists: friends, or open requests in both directions; both lists if left out. */
const FriendList = Type.Optional(oneOf('FriendList', ['friends', 'requests']));
export const FriendsFields = Type.Object({ ...PageFields, list: FriendList });
export type FriendsFields = Static<typeof FriendsFields>;

export const FriendPage = Type.Object({ items: Type.Array(FriendEntry), next: NextPage });
export type FriendPage = Static<typeof FriendPage>;

export const FriendAnswer = Type.Object({ userId: Type.String(), state: FriendState });
