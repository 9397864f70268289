import { type Static, Type } from 'typebox';
import { flag } from '../http/validation.ts';
import { avatarFirst, OptionalFields, PublicFields } from '../users/profile-fields.ts';
import { OwnUser } from '../users/schemas.ts';

const { nickname, avatar, email, ...others } = OptionalFields;
/** In the order of interface 4.8, which decides which error comes first. */
export const ProfileBody = Type.Object({ nickname, avatar, ...others, email });
export type ProfileBody = Static<typeof ProfileBody>;

/** The public profile (interface 4.7), without `isOnline`, which is looked up at each answer. */
export const PublicUser = Type.Object({
  id: Type.String(),
  username: Type.String(),
  ...PublicFields,
  phone: Type.String({ description: 'Partly masked' }),
});
export type PublicUser = Static<typeof PublicUser>;

export const PublicProfile = Type.Object({ ...PublicUser.properties, isOnline: flag() });

const { id, username, ...own } = OwnUser.properties;
/** The caller's own user in the order of interface 4.8, which is another one than that of login. */
export const OwnProfile = Type.Object({ id, username, ...avatarFirst(own) });
