import { type Static, Type } from 'typebox';
import { EMAIL_INVALID } from '../accounts/address/schemas.ts';
import { hasPassword } from '../accounts/hashes/hash-formats.ts';
import { AccountSuspended, NewPassword } from '../accounts/schemas.ts';
import { MessageText, SendBody, Stored } from '../chat/schemas.ts';
import { USER_ID_PATTERN } from '../db/ids.ts';
import { FriendState } from '../events/log-events.ts';
import { ErrorAnswer } from '../http/envelope.ts';
import { cursor } from '../http/pages.ts';
import { flag, oneOf, text } from '../http/validation.ts';
import { BlockBody, FriendBody } from '../relations/schemas.ts';
import { OptionalFields } from '../users/profile-fields.ts';
import { NewUserId, OwnUser, toOwnUser, Username, type UserRow } from '../users/schemas.ts';

/** Users of one page. */
export const MAX_LISTED = 1_000;

export const PutUserBody = Type.Object({
  id: NewUserId,
  username: Username,
  ...OptionalFields,
  password: Type.Optional(NewPassword),
  verified_email: Type.Optional(
    text({
      refusal: EMAIL_INVALID,
      description:
        'An address that the product has verified: its user signs in by it, and gets mail. Empty: none',
    }),
  ),
});
export type PutUserBody = Static<typeof PutUserBody>;

export const AdminUser = Type.Object({
  ...OwnUser.properties,
  status: oneOf('AccountStatus', ['active', 'suspended', 'deleted']),
  created_at: Type.Integer({ description: 'Epoch milliseconds' }),
  hasPassword: Type.Boolean({ description: 'Without, the user signs in through the backend alone' }),
});
export type AdminUser = Static<typeof AdminUser>;

export function toAdminUser(row: UserRow): AdminUser {
  const { status, created_at, password_hash } = row;
  return { ...toOwnUser(row), status, created_at, hasPassword: hasPassword(password_hash) };
}

export const PutUserAnswer = Type.Object({
  created: Type.Boolean({ description: 'Whether there was no user with this id' }),
  user: AdminUser,
});

export const AdminUsersQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_LISTED, description: `${MAX_LISTED} if left out` }),
  ),
  after: Type.Optional(cursor(100, `^${USER_ID_PATTERN}$`)),
});

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

export const UserIdBody = Type.Object({ userId: UserId });

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

const { to, cid } = SendBody.properties;
export const KeyMessage = Type.Object({ from: UserId, to, cid, body: MessageText });
export type KeyMessage = Static<typeof KeyMessage>;

const LIST = { minItems: 1, maxItems: 100 };
/** Each message is read by itself, so that one that is malformed is refused alone. */
export const SendMessagesBody = Type.Object({
  messages: Type.Array(Type.Object({}), { ...LIST, described: Type.Array(KeyMessage, LIST) }),
});

/** What was stored, or the refusal. */
export const SentMessage = Type.Union([Type.Omit(Stored, ['peer']), Type.Omit(ErrorAnswer, ['code'])]);
