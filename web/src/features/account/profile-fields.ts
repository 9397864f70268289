import { avatarUrl, type OwnUser, type ProfileBody } from 'doorman-client';
import { checkNickname, codePoints } from '../../ui/controls/form-fields.ts';

/** In the order of the form. */
export const PROFILE_FIELDS = ['nickname', 'avatar', 'bio', 'phone', 'email', 'gender'] as const;
export type ProfileField = (typeof PROFILE_FIELDS)[number];

export const GENDERS = ['', 'female', 'male', 'secret'] as const;
type Gender = (typeof GENDERS)[number];

type ProfileValues = Record<Exclude<ProfileField, 'gender'>, string> & { gender: Gender };
/** The fields that the user changed and has not saved. */
export type ProfileEdits = Partial<ProfileValues>;

export const MAX_BIO = 1_000;
const MAX_AVATAR = 2_048;
const MAX_EMAIL = 254;

/** The values in the form: the profile with the edits. */
export function shownProfile(profile: OwnUser, edits: ProfileEdits): ProfileValues {
  const { nickname, avatar, bio, phone, email } = profile;
  return { nickname, avatar, bio, phone, email, gender: toGender(profile.gender), ...edits };
}

function toGender(word: string): Gender {
  return GENDERS.find((gender) => gender === word) ?? '';
}

/** The edits that differ from the profile, as they are sent: an empty nickname becomes the username. */
export function changedFields(profile: OwnUser, edits: ProfileEdits): ProfileBody {
  const changed: ProfileBody = {};
  for (const [field, value] of Object.entries(edits)) {
    const sent = toSent(field as ProfileField, value, profile.username); // the keys of ProfileEdits
    if (sent !== profile[field as ProfileField]) Object.assign(changed, { [field]: sent });
  }
  return changed;
}

function toSent(field: ProfileField, value: string, username: string): string {
  if (field === 'nickname') return value.trim() || username;
  return field === 'bio' ? value : value.trim();
}

/** Why a field is invalid: a key of the texts in `settings` or `errors`. */
type ProfileError = 'nickname_too_long' | 'avatar_invalid' | 'bioTooLong' | 'phoneInvalid' | 'emailInvalid';

/** Checks the body as the service does. @param baseUrl the address of the service */
export function checkProfile(
  body: ProfileBody,
  baseUrl: string,
): Partial<Record<ProfileField, ProfileError>> {
  const { nickname, avatar, bio, phone, email } = body;
  const errors: Partial<Record<ProfileField, ProfileError>> = {};
  if (nickname !== undefined && checkNickname(nickname)) errors.nickname = 'nickname_too_long';
  if (avatar && (avatarUrl(avatar, baseUrl) === undefined || codePoints(avatar) > MAX_AVATAR))
    errors.avatar = 'avatar_invalid';
  if (bio !== undefined && codePoints(bio) > MAX_BIO) errors.bio = 'bioTooLong';
  if (phone !== undefined && !/^[0-9+\-(). ]{0,32}$/.test(phone)) errors.phone = 'phoneInvalid';
  if (email && (!/^[^\s@]+@[^\s@]+$/.test(email) || codePoints(email) > MAX_EMAIL))
    errors.email = 'emailInvalid';
  return errors;
}
