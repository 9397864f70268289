import { type Static, Type } from 'typebox';
import { columnsOf } from '../db/fragments.ts';
import { type Flag, oneOf } from '../http/validation.ts';

const WhoMessages = oneOf('WhoMessages', ['everyone', 'requests', 'friends'], {
  description: 'requests: the first message of a stranger waits until it is accepted',
});
const WhoFriendRequests = oneOf('WhoFriendRequests', ['everyone', 'nobody']);
const WhoPresence = oneOf('WhoPresence', ['everyone', 'friends', 'nobody'], {
  description:
    'Who sees whether the user is online, and when they were last seen; they see the same of others',
});

/** Who may reach a user, and what others see of them. Where a user has chosen nothing, everything is as before there was a choice. */
export const Privacy = Type.Object({
  messages: WhoMessages,
  friend_requests: WhoFriendRequests,
  presence: WhoPresence,
  read_receipts: Type.Boolean(),
  listed: Type.Boolean(),
});
export type Privacy = Static<typeof Privacy>;

export const PrivacyBody = Type.Partial(
  Type.Object({
    messages: WhoMessages,
    friendRequests: WhoFriendRequests,
    presence: WhoPresence,
    readReceipts: Type.Boolean(),
    listed: Type.Boolean(),
  }),
);
export type PrivacyBody = Static<typeof PrivacyBody>;

/** Columns of `users`. */
export interface PrivacyRow {
  who_messages: Privacy['messages'];
  who_friend_requests: Privacy['friend_requests'];
  who_presence: Privacy['presence'];
  shows_read: Flag;
  is_listed: Flag;
}

/** For `asTable`. */
export const PRIVACY_TABLE = {
  who_messages: 'text',
  who_friend_requests: 'text',
  who_presence: 'text',
  shows_read: 'bigint',
  is_listed: 'bigint',
} as const satisfies Record<keyof PrivacyRow, 'text' | 'bigint'>;

export const PRIVACY_COLUMNS = columnsOf<PrivacyRow>(PRIVACY_TABLE);

export const OPEN_TO_EVERYONE: PrivacyRow = {
  who_messages: 'everyone',
  who_friend_requests: 'everyone',
  who_presence: 'everyone',
  shows_read: 1,
  is_listed: 1,
};

export function toPrivacy(row: PrivacyRow): Privacy {
  return {
    messages: row.who_messages,
    friend_requests: row.who_friend_requests,
    presence: row.who_presence,
    read_receipts: row.shows_read === 1,
    listed: row.is_listed === 1,
  };
}

/** The columns alone, as the operator's commands show and export them. */
export function privacyRowOf(row: PrivacyRow): PrivacyRow {
  const { who_messages, who_friend_requests, who_presence, shows_read, is_listed } = row;
  return { who_messages, who_friend_requests, who_presence, shows_read, is_listed };
}
