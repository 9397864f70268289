import { type Static, Type } from 'typebox';
import { flag, text } from '../http/validation.ts';
import { Avatar, Email, Gender, Nickname, OwnUser } from '../users/schemas.ts';

/** Bounds are our choice: interface 2.1 does not show them. */
export const ProfileBody = Type.Object({
  nickname: Type.Optional(Nickname),
  avatar: Type.Optional(Avatar),
  gender: Type.Optional(Gender),
  bio: Type.Optional(text({ maxLength: 1000 })),
  phone: Type.Optional(text({ maxLength: 32, pattern: '^[0-9+\\-(). ]*$' })),
  email: Type.Optional(Email),
});
export type ProfileBody = Static<typeof ProfileBody>;

/** The public profile (interface 4.7), without `isOnline`, which is looked up at each answer. */
export const PublicUser = Type.Object({
  id: Type.String(),
  username: Type.String(),
  avatar: Type.String(),
  nickname: Type.String(),
  gender: Gender,
  bio: Type.String(),
  phone: Type.String({ description: 'Partly masked' }),
});
export type PublicUser = Static<typeof PublicUser>;

export const PublicProfile = Type.Object({ ...PublicUser.properties, isOnline: flag() });

const { id, username, avatar, ...others } = OwnUser.properties;
/** The caller's own user in the order of interface 4.8, which is another one than that of login. */
export const OwnProfile = Type.Object({ id, username, avatar, ...others });
