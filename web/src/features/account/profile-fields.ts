import type { OwnUser, ProfileBody } from 'doorman-client';
import { checkNickname, codePoints } from '../../ui/controls/form-fields.ts';
import { safeAvatar } from '../../ui/person/avatar.ts';

/** In the order in which they stand. */
export const PROFILE_FIELDS = ['nickname', 'avatar', 'gender', 'bio', 'phone', 'email'] as const;
export type ProfileField = (typeof PROFILE_FIELDS)[number];

export const GENDERS = ['', 'female', 'male', 'secret'] as const;
export type Gender = (typeof GENDERS)[number];

export type ProfileValues = Record<Exclude<ProfileField, 'gender'>, string> & { gender: Gender };
/** What was changed and not saved yet. */
export type ProfileEdits = Partial<ProfileValues>;

export const MAX_BIO = 1_000;
const MAX_AVATAR = 2_048;
const MAX_EMAIL = 254;

/** What the form shows: the profile as it is, with what was changed. */
export function shownProfile(profile: OwnUser, edits: ProfileEdits): ProfileValues {
  const { nickname, avatar, bio, phone, email } = profile;
  return { nickname, avatar, bio, phone, email, gender: toGender(profile.gender), ...edits };
}

function toGender(word: string): Gender {
  return GENDERS.find((gender) => gender === word) ?? '';
}

/** Of what is shown, what differs from the profile, as it is sent: an empty nickname is the username. */
export function changedFields(profile: OwnUser, edits: ProfileEdits): ProfileBody {
  const changed: ProfileBody = {};
  for (const [field, value] of Object.entries(edits)) {
    const sent = toSent(field as ProfileField, value, profile.username); // of ProfileEdits' own
    if (sent !== profile[field as ProfileField]) Object.assign(changed, { [field]: sent });
  }
  return changed;
}

function toSent(field: ProfileField, value: string, username: string): string {
  if (field === 'nickname') return value.trim() || username;
  return field === 'bio' ? value : value.trim();
}

/** The word of `settings` or `errors` that says what is wrong with a field; `undefined` if nothing is. */
export type ProfileFault =
  | 'nickname_too_long'
  | 'avatar_invalid'
  | 'bioTooLong'
  | 'phoneInvalid'
  | 'emailInvalid';

/** Judges what would be sent, as the service does. @param base against which a picture's address may be relative */
export function checkProfile(body: ProfileBody, base: string): Partial<Record<ProfileField, ProfileFault>> {
  const { nickname, avatar, bio, phone, email } = body;
  const faults: Partial<Record<ProfileField, ProfileFault>> = {};
  if (nickname !== undefined && checkNickname(nickname)) faults.nickname = 'nickname_too_long';
  if (avatar && (safeAvatar(avatar, base) === undefined || codePoints(avatar) > MAX_AVATAR))
    faults.avatar = 'avatar_invalid';
  if (bio !== undefined && codePoints(bio) > MAX_BIO) faults.bio = 'bioTooLong';
  if (phone !== undefined && !/^[0-9+\-(). ]{0,32}$/.test(phone)) faults.phone = 'phoneInvalid';
  if (email && (!/^[^\s@]+@[^\s@]+$/.test(email) || codePoints(email) > MAX_EMAIL))
    faults.email = 'emailInvalid';
  return faults;
}
