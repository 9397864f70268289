import { type Static, Type } from 'typebox';
import { findHashFault } from '../../accounts/hashes/hash-formats.ts';
import { NewPassword } from '../../accounts/schemas.ts';
import { readFields, text } from '../../http/validation.ts';
import { parseAddress } from '../../mail/address.ts';
import { SettingsBody } from '../../settings/schemas.ts';
import { PrivacyBody, privacyRowOf } from '../../users/privacy.ts';
import { OptionalFields, profileOf } from '../../users/profile-fields.ts';
import { NewUserId, Username, type UserRow } from '../../users/schemas.ts';

/** Epoch milliseconds, up to the year 9999. */
export const MOMENT = Type.Integer({ minimum: 0, maximum: 253_402_300_799_999 });
const Flag = Type.Union([Type.Literal(0), Type.Literal(1)]);
const { messages, friendRequests, presence } = PrivacyBody.properties;
const PrivacyFields = {
  who_messages: messages,
  who_friend_requests: friendRequests,
  who_presence: presence,
  shows_read: Type.Optional(Flag),
  is_listed: Type.Optional(Flag),
};

/** One user as `export` writes and `import` reads them. Only the name and one of the two passwords are required. */
const UserLine = Type.Object({
  id: Type.Optional(NewUserId),
  username: Username,
  password_hash: Type.Optional(text()),
  password: Type.Optional(NewPassword),
  ...OptionalFields,
  verified_email: Type.Optional(text()),
  delete_at: Type.Optional(MOMENT),
  push_enabled: Type.Optional(Flag),
  dnd_enabled: Type.Optional(Flag),
  push_preview: SettingsBody.properties.pushPreview,
  ...PrivacyFields,
  created_at: Type.Optional(MOMENT),
  status: Type.Optional(
    Type.Union([Type.Literal('active'), Type.Literal('suspended'), Type.Literal('deleted')]),
  ),
});

export interface UserToImport {
  /** The fields of the line, checked by the rules of registration and of the profile. */
  readonly fields: Omit<
    Static<typeof UserLine>,
    'password' | 'password_hash' | 'verified_email' | 'delete_at'
  >;
  /** That the user has verified. */
  readonly address: string | undefined;
  readonly password: string | undefined;
  /** '' with a password. */
  readonly passwordHash: string;
  /** When the account is erased, epoch milliseconds, unless its user undoes the deletion that they asked for. */
  readonly deleteAt: number | undefined;
}

/** What a version before wrote of an erased user: a name, which is left out. */
export const ERASED_LINE = { reason: 'is that of an erased user' };

/**
 * Reads the line of a user.
 *
 * @throws {ServiceError} for a field that the rules of registration or of the profile refuse
 * @returns the reason, for the operator, if the line is refused for another cause
 */
export function readUserLine(body: object): UserToImport | { readonly reason: string } {
  const {
    password,
    password_hash,
    verified_email,
    delete_at: deleteAt,
    ...fields
  } = readFields(UserLine, body);
  const isDeleted = fields.status === 'deleted';
  if (isDeleted && !password_hash && password === undefined) return ERASED_LINE;
  if (deleteAt !== undefined && !isDeleted)
    return { reason: 'delete_at is that of a user who is not deleted' };
  const reason = findSecretFault(password, password_hash);
  if (reason !== undefined) return { reason };
  const address = verified_email === undefined ? undefined : parseAddress(verified_email);
  if (verified_email !== undefined && address === undefined) return { reason: 'verified_email is not valid' };
  if (address !== undefined && isDeleted && deleteAt === undefined)
    return { reason: 'verified_email is that of a deleted user' };
  return { fields, address, password, passwordHash: password_hash ?? '', deleteAt };
}

/** Why a line has not just one good secret. */
function findSecretFault(password: string | undefined, passwordHash: string | undefined): string | undefined {
  if (passwordHash === undefined && password === undefined) return 'password_hash or password is missing';
  if (passwordHash === undefined) return undefined;
  if (password !== undefined) return 'password_hash and password are both there: keep one';
  return findHashFault(passwordHash);
}

/**
 * The line of a user for `export`, with its line feed; `import` makes the same user of it.
 *
 * @param address the verified one
 * @param deleteAt when they are erased, if they asked for it
 */
export function toUserLine(row: UserRow, address: string | undefined, deleteAt: number | undefined): string {
  const { id, username, password_hash, status } = row;
  const { push_enabled, dnd_enabled, push_preview, created_at } = row;
  const line = {
    ...{ id, username },
    password_hash,
    ...profileOf(row),
    ...(address !== undefined && { verified_email: address }),
    ...{ push_enabled, dnd_enabled, push_preview, ...privacyRowOf(row), created_at },
    ...(status !== 'active' && { status }),
    ...(deleteAt !== undefined && { delete_at: deleteAt }),
  };
  return `${JSON.stringify(line)}\n`;
}
