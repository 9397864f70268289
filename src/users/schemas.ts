import { type Static, Type } from 'typebox';
import { columnsOf } from '../db/fragments.ts';
import { type Flag, flag, oneOf, type Refusal, text } from '../http/validation.ts';
import { refuseInvisibleNickname, refuseUnreadableName } from './names.ts';

/** The texts that interface 7 fixes. */
export const USERNAME_TAKEN: Refusal = ['username_taken', '用户名已存在'];
const USERNAME_LENGTH: Refusal = ['username_length', '用户名长度需在2-32之间'];

export const Username = text({
  minLength: 2,
  maxLength: 32,
  refusal: USERNAME_LENGTH,
  refine: refuseUnreadableName,
});
export const Nickname = text({
  maxLength: 64,
  refine: refuseInvisibleNickname,
  description: 'Empty: the username',
});
export const Email = text({
  maxLength: 254,
  pattern: '^$|^[^\\s@]+@[^\\s@]+$',
  description: 'A plausible address, or empty',
});
export const Avatar = text({
  maxLength: 2048,
  description: 'http(s) without credentials, relative to the root of the service, or empty',
});

/** Interface 2.1. */
export const Gender = oneOf('Gender', ['', 'male', 'female', 'secret']);
export type Gender = Static<typeof Gender>;

/** How much of a message a notification shows (architecture 8.3). */
export const PushPreview = oneOf('PushPreview', ['full', 'sender', 'none']);
export type PushPreview = Static<typeof PushPreview>;

/** The caller's own user as login shows it (interface 4.4), without the token. */
export const OwnUser = Type.Object({
  id: Type.String(),
  username: Type.String(),
  nickname: Type.String(),
  email: Type.String(),
  avatar: Type.String(),
  gender: Gender,
  bio: Type.String(),
  phone: Type.String(),
  push_enabled: flag(),
  dnd_enabled: flag(),
});
export type OwnUser = Static<typeof OwnUser>;

/** A complete row of `users`. Only `toX` functions make it into something that may be sent. */
export interface UserRow {
  id: string;
  username: string;
  username_key: string;
  password_hash: string;
  nickname: string;
  email: string;
  avatar: string;
  gender: Gender;
  bio: string;
  phone: string;
  push_enabled: Flag;
  dnd_enabled: Flag;
  push_preview: PushPreview;
  status: 'active' | 'suspended' | 'deleted';
  created_at: number;
}

export const USER_COLUMNS = columnsOf<UserRow>({
  id: true,
  username: true,
  username_key: true,
  password_hash: true,
  nickname: true,
  email: true,
  avatar: true,
  gender: true,
  bio: true,
  phone: true,
  push_enabled: true,
  dnd_enabled: true,
  push_preview: true,
  status: true,
  created_at: true,
});

export function toOwnUser(row: UserRow): OwnUser {
  const { id, username, nickname, email, avatar, gender, bio, phone, push_enabled, dnd_enabled } = row;
  return { id, username, nickname, email, avatar, gender, bio, phone, push_enabled, dnd_enabled };
}
