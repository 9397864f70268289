import { type Static, Type } from 'typebox';
import { AccountSuspended } from '../accounts/schemas.ts';
import { SendBody, Stored } from '../chat/schemas.ts';
import { FriendState } from '../events/log-events.ts';
import { ErrorAnswer } from '../http/envelope.ts';
import { flag, text } from '../http/validation.ts';
import { BlockBody, FriendBody } from '../relations/schemas.ts';

const ID = '[^,]{1,64}';

export const PresenceQuery = Type.Object({
  ids: text({
    maxLength: 6_500,
    pattern: `^${ID}(?:,${ID}){0,99}$`,
    description: 'Ids of 1 to 100 users, separated by commas',
  }),
});

export const UserPresence = Type.Object({
  id: Type.String(),
  isOnline: flag(),
  lastSeen: Type.Integer({ description: 'Epoch milliseconds of going offline; 0 while online, or unknown' }),
});
export type UserPresence = Static<typeof UserPresence>;

const UserId = FriendBody.properties.userId;

export const SignInBody = Type.Object({
  userId: UserId,
  device: Type.Optional(
    text({
      maxLength: 1_000,
      description:
        "How the user's device names itself (User-Agent), of which 200 characters are kept; left out: the key",
    }),
  ),
  confirmed: Type.Optional(
    Type.Boolean({ description: 'Whether the user has just proved who they are, as by their password' }),
  ),
});
export type SignInBody = Static<typeof SignInBody>;

/** A refusal for want of a right has neither field. */
export const SignInRefused = Type.Object(
  {
    ...ErrorAnswer.properties,
    ...Type.Partial(Type.Pick(AccountSuspended, ['reason', 'until'])).properties,
  },
  { words: ['account_suspended'] },
);

export const SignedIn = Type.Object({ token: Type.String(), sessionId: Type.String() });

export const EndSessionsBody = Type.Object({
  userId: UserId,
  sessionId: Type.Optional(text({ minLength: 1, description: 'Left out: all sessions of the user' })),
});

export const EndedSessions = Type.Object({ ended: Type.Integer({ description: 'How many' }) });

export const SetFriendsBody = Type.Object({ userId: UserId, peerId: UserId, friends: Type.Boolean() });

export const SetFriendsAnswer = Type.Object({ state: FriendState });

export const BlockOfBody = Type.Object({ userId: UserId, ...BlockBody.properties });

const { to, cid, body } = SendBody.properties;
export const KeyMessage = Type.Object({ from: UserId, to, cid, body });
export type KeyMessage = Static<typeof KeyMessage>;

const LIST = { minItems: 1, maxItems: 100 };
/** Each message is read by itself, so that one that is malformed is refused alone. */
export const SendMessagesBody = Type.Object({
  messages: Type.Array(Type.Object({}), { ...LIST, described: Type.Array(KeyMessage, LIST) }),
});

/** What was stored, or the refusal. */
export const SentMessage = Type.Union([Type.Omit(Stored, ['peer']), Type.Omit(ErrorAnswer, ['code'])]);
