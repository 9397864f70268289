import { type Static, Type } from 'typebox';
import { type Refusal, text } from '../http/validation.ts';
import { refuseInvisibleNickname, refuseUnreadableName } from './names.ts';

/** The texts that interface 7 fixes. */
export const USERNAME_TAKEN: Refusal = ['username_taken', '用户名已存在'];
const USERNAME_LENGTH: Refusal = ['username_length', '用户名长度需在2-32之间'];
const PASSWORD_TOO_SHORT: Refusal = ['password_too_short', '密码长度不能少于6位'];
const PASSWORD_TOO_LONG: Refusal = ['password_too_long', '密码长度不能超过128位'];

export const Username = text({
  minLength: 2,
  maxLength: 32,
  refusal: USERNAME_LENGTH,
  judge: refuseUnreadableName,
});
export const Nickname = text({
  maxLength: 64,
  judge: refuseInvisibleNickname,
  description: 'Empty: the username',
});
export const NewPassword = text({
  minLength: 6,
  maxLength: 128,
  refusal: PASSWORD_TOO_SHORT,
  tooLong: PASSWORD_TOO_LONG,
});
export const Email = text({
  maxLength: 254,
  pattern: '^$|^[^\\s@]+@[^\\s@]+$',
  description: 'A plausible address, or empty',
});
export const Avatar = text({
  maxLength: 2048,
  description: 'http(s) without credentials, a relative reference, or empty',
});

export const RegisterBody = Type.Object({
  username: Username,
  password: NewPassword,
  nickname: Type.Optional(Nickname),
  email: Type.Optional(Email),
  avatar: Type.Optional(Avatar),
});
export type RegisterBody = Static<typeof RegisterBody>;

export const LoginBody = Type.Object({ username: text(), password: text() });
export const ChangePasswordBody = Type.Object({ oldPassword: text(), newPassword: NewPassword });
export const NoFields = Type.Object({}, { description: 'May be left out' });
export const EndSessionBody = Type.Object({ id: text({ minLength: 1 }) });

export const Registered = Type.Object({
  id: Type.String(),
  username: Type.String(),
  nickname: Type.String(),
  email: Type.String(),
  token: Type.String(),
});

/** The caller's own user as login shows it (interface 4.4), without the token. */
export const OwnUser = Type.Object({
  id: Type.String(),
  username: Type.String(),
  nickname: Type.String(),
  email: Type.String(),
  avatar: Type.String(),
  gender: Type.String(),
  bio: Type.String(),
  phone: Type.String(),
  push_enabled: Type.Integer(),
  dnd_enabled: Type.Integer(),
});
export type OwnUser = Static<typeof OwnUser>;

export const LoggedIn = Type.Object({ ...OwnUser.properties, token: Type.String() });
export const FreshToken = Type.Object({ token: Type.String() });

/** RFC 7517, 5; Ed25519 keys as RFC 8037 spells them. */
export const KeySet = Type.Object({
  keys: Type.Array(
    Type.Object({
      kty: Type.String(),
      crv: Type.String(),
      x: Type.String(),
      kid: Type.String(),
      alg: Type.String(),
      use: Type.String(),
    }),
  ),
});

export const SessionEntry = Type.Object({
  id: Type.String(),
  device: Type.String({ description: "The client's own word for itself (User-Agent)" }),
  create_time: Type.Integer({ description: 'Epoch milliseconds' }),
  last_used: Type.Integer({ description: 'Epoch milliseconds, exact to the hour' }),
  current: Type.Integer({ description: '1 for the session of this call' }),
});
export type SessionEntry = Static<typeof SessionEntry>;

/** A row of `users`, whole. Only `toX` functions turn it into something that may leave the process. */
export interface UserRow {
  id: string;
  username: string;
  username_key: string;
  password_hash: string;
  nickname: string;
  email: string;
  avatar: string;
  gender: string;
  bio: string;
  phone: string;
  push_enabled: number;
  dnd_enabled: number;
  push_preview: string;
  status: 'active' | 'suspended' | 'deleted';
  created_at: number;
}

export function toOwnUser(row: UserRow): OwnUser {
  const { id, username, nickname, email, avatar, gender, bio, phone, push_enabled, dnd_enabled } = row;
  return { id, username, nickname, email, avatar, gender, bio, phone, push_enabled, dnd_enabled };
}
