import { type Static, Type } from 'typebox';
import { findHashFault } from '../../accounts/hashes/hash-formats.ts';
import { NewPassword } from '../../accounts/schemas.ts';
import { ServiceError } from '../../errors.ts';
import { BODY_LIMIT_BYTES, parseBody } from '../../http/body.ts';
import { failureOf } from '../../http/errors.ts';
import { readFields, text } from '../../http/validation.ts';
import { SettingsBody } from '../../settings/schemas.ts';
import { PrivacyBody, privacyRowOf } from '../../users/privacy.ts';
import { OptionalFields, profileOf } from '../../users/profile-fields.ts';
import { Username, type UserRow } from '../../users/schemas.ts';

/** More than twice what the longest fields take in any escaping. */
export const MAX_LINE_BYTES = BODY_LIMIT_BYTES;

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
  username: Username,
  password_hash: Type.Optional(text()),
  password: Type.Optional(NewPassword),
  ...OptionalFields,
  push_enabled: Type.Optional(Flag),
  dnd_enabled: Type.Optional(Flag),
  push_preview: SettingsBody.properties.pushPreview,
  ...PrivacyFields,
  /** Epoch milliseconds, up to the year 9999. */
  created_at: Type.Optional(Type.Integer({ minimum: 0, maximum: 253_402_300_799_999 })),
  status: Type.Optional(
    Type.Union([Type.Literal('active'), Type.Literal('suspended'), Type.Literal('deleted')]),
  ),
});

export interface UserToImport {
  /** The fields of the line, checked by the rules of registration and of the profile. */
  readonly fields: Omit<Static<typeof UserLine>, 'password' | 'password_hash'>;
  readonly password: string | undefined;
  /** '' with a password, and for an erased user. */
  readonly passwordHash: string;
}

/**
 * Reads one line of an import.
 *
 * @param bytes null for a line that was too long
 * @returns the reason, for the operator, if the line is refused
 */
export function readUserLine(bytes: Buffer | null): UserToImport | { readonly reason: string } {
  if (bytes === null) return { reason: `is longer than ${MAX_LINE_BYTES} bytes` };
  try {
    const { password, password_hash, ...fields } = readFields(UserLine, parseBody(bytes));
    const reason = findSecretFault(fields.status, password, password_hash);
    return reason === undefined ? { fields, password, passwordHash: password_hash ?? '' } : { reason };
  } catch (error) {
    if (error instanceof ServiceError) return { reason: reasons[error.word] ?? failureOf(error, true).msg };
    throw error;
  }
}

/** Why a line has not just one good secret; an erased user has none. */
function findSecretFault(
  status: UserRow['status'] | undefined,
  password: string | undefined,
  passwordHash: string | undefined,
): string | undefined {
  if (passwordHash === undefined && password === undefined)
    return status === 'deleted' ? undefined : 'password_hash or password is missing';
  if (passwordHash === undefined) return undefined;
  if (password !== undefined) return 'password_hash and password are both there: keep one';
  return findHashFault(passwordHash);
}

/** The refusals of the rules in English, for the operator. */
const reasons: Record<string, string> = {
  body_not_utf8: 'is not valid UTF-8',
  body_not_json: 'is not valid JSON',
  body_not_object: 'is not a JSON object',
  body_too_deep: 'is nested too deeply',
  body_bad_text: 'has text with U+0000 or half a surrogate pair',
  username_length: 'username must have 2 to 32 characters',
  username_invalid: 'username has characters that cannot be read, or white space at an end',
  nickname_invalid: 'nickname has characters that cannot be seen, or white space at an end',
  password_too_short: 'password must have at least 6 characters',
  password_too_long: 'password must have at most 128 characters',
  avatar_invalid: 'avatar must be an http or https address without credentials, or relative',
};

/** The line of a user for `export`, with its line feed; `import` makes the same user of it, with another id. */
export function toUserLine(row: UserRow): string {
  const { id, username, password_hash, status } = row;
  const { push_enabled, dnd_enabled, push_preview, created_at } = row;
  const line = {
    ...{ id, username },
    ...(password_hash !== '' && { password_hash }),
    ...profileOf(row),
    ...{ push_enabled, dnd_enabled, push_preview, ...privacyRowOf(row), created_at },
    ...(status !== 'active' && { status }),
  };
  return `${JSON.stringify(line)}\n`;
}
