import { type Static, Type } from 'typebox';
import { columnsOf } from '../db/fragments.ts';
import { USER_ID_PATTERN } from '../db/ids.ts';
import { type Flag, flag, oneOf, type Refusal, text } from '../http/validation.ts';
import { refuseUnreadableName } from './names.ts';
import { PRIVACY_TABLE, type PrivacyRow } from './privacy.ts';
import { OwnFields, PROFILE_TABLE, type Profile, profileOf } from './profile-fields.ts';

/** The texts that interface 7 fixes. */
export const USERNAME_TAKEN: Refusal = ['username_taken', '用户名已存在'];
const USERNAME_LENGTH: Refusal = ['username_length', '用户名长度需在2-32之间'];

export const Username = text({
  minLength: 2,
  maxLength: 32,
  refusal: USERNAME_LENGTH,
  refine: refuseUnreadableName,
});

/** An id that a product chose for a new user. */
export const NewUserId = text({
  pattern: `^${USER_ID_PATTERN}$`,
  refusal: ['id_invalid', '用户 ID 不正确'],
  description: 'A letter or digit, then up to 63 of A-Z a-z 0-9 . _ : @ | ~ -',
});

/** How much of a message a notification shows (architecture 8.3). */
export const PushPreview = oneOf('PushPreview', ['full', 'sender', 'none']);
export type PushPreview = Static<typeof PushPreview>;

/** The caller's own user as login shows it (interface 4.4), without the token. */
export const OwnUser = Type.Object({
  id: Type.String(),
  username: Type.String(),
  ...OwnFields,
  push_enabled: flag(),
  dnd_enabled: flag(),
});
export type OwnUser = Static<typeof OwnUser>;

/** A complete row of `users`. Only `toX` functions make it into something that may be sent. */
export interface UserRow extends Profile, PrivacyRow {
  id: string;
  username: string;
  username_key: string;
  password_hash: string;
  push_enabled: Flag;
  dnd_enabled: Flag;
  push_preview: PushPreview;
  status: 'active' | 'suspended' | 'deleted';
  created_at: number;
}

/** For `asTable`. */
export const USER_TABLE = {
  id: 'text',
  username: 'text',
  username_key: 'text',
  password_hash: 'text',
  ...PROFILE_TABLE,
  push_enabled: 'bigint',
  dnd_enabled: 'bigint',
  push_preview: 'text',
  ...PRIVACY_TABLE,
  status: 'text',
  created_at: 'bigint',
} as const satisfies Record<keyof UserRow, 'text' | 'bigint'>;
/** A row with the names of its keys, and with the key by which nodes of the version before search nicknames. */
export const STORED_USER_TABLE = { ...USER_TABLE, nickname_key: 'text', keyed_names: 'text' } as const;
export const USER_COLUMNS = columnsOf<UserRow>(USER_TABLE);

export function toOwnUser(row: UserRow): OwnUser {
  const { id, username, push_enabled, dnd_enabled } = row;
  return { id, username, ...profileOf(row), push_enabled, dnd_enabled };
}
