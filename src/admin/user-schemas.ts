import { type Static, Type } from 'typebox';
import { EMAIL_INVALID } from '../accounts/address/schemas.ts';
import { hasPassword } from '../accounts/hashes/hash-formats.ts';
import { NewPassword } from '../accounts/schemas.ts';
import { USER_ID_PATTERN } from '../db/ids.ts';
import { cursor } from '../http/pages.ts';
import { oneOf, text } from '../http/validation.ts';
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

export const UserIdBody = Type.Object({ userId: text({ minLength: 1, maxLength: 100 }) });
